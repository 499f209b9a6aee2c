"""Records to bytes and back: nothing is lost, nothing is ambiguous, and errors say file, line and field."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError
from ruamel.yaml import YAML

from argusic.database.codec import dump, parse, parse_record, read_record
from argusic.database.editing import Editable
from argusic.errors import InputError
from argusic.records.base import Day, EditionId, Items, Part, Record, RunId, UtcTime
from argusic.records.cycle import Cycle
from argusic.records.run import Run

# Surrogates are no characters: UTF-8 cannot say them.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


class Inner(Part):
    text: str
    maybe: str | None = None
    number: float | None = None
    numbers: Items[int] = ()


class Everything(Record):
    text: str
    nothing: str | None
    maybe: Inner | None = None
    flag: bool
    whole: int
    real: float
    at: UtcTime
    names: dict[str, str]
    parts: Items[Inner] = ()
    nested: Items[Items[str]] = ()
    by_name: dict[str, Inner] = Field(default_factory=dict)


INNERS = st.builds(
    Inner, text=TEXT, maybe=st.none() | TEXT, number=st.none() | FLOATS, numbers=st.lists(st.integers()).map(tuple)
)
RECORDS = st.builds(
    Everything,
    text=TEXT,
    nothing=st.none() | TEXT,
    maybe=st.none() | INNERS,
    flag=st.booleans(),
    whole=st.integers(min_value=-(10**300), max_value=10**300),
    real=FLOATS,
    at=st.datetimes(datetime(1970, 1, 1), datetime(2999, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    names=st.dictionaries(KEYS, TEXT, max_size=4),
    parts=st.lists(INNERS, max_size=4).map(tuple),
    nested=st.lists(st.lists(TEXT, max_size=3).map(tuple), max_size=3).map(tuple),
    by_name=st.dictionaries(KEYS, INNERS, max_size=3),
)


@given(RECORDS)
def test_any_record_is_read_back_as_it_was_written(record: Everything) -> None:
    assert parse_record(dump(record), Everything, file="x.yaml") == record


@given(RECORDS)
def test_writing_what_was_read_changes_no_byte(record: Everything) -> None:
    data = dump(record)
    assert dump(parse_record(data, Everything, file="x.yaml")) == data


AWKWARD = [
    "", " ", "\n", "a\n", "a\nb", "a\n\n", "\na", " a\nb", "a \nb", "a\n  b\n", "a\n \nb", "\ta\nb", "a\tb\nc",
    "a\r\nb", "a\u2028b", "a\x85b", "a\x00b", "a\x1b[0m", "\ufeffa", "a\ufeff\nb", "no", "Yes", "1.10",
    "1234567e3", "2026-11-01", "12:30:00", "0o17", "~", "null", "- a", "a: b", "a #b", "#", "'", '"', "\\",
    "\\n", "|", ">", "%a", "@a", "`a", "*a", "&a", "!a", "? a", "<<", "=", "---", "...", "--- a\n--- b",
    "...\nx", "{", "[", "a, b", "é", "日本語", "🙂", "🙂\n🙂", "a" * 3000, "a b " * 1000, "x\n" * 500, "\x7f",
    "\ud7ff", "\ue000", "\ufffe", "\uffff", "\U0010ffff", "a:", ":a", "-", "-a", "a-", "a  b", "a ", " a", "1",
    "-1", "+1", "1_000", "0x1f", ".inf", "nan", "true", "y", "N", "off", "a\n#b\nc",
]  # fmt: skip


@given(TEXT)
@settings(max_examples=300)
def test_any_text_survives(text: str) -> None:
    record = Inner(text=text, numbers=())
    whole = Everything(
        text=text,
        nothing=None,
        flag=True,
        whole=1,
        real=1.0,
        at=datetime(2026, 11, 30, tzinfo=UTC),
        names={text[:100]: text},
        parts=(record,),
        nested=((text,),),
        by_name={},
    )
    assert parse_record(dump(whole), Everything, file="x.yaml") == whole


for _text in AWKWARD:
    test_any_text_survives = example(_text)(test_any_text_survives)


@given(RECORDS)
@settings(max_examples=50)
def test_readers_of_yaml_1_1_and_1_2_see_the_same_data(record: Everything) -> None:
    data = dump(record)
    ours = parse(data, file="x.yaml")
    assert yaml.load(data, yaml.CSafeLoader) == ours
    assert YAML(typ="safe", pure=True).load(data.decode()) == ours


@pytest.mark.parametrize("text", [text for text in AWKWARD if "\ufeff" not in text and "\ufffe" not in text])
def test_awkward_text_is_the_same_to_every_reader(text: str) -> None:
    data = dump(_everything(text=text, names={text[:100]: text}))
    ours = parse(data, file="x.yaml")
    assert ours["text"] == text
    assert yaml.load(data, yaml.CSafeLoader) == ours
    assert yaml.load(data, yaml.SafeLoader) == ours
    assert YAML(typ="safe", pure=True).load(data.decode()) == ours


def _everything(**fields: Any) -> Everything:
    values: dict[str, Any] = {
        "text": "a", "nothing": None, "flag": True, "whole": 1, "real": 1.0, "at": datetime(2026, 11, 30, tzinfo=UTC),
        "names": {},
    }  # fmt: skip
    return Everything.model_validate(values | fields)


def test_the_canonical_form_is_this() -> None:
    record = _everything(
        text="first line\nsecond line\n",
        maybe=Inner(text="no", number=1e-7, numbers=(1, 2)),
        names={"1.10": "12:30:00", "plain name": "plain text"},
        parts=(Inner(text="a"), Inner(text="b\nc", maybe="1234567e3")),
        nested=((), ("x", "z")),
    )
    assert dump(record).decode() == (
        "schema: 1\n"
        "text: |\n"
        "  first line\n"
        "  second line\n"
        "nothing: null\n"
        "maybe:\n"
        '  text: "no"\n'
        "  number: 1.0e-07\n"
        "  numbers:\n"
        "    - 1\n"
        "    - 2\n"
        "flag: true\n"
        "whole: 1\n"
        "real: 1.0\n"
        'at: "2026-11-30T00:00:00Z"\n'
        "names:\n"
        '  "1.10": "12:30:00"\n'
        "  plain name: plain text\n"
        "parts:\n"
        "  - text: a\n"
        "    numbers: []\n"
        "  - text: |-\n"
        "      b\n"
        "      c\n"
        '    maybe: "1234567e3"\n'
        "    numbers: []\n"
        "nested:\n"
        "  - []\n"
        "  - - x\n"
        "    - z\n"
        "by_name: {}\n"
    )


def test_no_value_is_left_out_only_where_leaving_it_out_means_the_same() -> None:
    data = dump(_everything())
    assert b"nothing: null" in data
    assert b"maybe" not in data


@pytest.mark.parametrize("value", [1e-5, 1e16, 1.5e300, 5e-324, 0.1, -0.0, 1e100])
def test_a_number_with_a_fraction_is_a_number_to_every_reader(value: float) -> None:
    data = dump(_everything(real=value))
    for read in (parse(data, file="x"), yaml.safe_load(data), YAML(typ="safe", pure=True).load(io.BytesIO(data))):
        assert isinstance(read["real"], float)
        assert math.copysign(1, read["real"]) == math.copysign(1, value)
        assert read["real"] == value


@given(st.text("0123456789+-._eExXob:~nulNtrTfFaiI,T Z", min_size=1, max_size=12))
@settings(max_examples=500)
def test_both_loaders_agree_on_every_scalar(text: str) -> None:
    data = f"a: {text}\n".encode()
    try:
        fast = parse(data, file="x.yaml")
    except InputError:
        return  # Not one plain scalar: refused before the other loader sees it.
    slow = Editable(data, file="x.yaml").content
    one, other = fast["a"], slow["a"]
    assert one == other or (one != one and other != other)
    assert isinstance(other, type(one))
    assert isinstance(one, bool) == isinstance(other, bool)


CYCLE = b"""schema: 1
cycle: spring
title: Spring
edition: v1.5
edition_sha256: "%s"
opens: 2026-11-30T01:45:00Z
closes: 2026-12-30T01:45:00Z
standard_agent: newcomer
subjects:
  - subject: package/tinydb
    pin: {kind: package, version: "4.8.2", file: tinydb.whl, sha256: "%s"}
  - subject: package/cowsay
    pin:
      kind: package
      version: "6.1"
      file: cowsay.whl
      sha256: "%s"
""" % (b"a" * 64, b"b" * 64, b"c" * 64)

REFUSED: dict[str, tuple[bytes, bytes, int, str | None]] = {
    "a version without quotes": (b'"6.1"', b"6.1", 15, "subjects[1].pin.version"),
    "an unknown field": (b"title: Spring", b"title: Spring\ncolour: red", 4, "colour"),
    "an unknown field of a pin": (b"file: cowsay", b"colour: red\n      file: cowsay", 16, "subjects[1].pin.colour"),
    "a missing field": (b"title: Spring\n", b"", 1, "title"),
    "a missing field of a pin": (b"      file: cowsay.whl\n", b"", 13, "subjects[1].pin.file"),
    "a bad digest": (b"c" * 64, b"c" * 63, 17, "subjects[1].pin.sha256"),
    "a bad id": (b"cycle: spring", b"cycle: ../spring", 2, "cycle"),
    "a reserved id": (b"cycle: spring", b"cycle: speed", 2, "cycle"),
    "a time without a zone": (b"2026-12-30T01:45:00Z", b"2026-12-30T01:45:00", 7, "closes"),
    "an impossible time": (b"2026-12-30T01:45:00Z", b"2026-02-30T01:45:00Z", 7, "closes"),
    "a kind that is not known": (b"{kind: package", b"{kind: painting", 11, "subjects[0].pin"),
    "another schema": (b"schema: 1", b"schema: 2", 1, "schema"),
    "no schema": (b"schema: 1\n", b"", 1, "schema"),
    "the schema by its other name": (b"schema: 1", b"schema: 1\nschema_version: 1", 2, "schema_version"),
    "a single value for a list": (b"title: Spring", b"title: Spring\ncontrols: nop", 4, "controls"),
    "a line end of another system": (b"title: Spring", b"title: Spring\r", 3, None),
    "a truth value for text": (b"title: Spring", b"title: true", 3, "title"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_record_says_file_line_and_field(case: str) -> None:
    old, new, line, field = REFUSED[case]
    data = CYCLE.replace(old, new)
    assert data != CYCLE
    with pytest.raises(InputError) as caught:
        parse_record(data, Cycle, file="pool/cycles/spring.yaml")
    place = caught.value.place
    assert place is not None
    assert (place.file, place.line, place.field) == ("pool/cycles/spring.yaml", line, field)
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_what_is_wrong_beside_the_first_is_named_too() -> None:
    data = CYCLE.replace(b"title: Spring\n", b"").replace(b'"6.1"', b"6.1")
    with pytest.raises(InputError, match=r"title: is missing.*Also: subjects\[1\]\.pin\.version"):
        parse_record(data, Cycle, file="x.yaml")


@pytest.mark.parametrize("data", [b"", b"- a\n", b"text\n", b"null\n", b"3\n"])
def test_what_is_no_mapping_is_no_record(data: bytes) -> None:
    with pytest.raises(InputError):
        parse_record(data, Cycle, file="x.yaml")


def test_an_infinite_duration_is_refused(make_run: Callable[..., Run]) -> None:
    data = dump(make_run()).replace(b"seconds: 12.5", b"seconds: .inf")
    with pytest.raises(InputError) as caught:
        parse_record(data, Run, file="run.yaml")
    assert caught.value.place is not None and caught.value.place.field == "phases[0].seconds"


def test_a_file_is_shown_relative_to_the_top(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^pool/x\.yaml: does not exist\.$"):
        read_record(tmp_path / "pool" / "x.yaml", Cycle, root=tmp_path)


def test_a_link_a_folder_and_a_pipe_are_not_read(tmp_path: Path) -> None:
    import os

    (tmp_path / "real.yaml").write_bytes(CYCLE)
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    assert read_record(tmp_path / "real.yaml", Cycle).cycle == "spring"
    with pytest.raises(InputError, match="symbolic link"):
        read_record(tmp_path / "link.yaml", Cycle)
    for name in ("folder.yaml", "pipe.yaml"):
        with pytest.raises(InputError):
            read_record(tmp_path / name, Cycle)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (UtcTime, "9999-12-31T23:59:59Z"),
        (UtcTime, "1969-12-31T23:59:59Z"),
        (UtcTime, "٢٠٢٦-11-30T14:00:00Z"),
        (Day, "٢٠٢٦-11-30"),
        (RunId, "٢٠٢٦1130T140000Z-aaaaaa"),
        (EditionId, "v１.5"),
    ],
)
def test_times_and_ids_are_of_ascii_digits_and_of_this_age(model: Any, said: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(model).validate_python(said)
