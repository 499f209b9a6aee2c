"""`argusic index items simulate`: chosen questions and adaptive order against random ones, on held-out models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from argusic.cli.index_items_choose import as_data, show_worth
from argusic.cli.index_items_given import held_out_of
from argusic.cli.output import emit
from argusic.cli.progress import watching
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.responses import Responses

#: How many answers may be made up at once.
_MOST_PLANTED = 5_000_000


def simulate_command(
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--input", metavar="FILE", help="Answers of several models, CSV or lines of JSON. May be repeated."
        ),
    ] = None,
    planted: Annotated[
        str | None, typer.Option(metavar="MODELSxQUESTIONS", help="Instead: answers made up from a known truth.")
    ] = None,
    guess: Annotated[
        float, typer.Option(min=0, max=0.9, help="With --planted: the share right by guessing, which no fit knows of.")
    ] = 0.0,
    other: Annotated[
        float, typer.Option(min=0, max=10, help="With --planted: how much a second ability counts, likewise.")
    ] = 0.0,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="With --planted: how often answers are made up.")] = 1,
    counts: Annotated[str, typer.Option(metavar="N,N,...", help="After how many questions to look.")] = "10,20,50,100",
    width: Annotated[
        float, typer.Option(min=0.001, max=1, help="Also: how many questions it takes to a range as narrow as this.")
    ] = 0.1,
    folds: Annotated[int, typer.Option(min=2, max=100, help="In how many parts models are held out.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Which parts, orders and made-up answers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Ask held-out models chosen questions, and questions in adaptive and in random order: how near does each come?"""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    import numpy as np

    from argusic.leaderboards.index.items.choosing import WAYS
    from argusic.leaderboards.index.items.trial import few, in_order, needed, pooled

    wanted = _counts(counts)
    if (planted is None) == (not files):
        raise InputError("Give either --input or --planted.")
    if planted is None and (guess or other or repeat > 1):
        raise InputError("--guess, --other and --repeat go with --planted.")
    trials, needs = [], []
    with watching() as watcher:
        for number in range(repeat):
            watcher.now("reading answers")
            responses = _responses(files or [], planted, seed + number, guess, other)
            # Who was asked every question was asked no more.
            wanted = sorted({min(count, len(responses.benchmarks)) for count in wanted})
            held = held_out_of(responses, folds, seed, watcher.now)
            watcher.now("asking held-out models")
            chosen = [row for count in wanted for way in WAYS for row in few(held, way, count, seed=seed)]
            trials.append([*chosen, *in_order(held, wanted, seed=seed)])
            most = min(max(wanted) * 5, len(responses.benchmarks))
            needs.append(np.stack(needed(held, width, most, seed=seed)))
    worth = pooled(trials)
    adaptive, random = (float(mean) for mean in np.concatenate(needs, axis=1).mean(axis=1))
    data = {
        "models": len(responses.models),
        "questions": len(responses.benchmarks),
        "repeated": repeat,
        "held_out": as_data(worth),
        "width": width,
        "needed": {"adaptive": round(adaptive, 2), "random": round(random, 2)},
    }

    def show(out: Console) -> None:
        show_worth(out, worth)
        out.print(
            f"To a range of {100 * width:g} points: {adaptive:.1f} questions in adaptive order, {random:.1f} in random "
            f"order (mean over {len(responses.models) * repeat} models, at most {most} each)."
        )

    emit(as_json, data, show)


def _counts(written: str) -> list[int]:
    if not re.fullmatch(r"[1-9]\d{0,5}(,[1-9]\d{0,5}){0,49}", written, re.ASCII):
        raise InputError(f"--counts {written[:80]!r} is no list of numbers of questions, such as 10,20,50.")
    return sorted({int(part) for part in written.split(",")})


def _responses(files: list[Path], planted: str | None, seed: int, guess: float, other: float) -> Responses:
    from argusic.leaderboards.index.items.planted import planted as plant
    from argusic.leaderboards.index.items.reading import read_answers

    if planted is None:
        return read_answers(files)
    found = re.fullmatch(r"([1-9]\d{0,6})x([1-9]\d{0,6})", planted, re.ASCII)
    if found is None:
        raise InputError(f"--planted {planted[:80]!r} is not of the form 60x1000: models, then questions.")
    models, questions = int(found[1]), int(found[2])
    if models * questions > _MOST_PLANTED:
        raise InputError(f"--planted {planted} makes more than {_MOST_PLANTED} answers, the most that are made up.")
    return plant(models, questions, seed=seed, guess=guess, other=other).responses
