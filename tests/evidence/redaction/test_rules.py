"""The rule file: each row does what it says, on each of its examples, and every detector of the library is decided."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from argusic.evidence.redaction.finding import Finder
from argusic.evidence.redaction.patterns import Pattern, PatternError
from argusic.evidence.redaction.rules import NotSecret, detectors, pattern_of, rules
from tests.evidence.redaction.examples import filled

RULES = rules()
FINDER = Finder(RULES, (), 120)
TIMES = 25


def rows(kind: str) -> Iterator[object]:
    listed = [
        *((row.name, row) for row in RULES.file.secrets),
        ("armour", RULES.file.keys.armour),
        *((row.name, row) for row in RULES.file.keys.values),
    ]
    for name, row in listed:
        for example in getattr(row, kind):
            yield pytest.param(name, example, id=f"{name}: {example[:50]!r}")


@pytest.mark.parametrize(("name", "example"), list(rows("masked")))
def test_what_a_row_masks_is_found(name: str, example: str) -> None:
    chance = random.Random(name + example)
    for _ in range(TIMES):
        text = filled(example, chance)
        assert FINDER.find(text.encode()), text


@pytest.mark.parametrize(("name", "example"), list(rows("kept")))
def test_what_a_row_keeps_is_found_by_no_row(name: str, example: str) -> None:
    chance = random.Random(name + example)
    for _ in range(TIMES):
        text = filled(example, chance)
        assert FINDER.find(text.encode()) == [], text


@pytest.mark.parametrize("row", RULES.file.not_secrets, ids=lambda row: row.name)
def test_what_is_no_secret_matches_its_row(row: NotSecret) -> None:
    chance = random.Random(1)
    for example in row.examples:
        for _ in range(TIMES):
            text = filled(example, chance).encode()
            if row.before is None:
                assert pattern_of(row).is_all_of(text)
            else:
                assert FINDER.find(text) == []


def test_the_rules_that_a_row_names_exist() -> None:
    names = {row.name for row in RULES.file.secrets}
    for row in RULES.file.not_secrets:
        assert {*row.only, *row.but_not} <= names


def test_every_detector_of_the_library_is_decided_and_every_refusal_has_a_reason() -> None:
    assert set(detectors()) == set(RULES.file.library)
    for name, choice in RULES.file.library.items():
        assert choice.use or choice.why, name


def test_a_detector_that_is_refused_for_looking_around_does_so() -> None:
    for name, choice in RULES.file.library.items():
        if choice.why and "which the engine does not" in choice.why:
            with pytest.raises(PatternError):
                [Pattern(listed.pattern) for listed in detectors()[name].denylist]  # type: ignore[attr-defined]


ORDINARY = [
    "sha256:{64x}",
    "commit {40x}",
    '"integrity": "sha512-{86b}=="',
    "--hash=sha256:{64x} \\",
    "{8x}-{4x}-{4x}-{4x}-{12x}",
    "data:image/png;base64,iVBORw0KGgo{400b}==",
    "  Downloading tinydb-4.8.2-py3-none-any.whl.metadata (6.7 kB)",
    "resolved https://registry.example/pkg/-/pkg-1.2.3.tgz#{40x}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{43b} me@host",
    "-----BEGIN CERTIFICATE-----\n{64b}\n{64b}\n-----END CERTIFICATE-----",
    "-----BEGIN PGP SIGNATURE-----\n\n{64b}\n-----END PGP SIGNATURE-----",
    'etag: W/"{32x}"',
    "digest: sha256:{64x} size: 1234",
    "package/module.py,sha256=r8_{40},14949",
    "git+https://github.com/owner/name@{40x}#egg=name",
    "h1:{43b}=",
    "SHA1: {40x}",
    "_distutils_hack.override  __pycache__/a_b_c.cpython-311.pyc",
    "token_type_ids attention_mask tokenizer_config.json special_tokens_map.json",
    "blobs/sha256-{64x}",
    "user@example.org:~/project$ scp file host:/path",
    "http://127.0.0.1:8000/@fs/x?v={8x}",
    "task-{36x} running, disk-{20} attached, risk-{30}",
    "::add-mask::***",
    "session_token_hash_algorithm=sha256",
    "Bearer authentication: see docs",
]


@pytest.mark.parametrize("line", ORDINARY)
def test_digests_ids_and_other_ordinary_output_are_no_secrets(line: str) -> None:
    chance = random.Random(line)
    for _ in range(TIMES):
        text = filled(line, chance)
        assert FINDER.find(text.encode()) == [], text
