from __future__ import annotations

import pytest

from argusic.errors import CheckFailed, InputError
from argusic.evidence.layout import COMMANDS_NAME
from argusic.evidence.reel.lawful import faults_of_edits, faults_of_source
from argusic.evidence.reel.planning import plan
from argusic.evidence.reel.telling import failed, left_out
from argusic.records.run import Ending
from tests.evidence.reel.sessions import Making, listed
from tests.site.fixture_database import FAIL, Command


def test_a_short_session_is_shown_whole_at_its_own_speed(making: Making) -> None:
    source = making().source()
    made = plan(source)
    assert made.pace.speed == 1
    assert made.trims == ()
    # Forty seconds of installing: twenty before its one output, twenty behind.
    assert (5.0 + 0.5, 25.5) in made.times.pauses


def test_captions_tell_the_failure_and_its_fix_from_the_table_and_the_report(making: Making) -> None:
    said = [(one.command, one.kind, one.says) for one in plan(making().source()).captions]
    assert said == [
        (2, "failed", "Command 2 failed with exit status 1"),
        (2, "reported", 'The report: "no module named wheel"; fixed, it says, by "installed wheel"'),
        (4, "again", "Fixed: command 4 is command 2 again, and succeeds"),
    ]


def test_a_command_that_never_ended_is_a_failure(making: Making) -> None:
    source = making((Command("sleep 9", "", None, 9.0),), report=FAIL).source()
    assert [one.says for one in plan(source).captions] == ["Command 1 had not ended when the attempt did"]


@pytest.mark.parametrize(("count", "seconds", "length"), [(40, 20.0, 60.0), (300, 60.0, 60.0), (300, 60.0, 30.0)])
def test_a_long_session_is_made_short_without_losing_a_failure(
    making: Making, count: int, seconds: float, length: float
) -> None:
    # No pause is cut short: it is all to be watched.
    session = [Command(f"make step-{n}", "done\n", 2 if n % 20 == 7 else 0, seconds) for n in range(count)]
    source = making(session, report=FAIL).source()
    made = plan(source, length=length, pause=60.0)
    assert made.times.length <= length
    skipped = {row.number for trim in made.trims for row in left_out(trim, source.rows)}
    assert not any(failed(row) for row in source.rows if row.number in skipped)
    assert {one.command for one in made.captions} >= {row.number for row in source.rows if failed(row)}
    assert list(faults_of_edits(listed(source, made), source)) == []
    assert list(faults_of_source(listed(source, made), source)) == []


def test_a_speed_that_was_asked_for_is_kept(making: Making) -> None:
    session = [Command(f"make step-{n}", "done\n", 0, 20.0) for n in range(40)]
    made = plan(making(session).source(), speed=3.0, pause=60.0)
    assert made.pace.speed == 3.0
    assert made.times.length <= 60
    assert made.trims


def test_too_many_failures_for_any_reel_are_said_to_be(making: Making) -> None:
    session = [Command(f"false {n}", "", 1, 1.0) for n in range(2100)]
    with pytest.raises(InputError, match=r"the shortest lawful reel of run .* has 6\d\d seconds; at most 600"):
        plan(making(session, report=FAIL).source())


def test_what_is_withheld_is_not_shown(making: Making) -> None:
    run = making(ending=Ending(how="withheld"))
    with pytest.raises(InputError, match="is withheld: it could not be proven free of a live credential"):
        run.source()


def test_evidence_that_does_not_verify_is_not_shown(making: Making) -> None:
    run = making()
    recording = run.database.root / run.folder / "recording.cast"
    recording.write_bytes(recording.read_bytes() + b"\n")
    with pytest.raises(
        CheckFailed, match=r"the evidence of run .* does not verify: .*recording\.cast: it is not the file"
    ):
        run.source()


def test_a_run_whose_table_is_lost_says_so(making: Making) -> None:
    with pytest.raises(CheckFailed, match=f"{COMMANDS_NAME}: it is missing in the evidence store"):
        making(keep=False).source()


def test_a_terminal_of_any_size_is_not_drawn(making: Making) -> None:
    cast = b'{"version": 2, "width": 9000, "height": 9000}\n[0.5, "m", "command 1"]\n[1, "o", "x"]\n'
    with pytest.raises(InputError, match="has 9000 by 9000 characters; at most 300 by 120 are drawn"):
        making(cast=cast).source()


def test_a_recording_of_nothing_is_not_shown(making: Making) -> None:
    with pytest.raises(CheckFailed, match="shows nothing"):
        making(cast=b"").source()
