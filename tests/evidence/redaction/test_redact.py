"""Redaction of whole runs: what is changed, what is not, what is said of it, and what withholds."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from pathlib import Path

import pytest

from argusic.evidence.castreader import CastReader
from argusic.evidence.commands import read_commands
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, RECORDING_NAME, REPORT_NAME, TRAJECTORY_NAME
from argusic.evidence.redaction.banners import banners
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
from tests.evidence.redaction.examples import filled
from tests.evidence.redaction.planting import letters
from tests.evidence.redaction.sessions import Ran, Served, file_of, masks

KEY = filled("sk-ant-api03-{80}", random.Random(5))
TOKEN = filled("ghp_{36}", random.Random(6))
KNOWN = [KnownSecret("the model key", KEY)]
PEM = filled("-----BEGIN EC PRIVATE KEY-----\n{64b}\n{64b}\n{40b}==\n-----END EC PRIVATE KEY-----", random.Random(7))


def unmasked(served: str, raw: str) -> None:
    """Check that two texts are the same but for masks, character by character."""
    assert len(served) == len(raw)
    assert all(a == b or a == "X" for a, b in zip(served, raw, strict=True))


def test_the_difference_is_the_masks_alone(tmp_path: Path) -> None:
    session = Served(
        tmp_path,
        [
            Ran(
                f"export KEY={KEY}\necho '{TOKEN}'",
                ["é ━━ \x1b[1m", KEY[:9], KEY[9:] + "\x1b[0m\t", f"\r\n{TOKEN}\r\n"],
            )
        ],
        KNOWN,
    )
    result = session.redact()
    assert result.withheld is None
    for name in (RECORDING_NAME, LOG_NAME, COMMANDS_NAME):
        assert file_of(result, name).changed
        unmasked(session.text(name), (session.raw / name).read_text())
    assert masks(result) == {"the model key": 2, "github-token": 2}


def test_times_kinds_and_order_of_events_stay(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("env", list(KEY))], KNOWN)
    session.redact()
    events = []
    for folder in (session.raw, session.served):
        with (folder / RECORDING_NAME).open("rb") as stream:
            reader = CastReader(stream, "it")
            events.append([(event.time, event.kind, len(event.data)) for event in reader])
            assert reader.findings == []
    assert events[0] == events[1]


def test_a_command_is_masked_alike_in_table_recording_and_log(tmp_path: Path) -> None:
    multi = f"cat > key.pem <<END\n{PEM}\nEND"
    # The credential is found in the echo alone, where the two halves meet what was printed before and after.
    odd = [Ran(multi, []), Ran(f"curl -H 'x-api-key: {KEY}'\n", ["ok\r\n"]), Ran(KEY[:50] + "\n" + KEY[50:], [])]
    session = Served(tmp_path, odd, KNOWN)
    result = session.redact()
    assert result.withheld is None
    raw, served = session.coverage()
    assert raw == served
    assert served.complete
    commands = [row.command for row in read_commands(session.served / COMMANDS_NAME)]
    assert letters(KEY)[5:25] not in letters("".join(commands))
    assert commands[0].startswith("cat > key.pem <<END\n-----BEGIN EC PRIVATE KEY-----\nXXXX")
    assert [row.log_line for row in read_commands(session.served / COMMANDS_NAME)] == [
        row.log_line for row in read_commands(session.raw / COMMANDS_NAME)
    ]


def test_a_mask_that_only_the_echo_shows_to_be_due_reaches_the_table(tmp_path: Path) -> None:
    half = TOKEN[:12]
    # The terminal's wrap joins the end of the command's full line to what the command printed.
    command = "echo ".ljust(78 - len(half)) + half
    session = Served(tmp_path, [Ran(command, [TOKEN[12:] + "\r\n"])])
    session.redact()
    raw, served = session.coverage()
    assert raw == served
    assert TOKEN[12:] not in session.text()
    assert half not in session.text(COMMANDS_NAME)


def test_key_material_is_masked_its_markers_stay_and_the_run_is_not_withheld(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("keygen", [PEM.replace("\n", "\r\n"), "\r\nDone generating\r\n"])])
    result = session.redact()
    assert result.withheld is None
    assert result.key_material
    log = session.text(LOG_NAME)
    assert "-----BEGIN EC PRIVATE KEY-----\nXXXX" in log
    assert "==\n-----END EC PRIVATE KEY-----\nDone generating\n" in log.replace("XX\n", "==\n")
    assert not any(line in log for line in PEM.splitlines()[1:-1])


@pytest.mark.parametrize("part", ["head", "tail"])
def test_a_body_beside_its_only_marker_is_masked(tmp_path: Path, part: str) -> None:
    lines = PEM.splitlines()
    shown = lines[:3] if part == "head" else lines[-3:]
    session = Served(tmp_path, [Ran(part, ["\r\n".join(shown) + "\r\nSome words\r\n"])])
    assert session.redact().withheld is None
    assert lines[2][:20] not in session.text()
    assert "Some words" in session.text()


def test_report_and_trajectory_are_masked_and_still_parse(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("true", [])], KNOWN)
    (session.raw / REPORT_NAME).write_text(f"installed: true\nfinal_state: the key is {KEY}\n")
    shown = {"steps": [{"output": f"\x1b[1m{KEY[:30]}\x1b[0m{KEY[30:]}\n{PEM}", "at": 1.5}, {"é": TOKEN}]}
    (session.raw / TRAJECTORY_NAME).write_text(json.dumps(shown))
    result = session.redact()
    assert result.withheld is None
    assert session.text(REPORT_NAME) == f"installed: true\nfinal_state: the key is {'X' * len(KEY)}\n"
    steps = json.loads(session.text(TRAJECTORY_NAME))["steps"]
    assert steps[0]["output"].startswith("\x1b[1m" + "X" * 30 + "\x1b[0m" + "X" * (len(KEY) - 30) + "\n-----BEGIN EC")
    assert PEM.splitlines()[1] not in steps[0]["output"]
    assert steps[1] == {"é": "X" * len(TOKEN)}
    assert {file.name: file.changed for file in result.files}[TRAJECTORY_NAME]


def test_what_is_in_markers_titles_and_broken_lines_is_masked_too(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("true", [f"\x1b]0;{KEY}\x07"])], KNOWN, notes=[f"found {TOKEN}"])
    recording = session.raw / RECORDING_NAME
    recording.write_bytes(recording.read_bytes() + f'[99.0, "o", "{TOKEN}'.encode())
    assert session.redact().withheld is None
    assert TOKEN not in session.text()
    assert KEY not in session.text()


def packed(form: str) -> str:
    data = gzip.compress(f"export KEY={KEY}\n".encode(), mtime=0)
    return base64.b64encode(data).decode() if form == "base64" else data.hex()


@pytest.mark.parametrize("form", ["base64", "hex"])
def test_a_packed_credential_is_masked_where_it_can_be_opened(tmp_path: Path, form: str) -> None:
    session = Served(tmp_path, [Ran("pack", [packed(form) + "\r\n"])], KNOWN)
    assert session.redact().withheld is None
    assert packed(form)[:30] not in session.text()


OPAQUE = [
    "U2FsdGVkX1" + "aB3+" * 30,
    "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA" + "aB3+" * 30,
    "KLUv/" + "aB3+" * 30,
    "-----BEGIN AGE ENCRYPTED FILE-----\r\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+",
]


@pytest.mark.parametrize("form", OPAQUE)
def test_a_form_that_cannot_be_opened_withholds_where_there_was_a_credential(tmp_path: Path, form: str) -> None:
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    held = Served(tmp_path / "with", [Ran("pack", [form + "\r\n"])], KNOWN).redact()
    assert held.withheld is not None
    assert "cannot be searched" in held.withheld
    assert Served(tmp_path / "without", [Ran("pack", [form + "\r\n"])]).redact().withheld is None


def test_a_digest_that_begins_as_a_packed_form_does_withholds_nothing(tmp_path: Path) -> None:
    chance = random.Random(9)
    digests = [start + filled(rest, chance) for start, rest in (("eJw", "{40}="), ("eNr", "{83}=="), ("789c", "{60x}"))]
    session = Served(tmp_path, [Ran("sums", [digest + "  file\r\n" for digest in digests])], KNOWN)
    assert session.redact().withheld is None


def test_a_packed_credential_that_is_cut_off_does_not_survive(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("pack", [packed("base64")[:130] + "\r\n"])], KNOWN)
    result = session.redact()
    assert result.withheld is not None or packed("base64")[40:60] not in session.text()


def test_a_recording_that_is_none_is_searched_all_the_same(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("true", [])], KNOWN)
    (session.raw / RECORDING_NAME).write_text("x\n" * 20_000 + KEY + "\n")
    session.redact()
    assert session.text() == "x\n" * 20_000 + "X" * len(KEY) + "\n"


def test_a_credential_too_short_to_be_told_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        KnownSecret("short", "hunter2")


def test_a_credential_is_in_no_representation_of_itself() -> None:
    assert KEY not in repr(KNOWN)


def test_the_public_beginning_of_a_key_is_no_piece_of_it(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("help", ["Keys begin with sk-ant-api03- and are long.\r\n" * 5])], KNOWN)
    result = session.redact()
    assert result.withheld is None
    assert not any(file.changed for file in result.files)


def test_a_run_without_any_file_has_nothing_to_redact(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert redact(tmp_path / "a", tmp_path / "b", KNOWN).files == ()


@pytest.mark.parametrize("seed", range(60))
def test_nothing_in_a_hostile_recording_makes_it_fail_or_leak(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    session = Served(tmp_path, [Ran("true", [KEY + "\r\n"])], KNOWN)
    recording = session.raw / RECORDING_NAME
    data = bytearray(recording.read_bytes())
    for _ in range(chance.randrange(1, 30)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.choice(
            [
                b"",
                b"\n",
                b"[",
                b'"',
                b"\\",
                b"\\u001b[",
                b"\xff",
                b"\\ud800",
                b"],[",
                b"\\u001b]",
                b"\\u001bP",
                b"{",
                b"\\u001b[999999999;9999H",
            ]
        )
    recording.write_bytes(data)
    result = session.redact()
    if result.withheld is None:
        assert KEY not in session.text()


BANNERS = [
    pytest.param(name, example, kind == "blanked", id=f"{name}: {example[:30]!r}")
    for name, banner in banners().items()
    for kind in ("blanked", "kept")
    for example in getattr(banner, kind)
]


@pytest.mark.parametrize(("program", "example", "blanked"), BANNERS)
def test_the_banner_of_the_agents_program_is_blanked_and_nothing_else(
    tmp_path: Path, program: str, example: str, blanked: bool
) -> None:
    shown = example.replace("\n", "\r\n") + "\r\nInstalling openai and claude-code\r\n"
    session = Served(tmp_path, [Ran("agent --model opus", [shown]), Ran("cat banner", [shown])])
    result = redact(session.raw, session.served, program=program)
    assert result.withheld is None
    assert file_of(result, RECORDING_NAME).banner == blanked
    raw, served = session.coverage()
    assert raw == served
    first, second = session.text(LOG_NAME).split("$ cat banner\n")
    assert first.startswith("$ agent --model opus\n")
    assert example.split("\n")[0] in second
    assert "Installing openai and claude-code" in first
    wanted = re.sub(r"[^\n]", " ", example) if blanked else example
    assert first.removeprefix("$ agent --model opus\n").startswith(wanted + "\n")
    assert session.text(COMMANDS_NAME) == (session.raw / COMMANDS_NAME).read_text()


def test_a_banner_stays_where_no_such_program_is_the_agent(tmp_path: Path) -> None:
    session = Served(tmp_path, [Ran("x", [banners()["codex"].blanked[0].replace("\n", "\r\n") + "\r\n"])])
    assert not any(file.changed for file in session.redact().files)
