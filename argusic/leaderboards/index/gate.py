"""Whether there is enough evidence to rank a model at all: on how many benchmarks, and of which categories."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from argusic.leaderboards.index.facts import Benchmark, Category

#: How many benchmarks of the panel a model needs, in how many categories, one of them among these.
LEAST_BENCHMARKS: Final = 4
LEAST_CATEGORIES: Final = 2
ONE_OF: Final[tuple[Category, ...]] = ("reasoning", "coding")


def refused(benchmarks: Collection[Benchmark]) -> str | None:
    """Return why a model with results on these benchmarks of the panel has no place, in a sentence, or None.

    The sentence is about what is known, and says nothing of how good the model is.
    """
    count = len({one.benchmark for one in benchmarks})
    categories = {one.category for one in benchmarks}
    lacks = []
    if count < LEAST_BENCHMARKS:
        lacks.append(f"results on {_counted(count)} that count, and {LEAST_BENCHMARKS} are needed")
    if len(categories) < LEAST_CATEGORIES:
        has = f"of {next(iter(categories))} alone" if categories else "of no category"
        lacks.append(f"results {has}, and {LEAST_CATEGORIES} categories are needed")
    if not categories.intersection(ONE_OF):
        lacks.append(f"no result in {' or '.join(ONE_OF)}, and one is needed")
    return f"There is not enough current evidence: it has {'; '.join(lacks)}." if lacks else None


def _counted(count: int) -> str:
    return f"{count or 'no'} benchmark{'' if count == 1 else 's'}"
