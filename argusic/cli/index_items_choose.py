"""`argusic index items choose`: the few questions that tell the score on all, and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.index_items_given import AnswerFiles, fitted_to, held_out_of
from argusic.cli.output import emit
from argusic.cli.progress import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from argusic.leaderboards.index.items.trial import Worth


def choose_command(
    files: AnswerFiles,
    count: Annotated[int, typer.Option(min=1, help="How many questions.")] = 100,
    way: Annotated[
        Literal["error", "clusters", "random"],
        typer.Option(help="How: the least error left of the score on all, one of each cluster, or at random."),
    ] = "error",
    folds: Annotated[int, typer.Option(min=2, max=100, help="In how many parts models are held out.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Which parts, and which random questions.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Choose the few questions that tell the score on all, and hold them against random ones on held-out models."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.items.bank import Bank
    from argusic.leaderboards.index.items.choosing import WAYS, choose
    from argusic.leaderboards.index.items.reading import read_answers
    from argusic.leaderboards.index.items.screening import screen
    from argusic.leaderboards.index.items.trial import few

    with watching() as watcher:
        watcher.now("reading answers")
        responses = read_answers(files)
        watcher.now(f"fitting {len(responses)} answers")
        fitted = fitted_to(responses)
        bank = Bank.of(fitted, screen(fitted).usable)
        choice = choose(bank, count, way, seed=seed)
        held = held_out_of(responses, folds, seed, watcher.now)
        worth = []
        for other in WAYS:
            watcher.now(f"asking held-out models {count} questions: {other}")
            worth += few(held, other, count, seed=seed)
    data = {
        "way": way,
        "of": len(bank),
        "usable": int(bank.usable.sum()),
        "constant": round(choice.constant, 6) + 0.0,
        "questions": [
            {"question": bank.questions[place], "weight": round(float(weight), 6) + 0.0}
            for place, weight in zip(choice.places, choice.weight, strict=True)
        ],
        "held_out": as_data(worth),
    }
    emit(as_json, data, lambda out: _show(out, data, worth))


def as_data(worth: Sequence[Worth]) -> list[dict[str, Any]]:
    """Return rows as plain data, rounded so that another processor gives the same bytes."""
    return [
        {
            "way": one.way,
            "questions": one.count,
            "error": round(one.error, 5),
            "largest": round(one.largest, 5),
            "covered": None if one.covered is None else round(one.covered, 4),
            "widen": None if one.widen is None else round(one.widen, 3),
            "ability": None if one.ability is None else round(one.ability, 4),
        }
        for one in worth
    ]


def show_worth(out: Console, worth: Sequence[Worth]) -> None:
    """Print what ways of asking are worth, and what the columns mean."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("way", "questions", "error", "largest", "covered", "widen", "ability"):
        shown.add_column(heading, justify="left" if heading == "way" else "right")
    for one in worth:
        shown.add_row(
            one.way,
            str(one.count),
            f"{100 * one.error:.2f}",
            f"{100 * one.largest:.1f}",
            "" if one.covered is None else f"{100 * one.covered:.0f} %",
            "" if one.widen is None else f"{one.widen:.2f}",
            "" if one.ability is None else f"{one.ability:.2f}",
        )
    out.print(shown)
    out.print(
        "On models that were held out. error: root mean square, in points of 100, of the estimated share of right "
        "answers to all questions; covered: how often the range of 90 % holds the true share; widen: how many times "
        "as wide it would have to be for that; ability: root mean square difference to the ability from all answers."
    )


def _show(out: Console, data: dict[str, Any], worth: Sequence[Worth]) -> None:
    shown = Table(box=None, pad_edge=False)
    shown.add_column("question", overflow="fold")
    shown.add_column("weight", justify="right")
    for one in data["questions"]:
        shown.add_row(one["question"], f"{one['weight']:.4f}")
    out.print(shown)
    out.print(
        f"{len(data['questions'])} of {data['of']} questions, {data['usable']} of which may be asked. By weights: the "
        f"share right of all is {data['constant']:.4f} plus the weight of each right answer."
    )
    out.print()
    show_worth(out, worth)
