"""Banks of questions: curves over what is not known of them, and the document that they are written to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from argusic.errors import InputError
from argusic.leaderboards.index.items.bank import Bank, fit_answers
from argusic.leaderboards.index.items.document import as_document, read_bank
from argusic.leaderboards.index.items.planted import planted
from argusic.leaderboards.index.items.screening import screen
from argusic.leaderboards.index.objective import Objective

FITTED = fit_answers(planted(20, 30, seed=1).responses)
BANK = Bank.of(FITTED)


def test_a_questions_uncertainty_is_its_block_of_the_inverted_curvature() -> None:
    curvature = Objective(FITTED.responses, FITTED.options).curvature(FITTED.at, exact=False)
    block = np.array([[curvature.difficulty[3], curvature.cross[3]], [curvature.cross[3], curvature.alpha[3]]])
    found = [[BANK.difficulty_var[3], BANK.covariance[3]], [BANK.covariance[3], BANK.alpha_var[3]]]
    assert np.allclose(found, np.linalg.inv(block))


def test_curves_are_means_over_what_the_parameters_may_be() -> None:
    theta = np.linspace(-3, 3, 13)
    found = expit(BANK.logits(theta))
    random = np.random.default_rng(2)
    for j in (0, 7, 21):
        spread = [[BANK.difficulty_var[j], BANK.covariance[j]], [BANK.covariance[j], BANK.alpha_var[j]]]
        b, alpha = random.multivariate_normal([BANK.difficulty[j], BANK.alpha[j]], spread, 20_000).T
        mean = np.mean(expit(np.exp(alpha)[:, None] * (theta[None, :] - b[:, None])), axis=0)
        assert np.max(np.abs(found[j] - mean)) < 0.015
        plain = expit(np.exp(BANK.alpha[j]) * (theta - BANK.difficulty[j]))
        assert np.sum((found[j] - mean) ** 2) < np.sum((plain - mean) ** 2)


def test_slopes_and_information_are_those_of_the_curves() -> None:
    theta, step = np.linspace(-4, 4, 17), 1e-5
    slope = (expit(BANK.logits(theta + step)) - expit(BANK.logits(theta - step))) / (2 * step)
    p = expit(BANK.logits(theta))
    assert np.allclose(BANK.slopes(theta), slope, atol=1e-8)
    assert np.allclose(BANK.information(theta), slope**2 / (p * (1 - p)), atol=1e-6)
    assert np.array_equal(BANK.information(theta, np.array([4, 2])), BANK.information(theta)[[4, 2]])


def document() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(as_document(FITTED, screen(FITTED))))
    return made


def test_a_document_is_read_as_the_bank_that_it_was_written_from(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    said = document()
    said["questions"].reverse()
    path.write_text(json.dumps(said))
    found, expected = read_bank(path), Bank.of(FITTED, screen(FITTED).usable)
    assert (found.questions, found.ability_sd, found.digest) == (expected.questions, 1.0, FITTED.responses.digest)
    assert np.array_equal(found.usable, expected.usable)
    for name in ("difficulty", "alpha", "difficulty_var", "alpha_var", "covariance"):
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-5)


def test_a_document_names_models_by_ability_and_questions_by_name() -> None:
    said = document()
    assert [model["theta"] for model in said["models"]] == sorted((m["theta"] for m in said["models"]), reverse=True)
    assert [question["question"] for question in said["questions"]] == list(FITTED.responses.benchmarks)
    assert said["answers"] == 600 and all(model["low"] < model["score"] < model["high"] for model in said["models"])


def broken(**changes: object) -> bytes:
    said = document()
    for name, value in changes.items():
        if name in said:
            said[name] = value
        else:
            said["questions"][2][name] = value
    return json.dumps(said).encode()


HOSTILE = {
    "no JSON": (b"{", "is no JSON"),
    "deep JSON": (b'{"questions":' + b"[" * 50_000, "is no JSON"),
    "a list": (b"[]", "is no bank of questions"),
    "no questions": (b'{"models": []}', "is no bank of questions"),
    "an empty bank": (broken(questions=[]), "holds no question"),
    "a question that is a word": (broken(questions=["q"]), "questions[0]: is no object"),
    "a nameless question": (broken(question=""), "questions[2].question: is no name"),
    "a name that steers a terminal": (broken(question="\x1b[2J"), "questions[2].question: is no name"),
    "a question twice": (broken(question="question 000000"), "question 000000 stands twice"),
    "no difficulty": (broken(difficulty=None), "questions[2].difficulty: is no number"),
    "true for a difficulty": (broken(difficulty=True), "difficulty: is no number"),
    "endless difficulty": (broken(difficulty=float("inf")), "difficulty: is no number"),
    "no number": (broken(difficulty=float("nan")), "difficulty: is no number"),
    "no discrimination": (broken(discrimination=0), "discrimination: is no number above 0"),
    "negative discrimination": (broken(discrimination=-1.2), "discrimination: is no number above 0"),
    "no variance": (broken(difficulty_var=0), "difficulty_var: is no number above 0"),
    "an impossible covariance": (broken(covariance=9), "larger than the variances allow"),
    "no prior": (broken(ability_sd="1"), "ability_sd: is no number above 0"),
    "a digest of two lines": (broken(digest="a\nb"), "digest: is no digest"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_bank_is_one_sentence(case: str, tmp_path: Path) -> None:
    content, says = HOSTILE[case]
    path = tmp_path / "bank.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_bank(path)
    assert says in str(raised.value) and "\n" not in str(raised.value)
