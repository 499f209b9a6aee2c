"""A made-up index: benchmarks and models whose truth is known, as facts and as the files of a repository."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from datetime import date
from pathlib import Path

import numpy as np

from argusic.database.database import Database
from argusic.leaderboards.index.facts import Benchmark, Category, Facts, Model, Result, Source
from argusic.records.index import (
    Addendum,
    Draws,
    FitOptions,
    Panel,
    RankingInputs,
    Reference,
    ReferenceUsed,
    ResultFile,
)

TOP = Path(__file__).parents[3]
DAY = date(2026, 10, 22)
NO_DIGEST = "0" * 64
CATEGORIES: tuple[Category, ...] = ("coding", "reasoning", "math", "science")


@dataclass(frozen=True)
class Made:
    """A made-up index.

    Attributes:
        models: Their names; every other one is open.
        benchmarks: Their ids.
        scores: The score of each pair that has one.
        baseline: The random guess of every benchmark.
    """

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    scores: Mapping[tuple[str, str], float] = field(default_factory=dict)
    baseline: float = 0.0

    def without(self, *benchmarks: str) -> Made:
        """Return it without the results on some benchmarks."""
        kept = {pair: score for pair, score in self.scores.items() if pair[1] not in benchmarks}
        return replace(self, scores=kept)

    def having(self, scores: Mapping[tuple[str, str], float]) -> Made:
        """Return it with further or other results."""
        return replace(self, scores={**self.scores, **scores})

    def facts(self) -> Facts:
        """Return it as facts, all from the source `made`, run on the day before."""
        source = Source("made", "Made", "https://made.invalid", DAY, "CC0", True, "Nobody.", NO_DIGEST)
        results = [
            Result(model, benchmark, score, date(2026, 10, 1), "made", model, "", line)
            for line, ((model, benchmark), score) in enumerate(
                sorted(self.scores.items(), key=lambda item: item[0][::-1]), start=2
            )
        ]
        return Facts(
            {"made": source},
            {name: self._benchmark(j) for j, name in enumerate(self.benchmarks)},
            {name: self._model(i) for i, name in enumerate(self.models)},
            tuple(results),
        )

    def _benchmark(self, j: int) -> Benchmark:
        name = self.benchmarks[j]
        return Benchmark(
            benchmark=name, name=name.upper(), category=CATEGORIES[j % len(CATEGORIES)], kind="accuracy",
            unit="fraction", baseline=self.baseline, ceiling=1.0, source="made", run_by="source",
            licence="as the source", superseded_by=None,
        )  # fmt: skip

    def _model(self, i: int) -> Model:
        return Model(self.models[i], (), "Made", i % 2 == 0, "made up", date(2026, 1, 1))


def made(models: int = 14, benchmarks: int = 8, *, share: float = 0.8, seed: int = 3) -> Made:
    """Return results with noise, where a share of the pairs has one."""
    random = np.random.default_rng(seed)
    theta, b = random.normal(size=models), random.normal(size=benchmarks)
    a = np.exp(random.normal(0.5, 0.3, size=benchmarks))
    p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    score = np.clip(p + random.normal(0, 0.04, size=p.shape), 0.01, 0.99)
    there = random.random(p.shape) < share
    names, ids = [f"Model {i:02}" for i in range(models)], [f"bench-{j:02}" for j in range(benchmarks)]
    return Made(
        tuple(names),
        tuple(ids),
        {(names[i], ids[j]): round(float(score[i, j]), 4) for i, j in zip(*np.nonzero(there), strict=True)},
    )


def inputs(
    reference: Reference | None = None,
    *addenda: Addendum,
    day: date = DAY,
    digest: str = NO_DIGEST,
    draws: int = 20,
    panel: Panel | None = None,
) -> RankingInputs:
    """Return what a ranking over the source `made` is made from."""
    used = None
    if reference is not None:
        used = ReferenceUsed.model_validate(
            {
                "reference": reference.reference,
                "sha256": reference.sha256,
                "addenda": [{"date": one.date, "sha256": one.sha256} for one in addenda],
            }
        )
    return RankingInputs(
        date=day.isoformat(),
        panel=panel or Panel(),
        options=FitOptions(),
        published="conditional",
        draws=Draws(count=draws),
        reference=used,
        results=(ResultFile(source="made", sha256=digest),),
    )


def write_index(root: Path, index: Made, *, source: str = "made", redistributable: bool = True) -> Database:
    """Write an index into a repository at `root`, which is made where it is not there; its results as one file."""
    for name in ("rules", "docs"):
        if not (root / name).is_dir():
            shutil.copytree(TOP / name, root / name)
    (root / "pool").mkdir(exist_ok=True)
    facts, data = index.facts(), root / "leaderboards/index/data"
    known = _sources(data) | {
        source: (source, "Made", "https://made.invalid", DAY, "CC0", str(redistributable).lower(), "Nobody.", NO_DIGEST)
    }
    _write(
        data / "sources.csv", "source,title,address,snapshot,licence,redistributable,attribution,sha256", known.values()
    )
    _write(
        data / "benchmarks.csv",
        "benchmark,name,category,kind,unit,baseline,ceiling,source,run_by,licence,superseded_by",
        (astuple(one) for one in facts.benchmarks.values()),
    )
    _write(
        data / "models.csv",
        "model,aliases,organization,open_weights,open_weights_by,released",
        (
            (one.model, "", one.organization, str(one.open_weights).lower(), one.open_weights_by, one.released)
            for one in facts.models.values()
        ),
    )
    _write(
        data / f"results/{source}.csv",
        "benchmark,version,score,as_of,variant,low,high",
        ((one.benchmark, one.version, one.score, one.as_of, "", "", "") for one in facts.results),
    )
    return Database(root)


def _sources(data: Path) -> dict[str, tuple[object, ...]]:
    path = data / "sources.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: tuple(row) for row in list(csv.reader(file))[1:]}


def _write(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
