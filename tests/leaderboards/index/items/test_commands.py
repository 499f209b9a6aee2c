"""`argusic index items`: from answers to a bank, from a bank to the next question, and what it is all worth."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.errors import InputError
from argusic.leaderboards.index.items.answers import as_matrix
from argusic.leaderboards.index.items.planted import planted

TRUTH = planted(45, 40, seed=6)


@cache
def app() -> typer.Typer:
    return build()


def ask(*words: object) -> Result:
    return CliRunner().invoke(app(), ["index", "items", *map(str, words)])


def told(*words: object) -> Any:
    result = ask(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(*words: object) -> str:
    result = ask(*words)
    if isinstance(result.exception, InputError):
        return str(result.exception)
    assert result.exit_code == 2
    return result.output


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    matrix, r = as_matrix(TRUTH.responses), TRUTH.responses
    sharp = int(np.argmax(TRUTH.discrimination * (np.abs(TRUTH.difficulty) < 0.7)))
    matrix[:, sharp] = 1 - matrix[:, sharp]
    lines = [f"{r.models[i]},{r.benchmarks[j]},{int(y)}" for (i, j), y in np.ndenumerate(matrix)]
    path = tmp_path_factory.mktemp("items") / "answers.csv"
    path.write_text("model,question,correct\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def bank(answers: Path) -> Path:
    path = answers.with_name("bank.json")
    path.write_text(json.dumps(told("fit", "--input", answers)))
    return path


def test_fit_names_the_best_model_first_and_the_question_with_a_wrong_key(answers: Path, bank: Path) -> None:
    said = json.loads(bank.read_text())
    rho = np.corrcoef([m["theta"] for m in said["models"]], [TRUTH.theta[int(m["model"][-5:])] for m in said["models"]])
    assert rho[0, 1] > 0.9 and len(said["questions"]) == 40
    falling = [q["question"] for q in said["questions"] if q["note"] == "falls with ability"]
    shown = ask("fit", "--input", answers).output
    assert len(falling) == 1 and f"{falling[0]}: the better the model, the more often wrong" in shown
    assert "1800 answers of 45 models to 40 questions" in shown


def test_the_order_of_the_lines_changes_no_byte(answers: Path, bank: Path, tmp_path: Path) -> None:
    header, *lines = answers.read_text().splitlines()
    order = np.random.default_rng(4).permutation(len(lines))
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join([header, *(lines[place] for place in order)]))
    assert told("fit", "--input", shuffled) == json.loads(bank.read_text())
    few = ("--count", 4, "--folds", 2)
    assert ask("choose", "--input", shuffled, *few).stdout == ask("choose", "--input", answers, *few).stdout


def test_choose_says_which_with_their_weights_and_what_they_are_worth(answers: Path) -> None:
    said = told("choose", "--input", answers, "--count", 6, "--folds", 2)
    assert len(said["questions"]) == 6 and said["of"] == 40 and said["usable"] < 40
    assert {row["way"] for row in said["held_out"]} >= {"error", "clusters", "random", "random, plain share"}
    assert all(0 < row["error"] < 0.5 for row in said["held_out"])
    shown = ask("choose", "--input", answers, "--count", 6, "--folds", 2).output
    assert "plus the weight of each right answer" in shown and said["questions"][0]["question"] in shown


def test_next_asks_until_enough_is_known(bank: Path, tmp_path: Path) -> None:
    first = told("next", "--bank", bank)
    assert first["asked"] == 0 and first["shown_ability"] == pytest.approx(100, abs=0.1)
    own, lines = tmp_path / "own.jsonl", ['{"model": "new"}']
    now = first
    while now["next"] is not None:
        lines.append(json.dumps({"question_id": now["next"], "correct": True}))
        own.write_text("\n".join(lines))
        now = told("next", "--bank", bank, "--answers", own, "--most", 3)
    assert (now["asked"], now["because"]) == (3, "as many as may be asked") and now["ability"] > first["ability"]
    assert "Enough: as many as may be asked" in ask("next", "--bank", bank, "--answers", own, "--most", 3).output
    wide = told("next", "--bank", bank, "--answers", own, "--widen", 2)
    assert wide["ability_high"] - wide["ability"] == pytest.approx(2 * (now["ability_high"] - now["ability"]), abs=1e-5)


def test_next_takes_one_models_answers_of_several(bank: Path, answers: Path) -> None:
    said = told("next", "--bank", bank, "--answers", answers, "--model", "model 00003")
    assert said["asked"] == 40 and said["because"] == "no question is left"
    assert "--model says whose" in refused("next", "--bank", bank, "--answers", answers)
    assert "holds no answer of nobody" in refused("next", "--bank", bank, "--answers", answers, "--model", "nobody")


def test_next_refuses_answers_that_the_bank_cannot_use(bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("model,question,correct\nnew,question 000001,1\nnew,q,1\n")
    assert "own.csv:3: question: q is not in the bank" in refused("next", "--bank", bank, "--answers", path)
    path.write_text("model,question,correct\nnew,question 000001,1\nnew,question 000001,1\n")
    assert "own.csv:3: the answer to question 000001 stands in line 2" in refused(
        "next", "--bank", bank, "--answers", path
    )


def test_simulate_holds_chosen_questions_and_adaptive_order_against_random_ones(answers: Path) -> None:
    said = told("simulate", "--input", answers, "--counts", "8,4", "--folds", 2, "--width", 0.3)
    rows = {(row["way"], row["questions"]) for row in said["held_out"]}
    ways = ("error", "clusters", "random", "random, plain share", "adaptive order", "random order")
    assert rows >= {(way, count) for way in ways for count in (4, 8)}
    assert said["needed"]["adaptive"] <= said["needed"]["random"] and said["repeated"] == 1
    more = told("simulate", "--planted", "6x5", "--counts", "3,50,999999", "--folds", 2)
    assert {row["questions"] for row in more["held_out"]} == {3, 5}
    shown = ask("simulate", "--planted", "12x30", "--counts", 5, "--folds", 2, "--repeat", 2, "--guess", 0.1).output
    assert "adaptive order" in shown and "mean over 24 models" in shown


def test_what_cannot_be_asked_for_is_one_sentence(answers: Path, tmp_path: Path) -> None:
    assert "either --input or --planted" in refused("simulate")
    assert "either --input or --planted" in refused("simulate", "--planted", "9x9", "--input", answers)
    assert "is not of the form 60x1000" in refused("simulate", "--planted", "60*1000")
    assert "the most that are made up" in refused("simulate", "--planted", "60000x1000")
    assert "no list of numbers" in refused("simulate", "--planted", "9x9", "--counts", "5,,6")
    assert "go with --planted" in refused("simulate", "--input", answers, "--guess", 0.1)
    alone = tmp_path / "alone.csv"
    alone.write_text("model,question,correct\na,q1,1\na,q2,0\n")
    assert "to hold models out takes at least two" in refused("choose", "--input", alone)
    assert told("fit", "--input", alone)["questions"][0]["note"] == "one model"
