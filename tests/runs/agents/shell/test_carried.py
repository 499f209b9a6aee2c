"""One shell that lasts, of commands that each are a process of their own."""

from __future__ import annotations

import pytest

from argusic.runs.agents.shell.carried import ENVIRONMENT, SET_UP
from tests.runs.agents.conftest import ShellSession


class Lasting:
    def __init__(self, session: ShellSession) -> None:
        self.session = session
        assert session.run(SET_UP).ok

    def __call__(self, command: str, timeout: float = 20) -> tuple[int | None, str]:
        done = self.session.run(command, environment=ENVIRONMENT, timeout=timeout)
        return done.exit_status, done.output.strip()


@pytest.fixture
def shell(session: ShellSession) -> Lasting:
    return Lasting(session)


@pytest.mark.parametrize(
    ("first", "then", "shows"),
    [
        ("mkdir -p 'a b'/c && cd 'a b'/c", "basename \"$PWD\"; cd - > /dev/null; basename \"$PWD\"", "c\nhome"),
        ("X=5; export Y='two\n\"lines\" $HOME'", 'echo "$X $Y"', '5 two\n"lines" $HOME'),
        ("export Y=1", "env | grep ^Y=", "Y=1"),
        ("list=(a 'b c'); declare -A table=([k]='v w')", 'echo "${list[1]} ${table[k]}"', "b c v w"),
        ("greet() { echo \"hello $1\"; }", "greet you", "hello you"),
        ("umask 077", "umask", "0077"),
        ("unset PAGER; IFS=,", "echo \"[$IFS] ${PAGER-none}\"", "[,] cat"),
        ("false; set -eu; X=1", "echo $- $X; false; echo on", "hBc 1\non"),
        ("X=1; exit 0", "echo $X", "1"),
        ("sleep 30 & job=$!", "kill $job && echo killed", "killed"),
        ("cd \"$(mktemp -d)\" && rmdir \"$PWD\"", "basename \"$PWD\"", "home"),
    ],
)  # fmt: skip
def test_what_a_command_leaves_the_next_one_finds(shell: Lasting, first: str, then: str, shows: str) -> None:
    shell(first)
    assert shell(then)[1].splitlines()[-len(shows.splitlines()) :] == shows.splitlines()


@pytest.mark.parametrize(
    ("command", "status"), [("exit 7", 7), ("false", 1), ("true", 0), ("nosuchcommand", 127), ("kill -9 $$", 137)]
)
def test_a_command_s_status_is_its_own(shell: Lasting, command: str, status: int) -> None:
    assert shell(command)[0] == status


@pytest.mark.parametrize(
    "command", ["X=2; kill -9 $$", "X=2; sleep 30", "X=2; exec true", "trap 'echo mine' EXIT; X=2"]
)
def test_of_a_command_that_does_not_end_regularly_nothing_is_carried(shell: Lasting, command: str) -> None:
    shell("X=1; cd subject")
    shell(command, timeout=1)
    assert shell('echo "$X $(basename "$PWD")"') == (0, "1 subject")


def test_input_is_at_its_end(shell: Lasting) -> None:
    assert shell("read line; echo $?; cat; wc -c") == (0, "1\n0")


def test_programs_that_a_command_starts_are_not_touched(shell: Lasting) -> None:
    shell("X=1")
    assert shell("bash -c 'echo \"[${X-}] [${BASH_ENV-}]\"; type __keep 2> /dev/null || echo none'") == (
        0,
        "[] []\nnone",
    )


def test_without_its_files_commands_still_run(shell: Lasting) -> None:
    shell("rm -rf ~/.shell")
    assert shell("X=1; echo on") == (0, "on")
    assert shell('echo "${X-none}"') == (0, "none")
