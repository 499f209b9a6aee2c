"""What an agent's own program ran becomes rows: each command once, as a line where a shell was given one."""

from __future__ import annotations

import pytest

from argusic.runs.inner import Inner, inner_commands
from argusic.runs.told import read_told
from argusic.sandbox.protocol import Started

OWN = "agent --go"


def started(*each: tuple[tuple[str, ...], int, int | None]) -> list[Started]:
    """Programs by their words, their process and what started them."""
    return [Started(argv, process, at, at + 1.0, 0, above) for at, (argv, process, above) in enumerate(each)]


def commands(*each: tuple[tuple[str, ...], int, int | None]) -> list[str]:
    return [one.command for one in inner_commands(started(*each), OWN, str)]


OWN_SHELL = (("/bin/bash", "-c", OWN), 10, None)


def test_the_program_itself_is_no_row() -> None:
    assert commands(OWN_SHELL, (("agent", "--go"), 10, 0)) == []
    assert commands(OWN_SHELL, (("node", "agent"), 11, 0), (("agent", "--native"), 11, 1)) == []


def test_what_the_program_starts_is_a_row() -> None:
    agent = (("agent", "--go"), 10, 0)
    assert commands(OWN_SHELL, agent, (("git", "log", "two words"), 12, 1)) == ["git log 'two words'"]


def test_a_line_given_to_a_shell_is_the_row_and_what_it_comes_to_is_inside_of_it() -> None:
    agent = (("agent", "--go"), 10, 0)
    line = (("/bin/bash", "-lc", "cd x && pytest"), 12, 1)
    assert commands(OWN_SHELL, agent, line, (("pytest",), 13, 2), (("sh", "-c", "deeper"), 14, 3)) == ["cd x && pytest"]
    assert commands(OWN_SHELL, agent, line, (("pytest",), 12, 2)) == ["cd x && pytest"]


def test_what_an_interactive_shell_starts_is_listed_one_by_one() -> None:
    agent = (("agent", "--go"), 10, 0)
    shell = (("bash", "-i"), 12, 1)
    assert commands(OWN_SHELL, agent, shell, (("ls",), 13, 2), (("sh", "x.sh"), 14, 2)) == ["bash -i", "ls", "sh x.sh"]


def test_what_a_program_without_a_shell_starts_is_inside_of_it() -> None:
    agent = (("agent", "--go"), 10, 0)
    assert commands(OWN_SHELL, agent, (("git", "fetch"), 12, 1), (("git-remote-https",), 13, 2)) == ["git fetch"]
    assert commands(OWN_SHELL, agent, (("sh", "x.sh"), 12, 1), (("ls",), 13, 2)) == ["sh x.sh"]


def test_what_only_launches_a_shell_gives_way_to_its_line() -> None:
    agent = (("agent", "--go"), 10, 0)
    assert commands(OWN_SHELL, agent, (("helper", "--start"), 12, 1), (("bash", "-c", "ls"), 12, 2)) == ["ls"]


def test_the_program_may_hand_all_it_was_given_on_to_another() -> None:
    agent = (("node", "/bin/agent", "exec", "-"), 10, 0)
    for again in (("/lib/agent", "exec", "-"), ("node", "--expose-gc", "/lib/cli.js", "exec", "-")):
        assert commands(OWN_SHELL, agent, (again, 12, 1), (("sh", "-c", "ls"), 13, 2)) == ["ls"]


def test_what_the_program_wraps_a_command_in_is_kept_beside_it() -> None:
    seen = started(OWN_SHELL, (("agent", "--go"), 10, 0), (("bash", "-c", "set up; ls; tidy"), 12, 1))
    (one,) = inner_commands(seen, OWN, lambda line: line.split("; ")[1])
    assert (one.command, one.line) == ("ls", "set up; ls; tidy")


def test_what_lost_its_parent_is_listed() -> None:
    agent = (("agent", "--go"), 10, 0)
    assert commands(OWN_SHELL, agent, (("tmux", "new"), 20, None)) == ["tmux new"]


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (("sh", "-c", "a b"), "a b"),
        (("bash", "-c", "-l", "a b"), "a b"),
        (("bash", "-o", "pipefail", "-ec", "a b"), "a b"),
        (("zsh", "--login", "-c", "a b", "name"), "a b"),
        (("bash", "script.sh", "-c", "x"), "bash script.sh -c x"),
        (("bash",), "bash"),
        (("python3", "-c", "a b"), "python3 -c 'a b'"),
    ],
)
def test_the_line_of_a_shell_is_found(argv: tuple[str, ...], command: str) -> None:
    assert commands(OWN_SHELL, (("agent", "--go"), 10, 0), (argv, 12, 1)) == [command]


def test_what_shells_inside_wrote_down_is_read() -> None:
    data = b"begin\x0012\x00100.5\0ls -l\0begin\x0013\x00101.0\0sleep 9\0end\x0012\x00100.75\x003\0"
    assert read_told(data, -100.0, str) == [Inner("ls -l", None, 0.5, 0.75, 3), Inner("sleep 9", None, 1.0, None, None)]


@pytest.mark.parametrize(
    "data", [b"", b"begin\x00", b"\0\0\0\0\0\0", b"end\x001\x002\x003\0", b"begin\x001\0x\0y\0", b"\xff" * 99]
)
def test_what_is_no_record_of_a_shell_is_left_out(data: bytes) -> None:
    assert read_told(data, 0.0, str) == []
