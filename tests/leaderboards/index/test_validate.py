"""`argusic index validate`: a table in, a report out, and one sentence for what cannot be checked."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from argusic.cli.index_validate import plain, validate_command
from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.tables import read_table
from argusic.leaderboards.index.validation.case import of_table
from argusic.leaderboards.index.validation.halves import SPLITS
from argusic.leaderboards.index.validation.report import validated
from tests.leaderboards.index.made_index import made as made_index
from tests.leaderboards.index.made_index import write_index
from tests.leaderboards.index.test_fit import made


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    responses = made(40, 14, share=0.8)
    rows = [
        f"{responses.models[i]},set-{j},{float(y)!r}"
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]
    file = tmp_path_factory.mktemp("index") / "results.csv"
    file.write_text("model,benchmark,score\n" + "\n".join(rows) + "\n")
    return file


def run(*arguments: str) -> str:
    done = CliRunner().invoke(build("index"), ["index", "validate", *arguments])
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_the_document_is_what_the_checks_found(table: Path) -> None:
    said = json.loads(run("--input", str(table), "--json", "--deals", "1", "--splits", "1"))
    found = validated(of_table(read_table(table), Options()), deals=1, splits=1)
    assert said["errors"] == plain(
        {"index": found.errors.index, "offsets": found.errors.offsets, "means": found.errors.means}
    )
    assert said["halves"]["joint"]["share"] == round(found.halves.joint.share, 6)
    assert [one["benchmark"] for one in said["dropped"]] == [one.benchmark for one in found.dropped]
    assert len(said["left"]) == 14 and said["ranked"] == 40 and said["renewed"]["frozen"]["most"] < 1e-4
    assert said["screen"] == {"found": [], "looked": 0} and "thorough" not in said


def test_ranges_are_halved_as_often_as_for_a_ranking_unless_asked_otherwise() -> None:
    assert inspect.signature(validate_command).parameters["splits"].default == SPLITS


def test_a_person_reads_every_check(table: Path) -> None:
    said = run("--input", str(table), "--deals", "1", "--splits", "1")
    for words in ("has not seen", "halves of the data", "Without one benchmark", "leaves over", "uneven coverage"):
        assert words in said
    assert "The index 0.0" in said and "set-1" in said


def test_where_halves_are_too_small_it_says_so_in_words(tmp_path: Path) -> None:
    rows = [f"m{i},b{j},0.{1 + (3 * i + 5 * j) % 8}\n" for i in range(6) for j in range(5)]
    (tmp_path / "few.csv").write_text("model,benchmark,score\n" + "".join(rows))
    said = run("--input", str(tmp_path / "few.csv"), "--deals", "1", "--splits", "1")
    assert "too few" in said and " nan " not in said


def test_other_settings_give_other_numbers(table: Path) -> None:
    quiet = json.loads(run("--input", str(table), "--json", "--deals", "1", "--splits", "1", "--sigma", "0.05"))
    assert quiet["sigma"] == 0.05
    other = json.loads(
        run("--input", str(table), "--json", "--deals", "1", "--splits", "1", "--likelihood", "bernoulli")
    )
    assert (
        other["likelihood"] == "bernoulli" and other["halves"]["frozen"]["share"] > quiet["halves"]["frozen"]["share"]
    )


@pytest.mark.endurance
def test_thorough_plants_truths_and_tries_wider_models(table: Path) -> None:
    arguments = ("--input", str(table), "--deals", "1", "--splits", "1", "--thorough")
    more = json.loads(run(*arguments, "--json"))["thorough"]
    found = {one["name"]: one for one in more["scenarios"]}
    assert len(found) == 7 and sum(one["ignorable"] for one in found.values()) == 4
    assert all(one["found"]["joint"]["share"] > 0.6 for one in found.values())
    assert found["the fit, on the same pairs"]["found"]["ranks"] > 0.5
    withheld = found["a fifth withhold half of what falls short: these"]["found"]["bias"]
    assert withheld > found["a fifth leave results out by chance: these"]["found"]["bias"] + 0.3
    assert len(more["wider"]) == 6 and all(one["error"] > 0 for one in more["wider"])
    said = run(*arguments)
    assert "the fit, on the same pairs" in said and "Wider models" in said and "at the other" in said


def test_a_repositorys_ranking_is_checked_with_its_rule_and_its_field(tmp_path: Path) -> None:
    write_index(tmp_path, made_index(24, 12))
    where = ("--repo", str(tmp_path), "index")
    assert CliRunner().invoke(build("index"), [*where, "rank", "2026-10-22", "--draws", "20"]).exit_code == 0
    done = CliRunner().invoke(build("index"), [*where, "validate", "--json", "--deals", "1", "--splits", "1"])
    assert done.exit_code == 0, done.exception
    said = json.loads(done.stdout)
    assert said["field"] == "open models that pass the gate" and said["ranked"] == 12
    assert (said["benchmarks"], said["models"]) == (12, 24) and said["screen"]["looked"] == 0


def test_a_repository_without_a_ranking_says_so(tmp_path: Path) -> None:
    write_index(tmp_path, made_index())
    done = CliRunner().invoke(build("index"), ["--repo", str(tmp_path), "index", "validate"])
    assert isinstance(done.exception, InputError) and "no ranking" in str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--input", "TABLE", "--own"], "and not with --input"),
        (["--input", "TABLE", "--everything"], "and not with --input"),
        (["--sigma", "0.1"], "go with --input"),
        (["--input", "TABLE", "--sigma", "0"], "--sigma 0 is not between"),
        (["--input", "THIN"], "No model has enough results"),
        (["--input", "NONE"], "is no file"),
    ],
)
def test_what_cannot_be_checked_gets_one_sentence(table: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    thin = tmp_path / "thin.csv"
    thin.write_text("model,benchmark,score\na,x,0.5\nb,x,0.25\n")
    names = {"TABLE": str(table), "THIN": str(thin), "NONE": str(tmp_path / "none.csv")}
    done = CliRunner().invoke(build("index"), ["index", "validate", *(names.get(one, one) for one in arguments)])
    assert isinstance(done.exception, InputError) and says in str(done.exception)
    assert "\n" not in str(done.exception)
