"""What a stranger's pull request makes a check say is text to GitHub's runner and to Markdown, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from argusic.errors import Finding, Place
from argusic.github.annotations import MOST_ANNOTATED, MOST_LISTED, annotation, commands, notice, summary, warning

#: What the runner takes for the beginning of a command, in text that may hold anything.
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from(":#[]%\r\n,=")), max_size=60) | st.sampled_from(
    [
        "::set-env name=PATH::/tmp",
        "##[add-path]/tmp",
        "x\n::stop-commands::y",
        "%0A::error::z",
        "a%25b",
        "\x1b[2J",
        "\u2028::debug::",
        "</details><img src=x onerror=alert(1)>@everyone",
        "`|`" * 9,
    ]
)


def unescaped(text: str) -> str:
    """Read text as the runner does."""
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_that_is_said_begins_a_command_or_adds_a_property(file: str, field: str, what: str) -> None:
    line = annotation(Finding(Place(file, 7, field), what))
    assert len(line.splitlines()) == 1
    assert "##[" not in line
    matched = re.fullmatch(r"::error file=([^,:]*),line=7::(.*)", line)
    assert matched is not None
    if file.isprintable() and "##[" not in file:
        assert unescaped(matched[1]) == file
    for other in (notice(what), warning(what)):
        assert len(other.splitlines()) == 1 and "##[" not in other


@given(HOSTILE, HOSTILE)
def test_in_a_summary_all_of_it_is_code(file: str, what: str) -> None:
    said = summary([Finding(Place(file), what)], passed="")
    (item,) = said.split("\n")[2:-1]
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", item)
    assert outside == "- : "


def test_what_is_not_annotated_is_counted() -> None:
    found = [Finding(Place("a", number), "is wrong.") for number in range(1, MOST_LISTED + 3)]
    said = list(commands(found))
    assert len(said) == MOST_ANNOTATED + 1
    assert said[-1] == f"::warning::{MOST_LISTED + 2 - MOST_ANNOTATED} more were found; the summary lists them."
    listed = summary(found, passed="")
    assert listed.count("\n- ") == MOST_LISTED and "And 2 more" in listed


def test_a_summary_is_shorter_than_github_takes() -> None:
    found = [Finding(Place("\U0001f600" * 9_000, number), "\U0001f600" * 9_000) for number in range(MOST_LISTED)]
    assert len(summary(found, passed="").encode()) < 2**20
