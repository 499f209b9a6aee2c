"""A repository that ranks models whose names are hostile, with one below the gate, one without a result that counts,
a benchmark outside of the panel and a rating by votes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from argusic.database.database import Database
from argusic.database.paths import ranking_inputs_path, reference_path
from argusic.leaderboards.index.opening import Choices, opened, reference_of
from argusic.records.index import Draws, FitOptions, Panel
from argusic.referee.recompute import recompute
from tests.leaderboards.index.made_index import DAY, Made, made, write_index

#: Every second model is open, in this order.
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "[l](javascript:window.pwned=4) **b** `c` ~~x~~ # h",
    "{{ 7*7 }}{% include '/etc/passwd' %}",
    "a\"b'c<svg/onload=window.pwned=3></title>",
    "מודל עברי 7B",
    "نموذج",
    "..",
    "con",
    "L" * 190,
)
THIN, PAST = "Thin", "Past"
LATER = date(2026, 11, 22)
REFERENCE = "2026-Q4"


def index(models: int = 16) -> Made:
    """Return results of models with hostile names and, after them, harmless ones."""
    plain = made(models, 8, share=0.95)
    names = {old: HOSTILE[i] if i < len(HOSTILE) else old for i, old in enumerate(plain.models)}
    scores = {(names[model], benchmark): score for (model, benchmark), score in plain.scores.items()}
    every = (*(names[name] for name in plain.models), THIN, PAST)
    if len(every) % 2:
        raise ValueError("the last model must be closed, so that it keeps no benchmark alive")
    scores[THIN, "bench-00"] = 0.7
    return replace(plain, models=every, scores=scores)


def write_repository(root: Path, content: Made | None = None) -> Database:
    """Write a repository with two rankings, the second after a new result; return it with everything derived."""
    content = content or index()
    base = write_index(root, content)
    _more(root)
    base.write(reference_path(REFERENCE), reference_of(base, choices(DAY), REFERENCE))
    rank(base, DAY, REFERENCE)
    _again(root, content)
    rank(base, LATER, REFERENCE)
    return base


def choices(day: date) -> Choices:
    """Return what a person decides of a ranking."""
    return Choices(day, Panel(), FitOptions(), "joint", Draws(count=40), "Made <b>up</b>.")


def rank(base: Database, day: date, reference: str | None = None) -> None:
    """Open the ranking of a day, and derive it."""
    ranking, _ = opened(base, choices(day), reference)
    base.write(ranking_inputs_path(ranking.date), ranking)
    recompute(base)


def _more(root: Path) -> None:
    data = root / "leaderboards/index/data"
    _append(data / "benchmarks.csv", "old,Old <b>one</b>,math,accuracy,fraction,0.25,1.0,made,source,as the source,")
    _append(data / "benchmarks.csv", "arena,Arena <i>text</i>,preference,relative,rating,,,made,source,as the source,")
    _append(data / "results/made.csv", f"old,{PAST},0.5,2020-01-01,,,")
    _append(data / "results/made.csv", f"old,{PAST},0.4,2020-01-01,<u>weak</u>,,")
    _append(data / "results/made.csv", f"arena,{PAST},1402.5,2026-09-01,,,")
    _append(data / "results/made.csv", "arena,Model 13,1377,2026-09-01,,,")


def _again(root: Path, content: Made) -> None:
    """Add a file of a further source, with one result more."""
    data = root / "leaderboards/index/data"
    line = next(
        row for row in (data / "sources.csv").read_text(encoding="utf-8").splitlines() if row.startswith("made,")
    )
    _append(data / "sources.csv", line.replace("made,", "made-2,", 1).replace(str(DAY), str(LATER), 1))
    lacking = next(
        (model, benchmark)
        for model in content.models[10:-2]
        for benchmark in content.benchmarks
        if (model, benchmark) not in content.scores
    )
    (data / "results/made-2.csv").write_text(
        f"benchmark,version,score,as_of,variant,low,high\n{lacking[1]},{lacking[0]},0.9,2026-11-01,high,,\n",
        encoding="utf-8",
    )


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
