from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argusic.database.codec import dump
from argusic.errors import InputError
from argusic.evidence.reel.planning import plan
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.telling import says_trim
from argusic.evidence.reel.verifying import lawful_plan, read_list
from argusic.records.reel import EditList
from tests.evidence.reel.sessions import Making, listed


@pytest.fixture
def source(making: Making) -> Source:
    return making().source()


@pytest.fixture
def said(source: Source, tmp_path: Path) -> Callable[[dict[str, Any]], list[str]]:
    """Return what is found in a lawful list of which some fields were changed."""
    edits = listed(source, plan(source))

    def change(fields: dict[str, Any]) -> list[str]:
        path = tmp_path / "x.reel.yaml"
        path.write_bytes(dump(EditList.model_validate(edits.model_dump() | fields)))
        return [str(finding).removeprefix(f"{path}:") for finding in lawful_plan(read_list(path), source)[1]]

    return change


Said = Callable[[dict[str, Any]], list[str]]


def trim(starts: float, ends: float, *numbers: int, says: str | None = None) -> dict[str, Any]:
    return {"starts": starts, "ends": ends, "says": says or says_trim(starts, ends, numbers)}


def test_what_was_planned_is_lawful(said: Said) -> None:
    assert said({}) == []


def test_commands_that_succeeded_may_be_left_out(said: Said) -> None:
    assert said({"trims": [trim(5.5, 45.5, 3)]}) == []


@pytest.mark.parametrize(
    ("trims", "found"),
    [
        ([trim(3.5, 5.5, 2)], "trims[0]: it leaves out command 2, which failed; no failure is left out"),
        (
            [trim(4.0, 5.5)],
            "trims[0].starts: it cuts inside of command 2, which failed; only between commands is allowed",
        ),
        (
            [trim(0.5, 4.5, 1)],
            "trims[0].ends: it cuts inside of command 2, which failed; only between commands is allowed",
        ),
        (
            [trim(10.0, 20.0)],
            "trims[0].starts: it cuts inside of command 3, which succeeded; only between commands is allowed",
        ),
        ([trim(45.5, 47.5, 4)], "trims[0]: it leaves out command 4, which got past the failure of command 2"),
        ([trim(47.5, 52.5, 5), trim(5.5, 45.5, 3)], "trims[1].starts: it begins before the trim above it ends"),
        ([trim(5.5, 45.5, 3), trim(5.5, 45.5, 3)], "trims[1].starts: it begins before the trim above it ends"),
        ([trim(45.5, 5.5)], "trims[0].ends: it does not end behind its start"),
        ([trim(47.5, 500.0, 5)], "trims[0].ends: it ends behind the recording, which has 52.5 seconds"),
        (
            [trim(5.5, 45.5, says="Nothing to see here")],
            "trims[0].says: its mark must be: Command 3 left out: it succeeded, in 40 s",
        ),
    ],
)
def test_an_unlawful_trim_is_named_with_its_field_and_line(said: Said, trims: list[dict[str, Any]], found: str) -> None:
    findings = said({"trims": trims})
    assert any(found in finding for finding in findings), findings
    assert all(finding.split(":")[0].isdigit() for finding in findings)


def captioned(source: Source, change: Callable[[list[dict[str, Any]]], object]) -> dict[str, Any]:
    captions = [one.model_dump() for one in plan(source).captions]
    change(captions)
    return {"captions": captions}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda all: all.pop(0), "captions: command 2 failed, and no caption says so"),
        (lambda all: all.clear(), "captions: command 2 failed, and no caption says so"),
        (
            lambda all: all[0].update(says="Command 2 went well"),
            "captions[0].says: by the record it must be: Command 2 failed with exit status 1",
        ),
        (lambda all: all[1].update(says="fine"), 'captions[1].says: by the record it must be: The report: "no module'),
        (lambda all: all[1].update(of=7), "captions[1].of: the report says nothing of an error 7"),
        (lambda all: all[2].update(of=1), "captions[2].of: command 4 is not the first success of a command 1"),
        (lambda all: all[2].update(kind="failed", of=None), "captions[2].kind: command 4 did not fail"),
        (lambda all: all[2].update(command=99), "captions[2].command: the command table has no command 99"),
        (lambda all: all.reverse(), "captions[1].command: it is out of order"),
        (lambda all: all.append(all[-1]), "captions[3].command: it is out of order"),
    ],
)
def test_a_caption_that_the_record_does_not_bear_out_is_named(
    said: Said, source: Source, change: Callable[[list[dict[str, Any]]], object], found: str
) -> None:
    findings = said(captioned(source, change))
    assert any(found in finding for finding in findings), findings


@pytest.mark.parametrize("field", ["recording", "commands", "report"])
def test_a_list_of_other_evidence_is_refused(said: Said, field: str) -> None:
    (finding,) = said({field: "f" * 64})
    assert f": {field}: it names {'f' * 64}; the run's own is " in finding


def test_a_list_of_another_length_is_refused(said: Said) -> None:
    assert said({"seconds": 12.0}) == ["6: seconds: the recording has 52.5 seconds"]


def test_a_reel_that_is_longer_than_reels_may_be_is_refused(making: Making, tmp_path: Path) -> None:
    from tests.site.fixture_database import Command

    source = making([Command(f"make {n}", "done\n", 0, 30.0) for n in range(60)]).source()
    slow = listed(source, plan(source)).model_copy(update={"speed": 1.0, "pause": 60.0, "trims": ()})
    path = tmp_path / "x.reel.yaml"
    path.write_bytes(dump(slow))
    (finding,) = lawful_plan(read_list(path), source)[1]
    assert "speed: the reel has 18" in str(finding)
    assert "at most 600 are allowed" in str(finding)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("speed: 1.0", "speed: 0.5", r":7: speed: .*greater than or equal to 1"),
        ("speed: 1.0", "speed: .inf", r":7: speed: "),
        ("speed: 1.0", "speed: 1000000000.0", r":7: speed: .*less than or equal to 100"),
        ("pause: 1.5", "pause: -3.0", r":8: pause: .*greater than or equal to 0.1"),
        ("hold: 1.5", "hold: 0.0", r":9: hold: .*greater than or equal to 0.3"),
        ("trims: []", "trims: []\nreverse: true", r": reverse: "),
        ("name: x.gif", 'name: "../../x.gif"', r"files\[0\]\.name: "),
        ("name: x.gif", "name: /etc/passwd", r"files\[0\]\.name: "),
    ],
)
def test_what_no_list_may_say_is_refused_with_line_and_field(
    source: Source, tmp_path: Path, old: str, new: str, found: str
) -> None:
    text = dump(listed(source, plan(source))).decode()
    assert old in text
    path = tmp_path / "x.reel.yaml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=found):
        read_list(path)


def test_a_list_that_is_a_link_is_not_followed(source: Source, tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_bytes(dump(listed(source, plan(source))))
    (tmp_path / "x.reel.yaml").symlink_to(tmp_path / "real.yaml")
    with pytest.raises(InputError, match="is a symbolic link"):
        read_list(tmp_path / "x.reel.yaml")


def test_a_list_of_very_many_trims_is_refused_before_it_is_looked_into(source: Source, tmp_path: Path) -> None:
    text = dump(listed(source, plan(source))).decode()
    many = "trims:\n" + "  - {starts: 1.0, ends: 2.0, says: x}\n" * 3000
    path = tmp_path / "x.reel.yaml"
    path.write_text(text.replace("trims: []\n", many))
    with pytest.raises(InputError, match=r"trims: .*2500"):
        read_list(path)
