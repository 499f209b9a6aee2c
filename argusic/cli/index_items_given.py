"""What the commands of `argusic index items` are given: answers of several models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from argusic.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from argusic.leaderboards.index.fitting import Fit
    from argusic.leaderboards.index.items.held_out import HeldOut
    from argusic.leaderboards.index.responses import Responses

#: Files of answers; may be repeated.
AnswerFiles = Annotated[
    list[Path],
    typer.Option(
        "--input",
        metavar="FILE",
        help="Answers: CSV with the columns model, question, correct (0 to 1), or lines of JSON. May be repeated.",
    ),
]


def fitted_to(responses: Responses) -> Fit:
    """Return the fit of answers.

    Raises:
        CheckFailed: It came to no end.
    """
    from argusic.leaderboards.index.items.bank import fit_answers
    from argusic.leaderboards.index.solving import NotConverged

    try:
        return fit_answers(responses)
    except NotConverged as error:
        raise CheckFailed(f"The fit came to no end: {error.why}.") from error


def held_out_of(responses: Responses, folds: int, seed: int, said: Callable[[str], None]) -> list[HeldOut]:
    """Return the models in parts, each with a bank of the others, as many parts as there are models at most.

    Raises:
        InputError: There are too few models to hold any out.
        CheckFailed: A fit came to no end.
    """
    from argusic.leaderboards.index.items.held_out import hold_out
    from argusic.leaderboards.index.solving import NotConverged

    models = len(responses.models)
    if models < 2:
        raise InputError("The answers are of one model; to hold models out takes at least two.")
    try:
        return hold_out(responses, min(folds, models), seed=seed, said=said)
    except NotConverged as error:
        raise CheckFailed(f"The fit came to no end: {error.why}.") from error
