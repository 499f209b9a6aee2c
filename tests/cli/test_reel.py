from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.layout import RECORDING_NAME
from argusic.referee.withdrawing import withdraw
from tests.evidence.reel.sessions import Recorded, recorded


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    monkeypatch.delenv("ARGUSIC_EVIDENCE", raising=False)
    return recorded(tmp_path / "referee")


def argusic(run: Recorded, *words: object) -> Result:
    return CliRunner().invoke(build(str(words[0])), ["--repo", str(run.fixture.root), *map(str, words)])


def made(run: Recorded, *words: object) -> dict[str, Path]:
    """Render, and return the paths by their endings."""
    done = argusic(run, "evidence", "render", run.run.run, "--json", *words)
    assert done.exit_code == 0, done.output
    return {"".join(Path(path).suffixes): Path(path) for path in json.loads(done.stdout)["files"]}


def test_a_reel_is_rendered_and_verified(run: Recorded) -> None:
    done = argusic(run, "evidence", "render", run.run.run, "--kind", "gif", "--kind", "card", "--length", 10)
    assert done.exit_code == 0, done.output
    assert "52.5 s of 5 commands in " in done.stdout
    assert "its failure is shown" in done.stdout
    folder = run.fixture.root / ".argusic" / "reels" / run.run.run
    assert {path.suffix for path in folder.iterdir()} == {".gif", ".png", ".yaml"}
    done = argusic(run, "verify", *folder.glob("*.reel.yaml"))
    assert done.exit_code == 0, done.output
    assert "The edits are lawful, and every picture comes from the recording." in done.stdout


def test_making_a_reel_leaves_the_evidence_as_it_was(run: Recorded) -> None:
    made(run, "--kind", "card")
    assert argusic(run, "verify", run.fixture.root / run.folder).exit_code == 0


def test_an_unlawful_list_is_refused_with_line_and_field(run: Recorded, tmp_path: Path) -> None:
    paths = made(run, "--kind", "gif", "--to", tmp_path / "reel")
    path = paths[".reel.yaml"]
    hidden = path.read_text().replace("trims: []", "trims:\n  - starts: 3.5\n    ends: 5.5\n    says: A short break")
    path.write_text(hidden)
    done = argusic(run, "verify", path)
    assert done.exit_code == 1
    assert f"{path}:12: trims[0]: it leaves out command 2, which failed; no failure is left out" in done.stdout
    done = argusic(run, "verify", path, "--json")
    first = json.loads(done.stdout)["reels"][0]["findings"][0]
    assert (first["line"], first["field"]) == (12, "trims[0]")
    with pytest.raises(CheckFailed, match=r"trims\[0\]: it leaves out command 2, which failed"):
        raised(argusic(run, "evidence", "render", run.run.run, "--edits", path, "--to", tmp_path / "other"))


def test_a_lawful_list_that_a_person_wrote_is_rendered(run: Recorded, tmp_path: Path) -> None:
    path = made(run, "--kind", "gif", "--to", tmp_path / "reel")[".reel.yaml"]
    path.write_text(path.read_text().replace("speed: 1.0", "speed: 4.0"))
    again = made(run, "--kind", "gif", "--edits", path, "--to", tmp_path / "faster")
    assert "speed: 4.0" in again[".reel.yaml"].read_text()
    assert argusic(run, "verify", again[".reel.yaml"]).exit_code == 0
    assert argusic(run, "verify", path).exit_code == 1


def test_a_reel_goes_nowhere_among_the_records(run: Recorded) -> None:
    with pytest.raises(InputError, match="lies in the repository"):
        raised(argusic(run, "evidence", "render", run.run.run, "--to", run.fixture.root / run.folder))


def test_what_was_withdrawn_is_said_to_be(run: Recorded) -> None:
    withdraw(run.database, run.run.run, [RECORDING_NAME], reason="A person's data.", by="lead", at=datetime.now(UTC))
    with pytest.raises(InputError, match=r"was withdrawn on 20\d\d-\d\d-\d\d: A person's data\."):
        raised(argusic(run, "evidence", "render", run.run.run))


def test_playing_needs_a_terminal(run: Recorded) -> None:
    with pytest.raises(InputError, match="recordings are played in a terminal, and standard output is none"):
        raised(argusic(run, "evidence", "play", run.run.run))


def test_an_unknown_kind_and_an_unknown_run_are_refused(run: Recorded) -> None:
    with pytest.raises(InputError, match="--kind is gif, mp4 or card, not 'webm'"):
        raised(argusic(run, "evidence", "render", run.run.run, "--kind", "webm"))
    with pytest.raises(InputError, match="there is no run 20261101T010000Z-zzzzzz here"):
        raised(argusic(run, "evidence", "render", "20261101T010000Z-zzzzzz"))


def test_runs_and_lists_are_verified_apart(run: Recorded, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="verified apart"):
        raised(argusic(run, "verify", tmp_path / "x.reel.yaml", run.fixture.root / run.folder))


def test_without_ffmpeg_there_is_no_mp4_and_a_word_on_it(run: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = argusic(run, "evidence", "render", run.run.run, "--length", 5)
    assert done.exit_code == 0, done.output
    assert "There is no MP4: ffmpeg is not installed." in done.stdout
    with pytest.raises(EnvironmentLack, match="ffmpeg is not installed"):
        raised(argusic(run, "evidence", "render", run.run.run, "--kind", "mp4"))


def test_without_agg_the_command_that_mends_it_is_named(run: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(EnvironmentLack, match=r"agg.* is not installed.*") as lack:
        raised(argusic(run, "evidence", "render", run.run.run))
    assert lack.value.advice == "Run: pip install 'argusic[reel]'"


def raised(done: Result) -> None:
    """Raise what a command failed with."""
    assert done.exception is not None, done.output
    raise done.exception


def test_a_reel_that_was_moved_with_its_list_verifies(run: Recorded, tmp_path: Path) -> None:
    made(run, "--kind", "gif", "--to", tmp_path / "reel")
    moved = Path(shutil.move(tmp_path / "reel", tmp_path / "elsewhere"))
    assert argusic(run, "verify", *moved.glob("*.reel.yaml")).exit_code == 0


def test_a_file_in_the_place_of_the_folder_is_refused(run: Recorded, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match=r"taken: is no folder"):
        raised(argusic(run, "evidence", "render", run.run.run, "--kind", "card", "--to", tmp_path / "taken"))
    assert (tmp_path / "taken").read_text() == "mine"
