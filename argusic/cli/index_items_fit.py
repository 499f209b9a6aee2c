"""`argusic index items fit`: questions and models on one scale, and what is wrong with single questions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.index_items_given import AnswerFiles, fitted_to
from argusic.cli.output import emit
from argusic.cli.progress import watching

if TYPE_CHECKING:
    from argusic.leaderboards.index.fitting import Fit


def fit_command(
    files: AnswerFiles,
    top: Annotated[int, typer.Option(min=1, help="How many models, and questions of note, the tables show.")] = 20,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document: a bank of questions, for `items next`.")
    ] = False,
) -> None:
    """Fit questions and models to answers to single questions, and report questions that something is wrong with."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.items.document import as_document
    from argusic.leaderboards.index.items.reading import read_answers
    from argusic.leaderboards.index.items.screening import screen

    with watching() as watcher:
        watcher.now("reading answers")
        responses = read_answers(files)
        watcher.now(f"fitting {len(responses)} answers")
        fitted = fitted_to(responses)
        data = as_document(fitted, screen(fitted))
    emit(as_json, data, lambda out: _show(out, fitted, data, top))


def _show(out: Console, fitted: Fit, data: dict[str, Any], top: int) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("model", "score", "90 %", "questions", "right"):
        shown.add_column(heading, justify="left" if heading == "model" else "right", overflow="fold")
    for model in data["models"][:top]:
        between = f"{model['low']:.1f} to {model['high']:.1f}"
        shown.add_row(
            model["model"], f"{model['score']:.1f}", between, str(model["questions"]), f"{100 * model['right']:.1f} %"
        )
    out.print(shown)
    noted = [question for question in data["questions"] if question["note"]]
    counted = Counter(question["note"] for question in noted)
    if noted:
        out.print()
        out.print("Questions that are not asked: " + ", ".join(f"{n} {note}" for note, n in sorted(counted.items())))
    falling = [question for question in noted if question["note"] == "falls with ability"]
    for question in sorted(falling, key=lambda question: (question["correlation"], question["question"]))[:top]:
        out.print(
            f"{question['question']}: the better the model, the more often wrong (correlation "
            f"{question['correlation']:.2f}, {question['models']} models). Its key or text may be wrong."
        )
    for question in [q for q in noted if q["repeats"]][:top]:
        out.print(f"{question['question']}: the same answers as {question['repeats']}.")
    out.print()
    out.print(
        f"{data['answers']} answers of {len(data['models'])} models to {len(data['questions'])} questions, "
        f"{fitted.steps} steps. A score of 100 is the mean of the prior; 25 points are its standard deviation."
    )
