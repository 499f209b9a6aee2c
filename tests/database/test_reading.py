"""The fast reader: core schema scalars, and one clear error for each hostile or ambiguous file."""

from __future__ import annotations

import math
import time

import pytest

from argusic.database.codec import parse
from argusic.database.reading import MAX_BYTES, MAX_DEPTH
from argusic.errors import InputError

SCALARS = [
    ("no", "no"),
    ("yes", "yes"),
    ("on", "on"),
    ("Off", "Off"),
    ("y", "y"),
    ("1.10", 1.1),
    ("1234567e3", 1234567000.0),
    ("9e12345678901", math.inf),
    ("2026-11-01", "2026-11-01"),
    ("2026-11-30T01:45:00Z", "2026-11-30T01:45:00Z"),
    ("12:30:00", "12:30:00"),
    ("190:20:30", "190:20:30"),
    ("0o17", 15),
    ("0o18", "0o18"),
    ("0x1f", 31),
    ("0b11", "0b11"),
    ("0123", 123),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("nULL", "nULL"),
    ("", None),
    (".inf", math.inf),
    ("-.Inf", -math.inf),
    ("inf", "inf"),
    ("+1", 1),
    ("-0", 0),
    ("1_000", "1_000"),
    ("1,000", "1,000"),
    (".5", 0.5),
    ("5.", 5.0),
    (".", "."),
    ("true", True),
    ("TRUE", True),
    ("tRUE", "tRUE"),
    ("e5", "e5"),
    ("1e5", 100000.0),
    ("=", "="),
    ("+0x1f", "+0x1f"),
    ("١٢٣", "١٢٣"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_plain_scalar_is_read_under_the_core_schema(text: str, value: object) -> None:
    read = parse(f"a: {text}\n".encode(), file="x.yaml")["a"]
    assert (type(read), read) == (type(value), value)


def test_not_a_number_is_a_number() -> None:
    assert math.isnan(parse(b"a: .nan\n", file="x.yaml")["a"])


@pytest.mark.parametrize("text", [text for text, _ in SCALARS])
def test_a_quoted_scalar_is_always_text(text: str) -> None:
    assert parse(f"- \"{text}\"\n- '{text}'\n".encode(), file="x.yaml") == [text, text]


def _bomb() -> bytes:
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    for before, after in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{after}: &{after} [{', '.join(['*' + before] * 9)}]")
    return "\n".join(lines).encode()


HOSTILE = {
    "billion laughs": (_bomb(), 1, "anchor"),
    "alias": (b"a: 1\nb: *a\n", 2, "alias"),
    "alias as a key": (b"a: 1\n*a : 2\n", 2, "alias"),
    "undefined alias": (b"a: *nowhere\n", 1, "alias"),
    "anchor on a mapping": (b"a:\n  &b {c: 1}\n", 2, "anchor"),
    "python tag": (b"a: 1\nb: !!python/object/apply:os.system ['true']\n", 2, "tag"),
    "python tag on a mapping": (b"!!python/object:os.Thing {a: 1}\n", 1, "tag"),
    "standard tag": (b"a: !!str 1\n", 1, "tag"),
    "binary tag": (b"a: !!binary aGVsbG8=\n", 1, "tag"),
    "bare tag": (b"a: ! 1\n", 1, "tag"),
    "duplicate key": (b"a: 1\nb: 2\na: 3\n", 3, "twice"),
    "duplicate key, spelt otherwise": (b'a: 1\n"\\x61": 3\n', 2, "twice"),
    "duplicate key deep down": (b"a:\n  - b: {c: 1, c: 2}\n", 2, "twice"),
    "merge key": (b"a: 1\n<<: {b: 2}\n", 2, "merge key"),
    "numeric key": (b"a: 1\n2: b\n", 2, "key must be text"),
    "null key": (b"~: b\n", 1, "key must be text"),
    "boolean key": (b"true: b\n", 1, "key must be text"),
    "list as a key": (b"? [a, b]\n: c\n", 1, "key must be text"),
    "mapping as a key": (b"a: 1\n{b: 2}: c\n", 2, "key must be text"),
    "two documents": (b"a: 1\n---\nb: 2\n", 2, "more than one"),
    "yaml directive": (b"%YAML 1.1\n---\na: no\n", 1, "directive"),
    "tag directive": (b"%TAG ! tag:example.org,2026:\n---\na: 1\n", 1, "directive"),
    "latin-1": (b"a: 1\nb: caf\xe9\n", 2, "not UTF-8"),
    "overlong UTF-8": (b"a: \xc0\xaf\n", 1, "not UTF-8"),
    "surrogate": (b"a: \xed\xa0\x80\n", 1, "not UTF-8"),
    "UTF-8 mark": (b"\xef\xbb\xbfa: 1\n", 1, "byte order mark"),
    "UTF-16": ("a: 1\n".encode("utf-16"), 1, "byte order mark"),
    "UTF-16 without a mark": ("a: 1\n".encode("utf-16-le"), 1, "NUL"),
    "NUL": (b"a: 1\nb: \0\n", 2, "NUL"),
    "control character": (b"a: 1\nb: 2\nc: \x1b[31m\n", 3, "character"),
    "tab": (b"a:\n\tb: 1\n", 2, "not valid YAML"),
    "unclosed quote": (b'a: 1\nb: "c\n', 3, "not valid YAML"),
    "unclosed list": (b"a: [1, 2\n", 2, "not valid YAML"),
    "bad indent": (b"a: 1\n  b: 2\n", 2, "not valid YAML"),
    "endless number": (b"a: " + b"9" * 5000, 1, "number"),
    "endless hexadecimal": (b"a: 0x" + b"f" * 5000, 1, "number"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_one_error_with_file_and_line(case: str) -> None:
    data, line, says = HOSTILE[case]
    with pytest.raises(InputError, match=says) as caught:
        parse(data, file="pool/x.yaml")
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("pool/x.yaml", line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"[" * 200_000, b"{a: " * 200_000, b"- " * 200_000, b"? " * 200_000])
def test_a_depth_bomb_is_refused_at_once(data: bytes) -> None:
    begun = time.monotonic()
    with pytest.raises(InputError):
        parse(data, file="x.yaml")
    assert time.monotonic() - begun < 5


def test_depth_is_counted_exactly() -> None:
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, file="x.yaml") is not None
    with pytest.raises(InputError, match="deeper"):
        parse(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), file="x.yaml")


def test_a_file_of_fifty_megabytes_is_refused_before_it_is_parsed() -> None:
    begun = time.monotonic()
    with pytest.raises(InputError, match="at most"):
        parse(b"a: " + b"x" * 50_000_000, file="x.yaml")
    assert MAX_BYTES < 50_000_000
    assert time.monotonic() - begun < 1


def test_an_empty_file_is_nothing() -> None:
    assert parse(b"", file="x.yaml") is None
    assert parse(b"# only a comment\n", file="x.yaml") is None


def test_empty_collections_and_nesting_come_back_as_they_are() -> None:
    data = b"a: {}\nb: []\nc: [{}, [], [[1], {d: 2}]]\ne:\n  - f: 1\n    g:\n      - 2\n  -\n"
    assert parse(data, file="x.yaml") == {
        "a": {},
        "b": [],
        "c": [{}, [], [[1], {"d": 2}]],
        "e": [{"f": 1, "g": [2]}, None],
    }
