"""`argusic index items next`: what to ask a model next, and what its answers so far say."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from argusic.cli.output import emit
from argusic.errors import InputError, Place

if TYPE_CHECKING:
    from argusic.leaderboards.index.items.adaptive import State
    from argusic.leaderboards.index.items.bank import Bank
    from argusic.leaderboards.index.responses import Floats


def next_command(
    bank_file: Annotated[
        Path, typer.Option("--bank", metavar="FILE.json", help="Questions, as `items fit --json` prints them.")
    ],
    answers_file: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Its answers so far, CSV or lines of JSON.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose answers, where the file has several's.")
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Enough when the range of 90 % of the share right of all is as narrow."),
    ] = None,
    most: Annotated[int | None, typer.Option(min=0, help="Enough after so many answers.")] = None,
    widen: Annotated[
        float, typer.Option(min=1, max=100, help="Widen ranges by this, as `items choose` and `simulate` found it.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Name the question that tells most of a model now, with its ability and its share right of all so far."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.fitting import ORIGIN, UNIT
    from argusic.leaderboards.index.items.adaptive import Stop, state
    from argusic.leaderboards.index.items.document import read_bank

    bank = read_bank(bank_file)
    now = state(bank, _answers(bank, answers_file, model), Stop(width, most), widen=widen)
    data = {name: round(value, 6) + 0.0 if isinstance(value, float) else value for name, value in asdict(now).items()}
    for name in ("ability", "ability_low", "ability_high"):
        data[f"shown_{name}"] = round(ORIGIN + UNIT * data[name], 4)
    emit(as_json, data, lambda out: _show(out, now, bank))


def _answers(bank: Bank, path: Path | None, model: str | None) -> Floats:
    """Return the answers of one model to the questions of a bank, NaN where it gave none."""
    import numpy as np

    from argusic.leaderboards.index.items.reading import each_answer

    given = np.full(len(bank), np.nan)
    if path is None:
        return given
    lines: dict[str, int] = {}
    whose = model
    for answer in each_answer(path):
        if answer.model != whose:
            if model is not None:
                continue
            if whose is not None:
                what = f"is {answer.model}, and those before are of {whose}; --model says whose answers are meant."
                raise InputError(what, place=Place(path, answer.line, "model"))
            whose = answer.model
        if answer.question not in bank.place:
            raise InputError(f"{answer.question} is not in the bank.", place=Place(path, answer.line, "question"))
        first = lines.setdefault(answer.question, answer.line)
        if not np.isnan(given[bank.place[answer.question]]):
            what = f"the answer to {answer.question} stands in line {first} already."
            raise InputError(what, place=Place(path, answer.line))
        given[bank.place[answer.question]] = answer.correct
    if model is not None and not lines:
        raise InputError(f"holds no answer of {model}.", place=Place(path))
    return given


def _show(out: Console, now: State, bank: Bank) -> None:
    from argusic.leaderboards.index.fitting import ORIGIN, UNIT

    scale = [ORIGIN + UNIT * value for value in (now.ability, now.ability_low, now.ability_high)]
    out.print(f"Answers so far: {now.asked} of {len(bank)} questions")
    out.print(f"Ability: {scale[0]:.1f}, 90 % from {scale[1]:.1f} to {scale[2]:.1f}")
    share = [100 * value for value in (now.score, now.low, now.high)]
    out.print(f"Share right of all questions: {share[0]:.1f} %, 90 % from {share[1]:.1f} to {share[2]:.1f} %")
    out.print(f"Ask next: {now.next}" if now.because is None else f"Enough: {now.because}")
