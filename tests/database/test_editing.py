"""Files that people edit keep their order, comments and spelling; only what was changed changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.database.codec import dump, parse
from argusic.database.editing import Editable, edit
from argusic.errors import InputError
from argusic.records.agent import Agent

AGENT = b"""# The agent without a model.
schema: 1

title: 'Newcomer'   # shown on the board
agent: newcomer
role: agent

program: "none"
implementation: newcomer
# The end.
"""

SPELLINGS = b"""a: 0o17
b: 0x1F
c: 1.10
d: 1234567e3
e: 2026-11-30T01:45:00Z
f: 12:30:00
g: no
h: +1
i: 007
j: .5
k: 1_000
l: [1, two,  three]
m: {x: 1,   y: 2}
n: >
  folded
  text
o: |
  block
p: null
q: true
r:
  - 1.50
  # between
  - s: 2

    t: 3
"""


@pytest.mark.parametrize("data", [AGENT, SPELLINGS, SPELLINGS.replace(b"  - ", b"- ").replace(b"    t", b"  t")])
def test_opening_and_writing_changes_no_byte(data: bytes) -> None:
    assert Editable(data, file="x.yaml").to_bytes() == data


def test_one_change_changes_one_line() -> None:
    editable = Editable(SPELLINGS.replace(b"[1, two,  three]", b"[1, two]").replace(b",   y", b", y"), file="x.yaml")
    before = editable.to_bytes().splitlines()
    editable.content["g"] = "yes"
    after = editable.to_bytes().splitlines()
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == [(b"g: no", b'g: "yes"')]


def test_a_layout_that_cannot_be_kept_is_not_edited() -> None:
    editable = Editable(SPELLINGS, file="x.yaml")
    editable.content["g"] = "yes"
    with pytest.raises(InputError, match="by hand"):
        editable.to_bytes()


def test_what_is_added_is_quoted_like_the_rest_of_the_database() -> None:
    editable = Editable(AGENT, file="x.yaml")
    editable.content["model"] = "1.10"
    editable.content["sponsor"] = "one\ntwo\n"
    written = editable.to_bytes()
    assert written.startswith(AGENT.removesuffix(b"# The end.\n"))
    assert b'model: "1.10"\n' in written
    assert b"sponsor: |\n  one\n  two\n" in written
    assert parse(written, file="x.yaml")["model"] == "1.10"


def test_hostile_input_is_refused_before_the_second_loader_sees_it() -> None:
    for data in (b"a: &a [1]\nb: *a\n", b"a: !!python/object:os.Thing {}\n", b"a: 1\na: 2\n", b"[" * 100_000):
        with pytest.raises(InputError):
            Editable(data, file="x.yaml")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_can_be_put_into_a_file(text: str) -> None:
    data = b"a: 1\nb: 'two' # two\nc: \"three\"\nd: |\n  four\ne: >-\n  five\n  folded\nf: six # six\ng: last\n"
    editable = Editable(data, file="x.yaml")
    for key in "abcdef":
        editable.content[key] = text
    assert parse(editable.to_bytes(), file="x.yaml") == dict.fromkeys("abcdef", text) | {"g": "last"}


def test_a_comment_that_would_be_lost_is_left_to_a_person() -> None:
    editable = Editable(b"a: |\n  one\n  two\n# About b.\nb: 1\n", file="x.yaml")
    editable.content["b"] = 2
    assert editable.to_bytes() == b"a: |\n  one\n  two\n# About b.\nb: 2\n"
    editable.content["a"] = "three"
    with pytest.raises(InputError, match="by hand"):
        editable.to_bytes()


def test_an_edit_is_written_only_when_the_record_is_still_valid(tmp_path: Path) -> None:
    path = tmp_path / "newcomer.yaml"
    path.write_bytes(AGENT)
    with pytest.raises(InputError, match="role"), edit(path, Agent, root=tmp_path) as content:
        content["role"] = "judge"
    assert path.read_bytes() == AGENT
    with edit(path, Agent) as content:
        content["role"] = "control"
    assert path.read_bytes() == AGENT.replace(b"role: agent", b"role: control")


def test_an_edit_that_changes_nothing_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "newcomer.yaml"
    path.write_bytes(AGENT)
    before = path.stat()
    with edit(path, Agent):
        pass
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_the_program_wrote_can_be_edited() -> None:
    agent = Agent(agent="a1", title="1.10", role="agent", program="none", implementation="newcomer", sponsor="a\nb")
    editable = Editable(dump(agent), file="x.yaml")
    editable.content["title"] = "no"
    assert editable.to_bytes() == dump(agent.model_copy(update={"title": "no"}))
