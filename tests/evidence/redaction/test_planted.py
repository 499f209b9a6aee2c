"""Secrets planted in generated sessions, in every spelling and by every way of printing: none survives.

Each session has `PLANTED` of them, so that the suite plants more than ten thousand.
"""

from __future__ import annotations

import random
import shutil
import string
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.proof import Proof
from argusic.evidence.redaction.rules import rules
from tests.evidence.redaction.examples import LETTERS, filled
from tests.evidence.redaction.planting import DRAWN, SHOWN, SPELT, Way, forms, is_seen, letters, line, noise, seen_in
from tests.evidence.redaction.sessions import COLUMNS, ROWS, Ran, Served

#: Secrets in each session.
PLANTED = 23
#: Secrets in each session where none is drawn.
MANY = 70
KEYS = ["sk-ant-api03-{80}", "sk-proj-{60}_{40}", "{32x}", "ghp_{36}", "{20}-{20}_{20}", "hf_{34}", "{24}+{20}/{4}="]
SHAPES = ["sk-ant-api03-{80}", "ghp_{36}", "hf_{34}", "AIza{35}", "glpat-{20}", "github_pat_{22}_{59}", "sk-{48}"]
BODIES = [
    "-----BEGIN RSA PRIVATE KEY-----\r\n{64b}\r\n{64b}\r\n{22b}==\r\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\r\n{70b}\r\n{70b}\r\n{30b}\r\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\r\n\r\n{64b}\r\n{64b}\r\n={4b}\r\n-----END PGP PRIVATE KEY BLOCK-----",
    "# created: today\r\nAGE-SECRET-KEY-1{58A}",
    '{"kty":"EC","crv":"P-256","x":"{43}","y":"{43}","d":"{43}"}',
]
SEEDS = st.integers(0, 2**48)
WAYS = {**SHOWN, **SPELT, **DRAWN}
FAST = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def sessions_of(ways: dict[str, Way], planted: int = PLANTED) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(ways)), min_size=planted, max_size=planted)


@contextmanager
def served(commands: list[Ran], known: list[KnownSecret]) -> Iterator[Served]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield Served(folder, commands, known)
    finally:
        shutil.rmtree(folder)


def plant(seed: int, ways: list[str], *, calm: bool) -> tuple[str, list[Ran]]:
    """Return a secret and a session that prints it in each of the ways."""
    chance = random.Random(seed)
    secret = filled(chance.choice(KEYS), chance)
    commands = []
    for way in ways:
        printed = [*noise(chance, calm=calm), *WAYS[way](secret, chance), *noise(chance, calm=calm)]
        commands.append(Ran(f"echo {secret}\ntrue" if chance.random() < 0.05 else "printenv", printed))
    return secret, commands


def check_known(secret: str, commands: list[Ran], ways: list[str], *, drawn: bool) -> None:
    """Redact a session; nothing of the secret may be seen, and the copies must cover what the raw files cover."""
    with served(commands, [KnownSecret("the key", secret)]) as session:
        result = session.redact()
        assert result.withheld is None, ways
        seen = seen_in(session.served, drawn=drawn)
        for form in forms(secret):
            assert not is_seen(form, seen), (form, ways)
        raw, out = session.coverage()
        assert raw == out
        assert raw.complete


@pytest.mark.endurance
@settings(FAST, max_examples=125)
@given(seed=SEEDS, ways=sessions_of({**SHOWN, **SPELT}, MANY))
def test_a_known_credential_survives_in_no_spelling(seed: int, ways: list[str]) -> None:
    check_known(*plant(seed, ways, calm=True), ways, drawn=False)


@pytest.mark.endurance
@settings(FAST, max_examples=30)
@given(seed=SEEDS, ways=sessions_of(WAYS))
def test_a_known_credential_survives_on_no_screen(seed: int, ways: list[str]) -> None:
    check_known(*plant(seed, ways, calm=False), ways, drawn=True)


@pytest.mark.endurance
@settings(FAST, max_examples=30)
@given(seed=SEEDS, ways=sessions_of({**SHOWN, **DRAWN}))
def test_a_secret_by_its_shape_survives_on_no_screen(seed: int, ways: list[str]) -> None:
    chance = random.Random(seed)
    secrets, commands = [], []
    for way in ways:
        secrets.append(filled(chance.choice(SHAPES), chance))
        commands.append(Ran("show", [*noise(chance), *WAYS[way](secrets[-1], chance), *noise(chance)]))
    with served(commands, []) as session:
        result = session.redact()
        assert result.withheld is None
        recording = (session.served / "recording.cast").read_text()
        (session.served / "session.log").unlink()
        seen = seen_in(session.served)
        for secret, way in zip(secrets, ways, strict=True):
            assert secret not in seen, way
            assert not is_seen(letters(secret)[-24:], letters(recording)), way


@settings(FAST, max_examples=30)
@given(seed=SEEDS)
def test_the_body_of_a_generated_key_survives_nowhere_and_its_markers_stay(seed: int) -> None:
    chance = random.Random(seed)
    bodies = [filled(chance.choice(BODIES), chance) for _ in range(PLANTED)]
    commands = [Ran("keygen", [*noise(chance), *line(body, chance)]) for body in bodies]
    with served(commands, []) as session:
        result = session.redact()
        assert result.withheld is None
        assert result.key_material
        seen = seen_in(session.served)
        printed = session.text("session.log")
        for body in bodies:
            marks = [part for part in body.split("\r\n") if "-----" in part]
            assert all(mark in printed for mark in marks)
            for word in body.replace('"', "\r\n").split("\r\n"):
                if len(word) >= 40 and "-----" not in word and not word.startswith("{") and word in body.split("d")[-1]:
                    assert not is_seen(word[-40:], seen), word


@settings(FAST, max_examples=30)
@given(seed=SEEDS)
def test_a_session_without_secrets_passes_to_the_byte(seed: int) -> None:
    chance = random.Random(seed)
    commands = []
    for _ in range(PLANTED):
        digest = f"{chance.getrandbits(256):064x}"
        shown = [
            f"sha256:{digest}",
            f"commit {digest[:40]}",
            "data:image/png;base64,iVBORw0KGgo" + digest * 3,
            "80%\r90%\r",
        ]
        text = _way(chance)(chance.choice(shown), chance)
        commands.append(Ran(f"git show {digest[:8]}", [*noise(chance), *text]))
    with served(commands, [KnownSecret("the key", "".join(chance.choice(LETTERS) for _ in range(40)))]) as session:
        result = session.redact()
        assert result.withheld is None
        assert [file.name for file in result.files if file.changed] == []


def _way(chance: random.Random) -> Way:
    return WAYS[chance.choice(sorted({**SHOWN, **DRAWN}))]


@settings(FAST, max_examples=15)
@given(seed=SEEDS, ways=st.permutations(sorted(WAYS)))
def test_the_proof_alone_finds_what_was_not_masked(seed: int, ways: list[str]) -> None:
    chance = random.Random(seed)
    secret = "sk-ant-api03-" + "".join(chance.choice(string.ascii_letters + string.digits) for _ in range(80))
    known = (KnownSecret("the key", secret),)
    for way in ways[:7]:
        printed = [*noise(chance), *WAYS[way](secret, chance), *noise(chance)]
        with served([Ran("show", printed)], list(known)) as session:
            assert Proof(rules(), known, COLUMNS, ROWS).of_recording(session.raw / "recording.cast"), way
