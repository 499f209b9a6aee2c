from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

from argusic.records.run import Ending
from argusic.runs.recorded_session import COMMAND_BYTES
from argusic.runs.session import AttemptOver, Session
from tests.runs.local_sandbox import LocalSandbox
from tests.runs.recording import Begin, Recording


def alive(pid: int) -> bool:
    """Return whether a process runs: neither gone nor dead and waiting to be collected."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def eventually(what: Callable[[], bool], seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def local(recording: Recording) -> LocalSandbox:
    assert isinstance(recording.sandbox, LocalSandbox)
    return recording.sandbox


def test_it_is_a_session(begin: Begin) -> None:
    session: Session = begin().session
    result = session.run("echo hello")
    assert (result.number, result.command, result.exit_status, result.output) == (1, "echo hello", 0, "hello\n")
    assert result.ok


@pytest.mark.parametrize(("command", "status"), [("exit 7", 7), ("kill -9 $$", 137), ("/no/such", 127), ("false", 1)])
def test_the_exit_status_is_the_shells(begin: Begin, command: str, status: int) -> None:
    result = begin().session.run(command)
    assert result.exit_status == status
    assert result.cut is None and not result.ok


def test_each_command_is_a_fresh_shell_in_the_home_folder(begin: Begin) -> None:
    session = begin().session
    home = session.run("pwd; x=1; cd /; export Y=2").output
    assert session.run("pwd; echo [$x$Y]").output == f"{home}[]\n"


def test_a_command_beyond_its_own_time_limit_is_cut_and_the_attempt_goes_on(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run("echo begun; sleep 60; echo never", timeout=0.5)
    assert (result.exit_status, result.cut, result.output) == (None, "command_time", "begun\n")
    assert 0.5 <= result.seconds < 3
    assert recording.session.run("echo on").output == "on\n"
    assert recording.end().complete
    assert recording.rows()[0].cut == "command_time"
    assert recording.session.limits_hit[0].limit == "command_time"
    assert recording.session.ended is None


def test_a_command_that_ignores_signals_is_killed_with_its_children(begin: Begin) -> None:
    recording = begin()
    result = recording.session.run("trap '' TERM HUP INT; sleep 61 & echo $!; wait", timeout=0.5)
    assert result.cut == "command_time"
    assert eventually(lambda: not alive(int(result.output)))


def test_at_the_budgets_end_the_command_is_killed_and_the_attempt_is_over(begin: Begin) -> None:
    recording = begin(budget_seconds=0.6)
    with pytest.raises(AttemptOver):
        recording.session.run("echo begun; sleep 60", timeout=30)
    assert recording.session.ended == Ending(how="time_limit")
    assert recording.session.remaining == 0
    assert not alive(local(recording).processes[0].pid)
    with pytest.raises(AttemptOver):
        recording.session.run("true")
    with pytest.raises(AttemptOver):
        recording.session.note("late")
    coverage = recording.end()
    assert coverage.complete, "a timeout is a complete attempt"
    assert [(row.exit_status, row.cut) for row in recording.rows()] == [(None, None)]


def test_output_without_end_does_not_hide_the_budgets_end(begin: Begin) -> None:
    recording = begin(budget_seconds=0.5)
    began = time.monotonic()
    with pytest.raises(AttemptOver):
        recording.session.run("yes | head -c 40000000; yes $'\\e[1mx\\b\\r'")
    assert time.monotonic() - began < 5
    assert recording.session.ended == Ending(how="time_limit")


def test_cancelling_kills_the_command_and_ends_the_attempt(begin: Begin) -> None:
    recording = begin()
    threading.Timer(0.3, recording.cancel.set).start()
    began = time.monotonic()
    with pytest.raises(AttemptOver):
        recording.session.run("sleep 60")
    assert time.monotonic() - began < 3
    assert recording.session.ended == Ending(how="cancelled")
    assert not alive(local(recording).processes[0].pid)


def test_a_sandbox_that_is_gone_ends_the_attempt_with_its_reason(begin: Begin) -> None:
    recording = begin()
    recording.session.run("true")
    local(recording).gone = Ending(how="sandbox_destroyed", detail="It is gone.")
    with pytest.raises(AttemptOver):
        recording.session.run("true")
    assert recording.session.ended == Ending(how="sandbox_destroyed", detail="It is gone.")


def test_a_sandbox_that_dies_under_a_command_ends_the_attempt_with_its_reason(begin: Begin) -> None:
    recording = begin()

    def lose() -> None:
        local(recording).gone = Ending(how="memory_limit")
        local(recording).processes[0].kill()

    threading.Timer(0.3, lose).start()
    with pytest.raises(AttemptOver):
        recording.session.run("sleep 60")
    assert recording.session.ended == Ending(how="memory_limit")
    assert recording.end().complete


@pytest.mark.parametrize("redirected", [True, False])
def test_a_background_process_neither_holds_up_the_end_nor_dies_with_it(begin: Begin, redirected: bool) -> None:
    recording = begin()
    where = ">/dev/null 2>&1 </dev/null" if redirected else ""
    began = time.monotonic()
    result = recording.session.run(f"sleep 62 {where} & echo $!")
    assert time.monotonic() - began < 2
    pid = int(result.output)
    recording.session.run("sleep 0.3")
    assert alive(pid)
    assert result.exit_status == 0
    os.kill(pid, 9)


def test_what_a_background_process_prints_later_is_recorded_and_belongs_to_no_result(begin: Begin) -> None:
    recording = begin()
    first = recording.session.run("(sleep 0.4; echo from behind; sleep 63) & echo $!")
    second = recording.session.run("printf front; sleep 1; echo '!'")
    assert recording.end().complete
    assert first.output.strip().isdigit()
    assert second.output == "front!\n"
    assert "from behind\r\n" in recording.printed()
    assert recording.log().split("\n")[-4:] == ["$ printf front; sleep 1; echo '!'", "from behind", "front!", ""]


def test_a_background_process_that_prints_without_end_holds_up_nothing(begin: Begin) -> None:
    recording = begin()
    began = time.monotonic()
    recording.session.run("yes & sleep 0.1; echo done")
    assert recording.session.run("echo next").output == "next\n"
    assert time.monotonic() - began < 5
    assert recording.end().complete


def test_a_command_that_closes_its_terminal_is_waited_for(begin: Begin) -> None:
    result = begin().session.run("exec >/dev/null 2>&1 </dev/null; sleep 0.5; exit 4")
    assert result.exit_status == 4
    assert result.seconds >= 0.5


def test_many_terminals_left_open_do_not_use_up_the_hosts(begin: Begin) -> None:
    recording = begin()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    left = [recording.session.run("sleep 30 & echo $!").output.strip() for _ in range(70)]
    assert len(os.listdir("/proc/self/fd")) - before <= 66  # noqa: PTH208
    recording.session.run(f"kill {' '.join(left)}")
    assert recording.end().complete


def test_a_command_line_too_long_for_a_process_is_answered_as_a_shell_would(begin: Begin) -> None:
    recording = begin()
    just_fits = recording.session.run("true " + "x" * (COMMAND_BYTES - 5))
    too_long = recording.session.run("true " + "x" * (COMMAND_BYTES - 4))
    assert just_fits.ok
    assert (too_long.exit_status, too_long.output) == (126, "bash: the command line is too long\n")
    assert recording.end().complete


@pytest.mark.parametrize("command", ["echo \0", "echo \ud800"])
def test_a_command_that_no_shell_can_be_given_is_refused(begin: Begin, command: str) -> None:
    recording = begin()
    with pytest.raises(ValueError):
        recording.session.run(command)
    assert recording.end().commands == 0


def test_a_note_is_a_marker_that_cannot_pass_for_the_recorders_own(begin: Begin) -> None:
    recording = begin()
    recording.session.note("end")
    recording.session.note("command 1")
    recording.session.note("x\x1b[2J" * 1000)
    assert recording.end().complete
    markers = [event.data for event in recording.events() if event.kind == "m"]
    assert markers[:3] == ["begin", "note: end", "note: command 1"]
    assert "\x1b" not in markers[3] and len(markers[3]) < 2000


def test_remaining_counts_down(begin: Begin) -> None:
    session = begin(budget_seconds=10).session
    first = session.remaining
    session.run("sleep 0.2")
    assert 9 < session.remaining <= first - 0.2
