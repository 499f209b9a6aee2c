"""Importers: each form is read, what cannot be taken is said, and a file of results is written once and whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.importing.epoch_eci import NAMES
from argusic.leaderboards.index.importing.epoch_hub_files import FILES
from argusic.leaderboards.index.importing.imports import imported
from argusic.leaderboards.index.reading.facts import read_facts
from tests.leaderboards.index.made_tables import (
    AIDER_POLICY,
    BENCHMARKS,
    EVALPLUS_POLICIES,
    HUB_MODELS,
    LIVEBENCH_POLICIES,
    RESULT_HEADER,
    digest_of,
    folder,
    source_row,
    write_tables,
)

HUB = {
    "mmlu_external.csv": (
        "Model version,EM,Name,Shots,Source,id\n"
        'alpha-1,0.5,Alpha,5.0,"A paper, long",r1\n'
        "alpha-1,0.52,Alpha,5,Another,r2\n"
        "beta-7b,0.75,Beta,0,A paper,r3\n"
        "beta-7b,0.75,Beta,0,A paper,r4\n"
        ",0.9,Nobody,0,A paper,r5\n"
        "gamma,,Gamma,0,A paper,r6\n"
    )
}


def brought(top: Path, form: str, copy: Path, *, known_only: bool = False, **options: Any) -> list[str]:
    """Import a copy; return the rows of the file of results."""
    tables = {"benchmarks": BENCHMARKS, "models": HUB_MODELS, **options}
    snapshot, is_open = tables.pop("snapshot", "2026-07-01"), tables.pop("open_licence", True)
    sha = tables.pop("sha", None) or digest_of(copy)
    sources = [source_row("hub-1", sha, snapshot=snapshot, open_licence=is_open)]
    sources += [source_row("site-1", "0" * 64)]
    data = write_tables(top, sources=tuple(sources), **tables)
    done = imported(form, copy, "hub-1", data, top / "own", known_only=known_only)
    assert done.written and done.results > 0
    read_facts(data, top / "own")  # What is written can be read.
    text = done.path.read_text()
    assert text.startswith(RESULT_HEADER + "\n") and text.endswith("\n")
    return text.splitlines()[1:]


def test_the_hub_is_read_with_runs_told_apart_and_repeats_taken_once(tmp_path: Path) -> None:
    copy = folder(tmp_path / "hub", HUB)
    assert brought(tmp_path, "epoch-hub", copy) == [
        'mmlu,alpha-1,0.5,,"5; A paper, long",,',
        "mmlu,alpha-1,0.52,,5; Another,,",
        "mmlu,beta-7b,0.75,,0,,",
    ]


def test_the_hub_says_what_it_left_out(tmp_path: Path) -> None:
    copy = folder(tmp_path / "hub", HUB)
    data = write_tables(tmp_path, sources=(source_row("hub-1", digest_of(copy)), source_row("site-1", "0" * 64)))
    (copy / "strange.csv").write_text("a,b\n1,2\n")
    done = imported("epoch-hub", copy, "hub-1", data, tmp_path)
    assert done.repeated == 1 and (done.results, done.models, done.benchmarks) == (3, 2, 1)
    assert done.left_out == {
        "no version of a model is named": 1,
        "strange.csv is no file that is known": 1,
        "there is no score": 1,
    }


def test_a_base_model_that_the_hub_has_under_its_tuned_ones_version_is_apart(tmp_path: Path) -> None:
    text = HUB["mmlu_external.csv"].splitlines()[0] + "\nDeepSeek-V3,0.871,DeepSeek-V3 Base,5,A paper,r\n"
    copy = folder(tmp_path / "hub", {"mmlu_external.csv": text + "DeepSeek-V3,0.88,DeepSeek v3,5,Other,r\n"})
    models = ("V3,DeepSeek-V3,,true,said,", "V3 Base,DeepSeek-V3-Base,,true,said,")
    rows = brought(tmp_path, "epoch-hub", copy, models=models)
    assert rows == ["mmlu,DeepSeek-V3,0.88,,5,,", "mmlu,DeepSeek-V3-Base,0.871,,5,,"]


def test_the_fit_input_is_taken_back_to_its_benchmarks_units(tmp_path: Path) -> None:
    copy = tmp_path / "eci.csv"
    copy.write_text("performance,benchmark,model_version,source\n0.5,MMLU,alpha-1 ,S\n0.0,MMLU,beta-7b,S\n")
    assert brought(tmp_path, "epoch-eci", copy) == ["mmlu,alpha-1,0.625,,,,", "mmlu,beta-7b,0.25,,,,"]


LIVEBENCH = {
    "categories_2026_01_08.json": '{"Coding": ["one", "two"], "Agentic Coding": ["three"]}',
    "table_2026_01_08.csv": "model,one,two,three\nalpha-1,10.0,20.0,40.0\nbeta-7b,50.0,,60.0\n",
    "categories_2024_11_25.json": '{"Coding": ["one"]}',
    "table_2024_11_25.csv": "model,one\nalpha-1,90.0\n",
}


def test_livebench_is_read_a_snapshot_at_a_time(tmp_path: Path) -> None:
    copy = folder(tmp_path / "livebench", LIVEBENCH)
    rows = brought(tmp_path, "livebench", copy, benchmarks=(*BENCHMARKS, *LIVEBENCH_POLICIES))
    assert rows == [
        "livebench-2024-11-25-coding,alpha-1,0.9,2024-11-25,,,",
        "livebench-2026-01-08-agentic-coding,alpha-1,0.4,2026-01-08,,,",
        "livebench-2026-01-08-agentic-coding,beta-7b,0.6,2026-01-08,,,",
        "livebench-2026-01-08-coding,alpha-1,0.15,2026-01-08,,,",
    ]


def test_livebench_leaves_out_rows_whose_cells_are_not_under_their_tasks(tmp_path: Path) -> None:
    files = LIVEBENCH | {"table_2026_01_08.csv": "model,one,two,three\nalpha-1,1.0,2.0,3.0\nbeta-7b,50.0,60.0\n"}
    copy = folder(tmp_path / "livebench", files)
    rows = brought(tmp_path, "livebench", copy, benchmarks=(*BENCHMARKS, *LIVEBENCH_POLICIES))
    assert [row for row in rows if "beta" in row] == []


def git(top: Path, *words: str, day: str = "2026-01-08") -> None:
    when = f"{day}T12:00:00+0000"
    variables = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when, "GIT_CONFIG_GLOBAL": "/dev/null"}
    person = ("-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *words], cwd=top, env=variables, check=True, capture_output=True)


@pytest.mark.parametrize(
    "origin", ["https://host.example/LiveBench/livebench.github.io", "https://host.example/my/copies"]
)
def test_in_a_clone_with_its_history_a_run_is_as_old_as_its_row(tmp_path: Path, origin: str) -> None:
    table = LIVEBENCH["table_2026_01_08.csv"].splitlines()
    copy = folder(tmp_path / "clone/public", LIVEBENCH | {"table_2026_01_08.csv": "\n".join(table[:2]) + "\n"})
    git(copy.parent, "init", "-q")
    git(copy.parent, "remote", "add", "origin", origin)
    git(copy.parent, "add", ".")
    git(copy.parent, "commit", "-qm", "first", day="2025-12-30")  # Before its name says: no run is older than that.
    folder(copy, LIVEBENCH)
    git(copy.parent, "commit", "-qam", "second", day="2026-03-04")
    rows = brought(tmp_path, "livebench", copy, benchmarks=(*BENCHMARKS, *LIVEBENCH_POLICIES))
    days = {tuple(row.split(",")[:2]): row.split(",")[3] for row in rows}
    known = "LiveBench" in origin
    assert days["livebench-2026-01-08-coding", "alpha-1"] == "2026-01-08"
    assert days["livebench-2026-01-08-agentic-coding", "beta-7b"] == ("2026-03-04" if known else "2026-01-08")
    assert days["livebench-2024-11-25-coding", "alpha-1"] == ("2025-12-30" if known else "2024-11-25")


AIDER = """\
- dirname: run-1
  model: alpha-1
  edit_format: whole
  pass_rate_1: 20.4
  pass_rate_2: 35.6
  date: 2025-02-25
- dirname: run-2
  model: alpha-1
  edit_format: whole
  pass_rate_2: 36
  date: 2025-02-25
- {model: alpha-1 + beta-7b, pass_rate_2: 50.0, edit_format: architect}
"""


def test_aider_is_read_with_its_days_and_pairs_are_left_out(tmp_path: Path) -> None:
    copy = folder(tmp_path / "aider", {"polyglot_leaderboard.yml": AIDER})
    rows = brought(tmp_path, "aider", copy, benchmarks=(*BENCHMARKS, AIDER_POLICY))
    assert rows == [
        "aider-polyglot,alpha-1,0.356,2025-02-25,whole; run-1,,",
        "aider-polyglot,alpha-1,0.36,2025-02-25,whole; run-2,,",
    ]


def test_evalplus_is_read_by_its_harder_tests(tmp_path: Path) -> None:
    copy = tmp_path / "results.json"
    scores = {"humaneval": 99.0, "humaneval+": 77.4, "mbpp": None, "mbpp+": None}
    copy.write_text(json.dumps({"alpha-1": {"pass@1": scores, "prompted": True}}))
    rows = brought(tmp_path, "evalplus", copy, benchmarks=(*BENCHMARKS, *EVALPLUS_POLICIES))
    assert rows == ["humaneval-plus,alpha-1,0.774,,,,"]


ARENA_POLICY = "arena-now,Arena,preference,relative,rating,,,hub-1,source,as the source,"


@pytest.mark.parametrize(
    "said",
    [
        {"full": {"alpha-1": {"rating": 1500.0, "rating_q025": 1490.0, "rating_q975": 1510.0}}, "math": {}},
        {"models": [{"model": "alpha-1", "score": 1500, "ci": 10, "votes": 3}]},
    ],
)
def test_ratings_are_read_with_their_ranges(tmp_path: Path, said: object) -> None:
    copy = tmp_path / "arena.json"
    copy.write_text(json.dumps(said))
    rows = brought(tmp_path, "arena", copy, benchmarks=(*BENCHMARKS, ARENA_POLICY))
    assert rows == ["arena-now,alpha-1,1500.0,2026-07-01,,1490.0,1510.0"]


def test_a_plain_table_is_read_with_what_more_it_says(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_bytes(b"\xef\xbb\xbfas_of,variant,score,model,benchmark,note\n2026-06-30,high,0.5,alpha-1,mmlu,x\n")
    assert brought(tmp_path, "plain", copy) == ["mmlu,alpha-1,0.5,2026-06-30,high,,"]


def test_models_that_are_not_known_are_refused_or_left_out_by_name(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\nalpha-1,mmlu,0.5\nalpha-2,mmlu,0.6\n")
    with pytest.raises(InputError, match=r"plain.csv:3: model: 'alpha-2' is no model .*'alpha-1'.*--known-only"):
        brought(tmp_path / "a", "plain", copy)
    assert brought(tmp_path / "b", "plain", copy, known_only=True) == ["mmlu,alpha-1,0.5,,,,"]


def test_what_no_licence_lets_a_repository_hold_goes_to_the_users_own_files(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\nalpha-1,mmlu,0.5\n")
    brought(tmp_path, "plain", copy, open_licence=False)
    assert (tmp_path / "own/hub-1.csv").is_file()
    assert list((tmp_path / "leaderboards/index/data/results").iterdir()) == []


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "copy.csv").write_text("model,benchmark,score\nalpha-1,mmlu,0.5\n")
    sources = (source_row("hub-1", digest_of(tmp_path / "copy.csv")), source_row("site-1", "0" * 64))
    data = write_tables(tmp_path, sources=sources)
    (tmp_path / "elsewhere").mkdir()
    if (data / "results").exists():
        (data / "results").rmdir()
    (data / "results").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="results: is a symbolic link; what a repository holds is never written"):
        imported("plain", tmp_path / "copy.csv", "hub-1", data, tmp_path)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_of_results_is_written_once(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\nalpha-1,mmlu,0.5\n")
    brought(tmp_path, "plain", copy)
    data = tmp_path / "leaderboards/index/data"
    assert not imported("plain", copy, "hub-1", data, tmp_path).written
    file = data / "results/hub-1.csv"
    before = file.read_text() + "code,alpha-1,0.9,,,,\n"
    file.write_text(before)
    with pytest.raises(InputError, match=r"hub-1.csv: holds other results .* never changed"):
        imported("plain", copy, "hub-1", data, tmp_path)
    assert file.read_text() == before


@pytest.mark.parametrize(("point", "there"), [("file-written", False), ("file-renamed", True)])
def test_a_crash_leaves_no_half_file(tmp_path: Path, point: str, there: bool) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\n" + "".join(f"m{n},mmlu,0.5\n" for n in range(500)))
    data = write_tables(
        tmp_path,
        sources=(source_row("hub-1", digest_of(copy)), source_row("site-1", "0" * 64)),
        models=tuple(f"m{n},,,,," for n in range(500)),
    )
    program = (
        "import sys, pathlib as p; from argusic.leaderboards.index.importing.imports import imported; "
        "imported('plain', p.Path(sys.argv[1]), 'hub-1', p.Path(sys.argv[2]), p.Path('.'))"
    )
    words = [sys.executable, "-c", program, str(copy), str(data)]
    died = subprocess.run(words, env={**os.environ, "ARGUSIC_FAULT": point}, check=False)
    assert died.returncode < 0
    assert (data / "results/hub-1.csv").exists() == there
    assert imported("plain", copy, "hub-1", data, tmp_path).written != there
    assert len(read_facts(data).results) == 500


def test_every_benchmark_that_a_reader_knows_is_in_the_committed_table() -> None:
    data = Path(__file__).resolve().parents[3] / "leaderboards/index/data"
    known = read_facts(data).benchmarks
    assert {one.benchmark for one in FILES.values()} | set(NAMES.values()) <= set(known)


def test_another_copy_than_the_tables_have_is_refused_with_its_digest(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\nalpha-1,mmlu,0.5\n")
    with pytest.raises(InputError, match=f"its SHA-256 is {digest_of(copy)}"):
        brought(tmp_path, "plain", copy, sha="1" * 64)


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    copy = tmp_path / "plain.csv"
    copy.write_text("model,benchmark,score\nalpha-1,mmlu,0.5\nalpha-9,mmlu,0.5\n")
    top = tmp_path / "repository"
    write_tables(top, sources=(source_row("hub-1", digest_of(copy)), source_row("site-1", "0" * 64)))
    (top / "pool").mkdir()
    (top / "rules").mkdir()
    words = ["--repo", str(top), "index", "import", "plain", str(copy), "--source", "hub-1", "--known-only"]
    done = CliRunner().invoke(build("index"), words)
    assert done.exit_code == 0 and "Written" in done.stdout and "1 result of 1 model on 1 benchmark." in done.stdout
    assert "1 left out of models not known: alpha-9." in done.stdout
    said = json.loads(CliRunner().invoke(build("index"), [*words, "--json"]).stdout)
    assert said["written"] is False and said["unknown"] == {"alpha-9": 1} and said["results"] == 1
    for wrong, says in ((["cvs", str(copy)], "'cvs' is no form"), (["plain", str(copy)], "has several sources")):
        done = CliRunner().invoke(build("index"), ["--repo", str(top), "index", "import", *wrong])
        assert says in str(done.exception)
