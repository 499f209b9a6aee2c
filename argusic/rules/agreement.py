"""Agreement of two passes over the same things: observed, beyond chance (Cohen's kappa), and how sure that is.

Decision: computed here, in exact fractions. The libraries that have it bring pandas (statsmodels) or no interval
(scikit-learn), take every pair for independent, and answer NaN, or an interval of no width, where none can be told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Final, NamedTuple

#: How sure an interval is.
CONFIDENCE: Final = 0.95
#: Fewer clusters than this make a large-sample interval rough, which is then said.
FEW: Final = 30
#: Decimal places that limits of intervals are rounded to: the same on every machine.
PLACES: Final = 4

_Z: Final = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)


class Pair(NamedTuple):
    """One thing as it came out twice."""

    cluster: str
    """What it belongs to; pairs of one cluster are not independent."""
    first: str
    """How it came out first."""
    second: str
    """How it came out again."""


class Interval(NamedTuple):
    """Between what a figure may well lie."""

    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """How far two passes agree.

    Attributes:
        categories: The categories, in the order of the table.
        table: How often each came out first (rows) and again (columns).
        pairs: How many pairs there are.
        agreed: How many of them agree.
        expected: The share that would agree by chance, by how often each side came to each; None without a pair.
        kappa: Cohen's kappa, exact; None where it has no value.
        no_kappa: Why it has none.
        interval: Its interval; None where none can be told.
        no_interval: Why not.
        clusters: How many clusters the pairs are of.
        whole: How many of those agree in every pair.
        whole_interval: The interval of the share of such clusters; None without a cluster.
    """

    categories: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    pairs: int
    agreed: int
    expected: Fraction | None
    kappa: Fraction | None
    no_kappa: str | None
    interval: Interval | None
    no_interval: str | None
    clusters: int
    whole: int
    whole_interval: Interval | None

    @property
    def observed(self) -> Fraction | None:
        """The share of pairs that agree; None without a pair."""
        return Fraction(self.agreed, self.pairs) if self.pairs else None

    @property
    def few(self) -> bool:
        """Whether there are too few clusters for the interval to be more than rough."""
        return self.clusters < FEW


def agreement(pairs: Iterable[Pair], categories: Sequence[str]) -> Agreement:
    """Say how far two passes agree.

    Kappa is that of Cohen (1960), `(observed - expected) / (1 - expected)`, unweighted. Its interval is kappa plus and
    minus 1.96 standard errors, cut to -1 and 1, by the delta method of Fleiss, Cohen and Everitt (1969). That takes
    pairs for independent; those of one cluster are not, so the influences of its pairs are added before they are
    squared (the linearised variance of a sample of clusters). With one pair a cluster it is theirs exactly. The share
    of clusters that agree throughout has the score interval of Wilson (1927), which also holds where all do.

    Args:
        pairs: The pairs.
        categories: All that a pair can come out as.

    Raises:
        ValueError: A pair came out as none of the categories.
    """
    found = list(pairs)
    names = tuple(categories)
    counts = Counter((pair.first, pair.second) for pair in found)
    if strange := sorted({name for cell in counts for name in cell} - set(names)):
        raise ValueError(f"{strange[0]!r} is none of {', '.join(names)}")
    table = tuple(tuple(counts[row, column] for column in names) for row in names)
    agreed = sum(counts[name, name] for name in names)
    apart = {pair.cluster for pair in found if pair.first != pair.second}
    clusters = len({pair.cluster for pair in found})
    expected = _expected(table, len(found))
    kappa, no_kappa = _kappa(Fraction(agreed, len(found) or 1), expected)
    interval, no_interval = (None, no_kappa) if kappa is None else _interval(found, names, table, kappa)
    return Agreement(
        categories=names,
        table=table,
        pairs=len(found),
        agreed=agreed,
        expected=expected,
        kappa=kappa,
        no_kappa=no_kappa,
        interval=interval,
        no_interval=no_interval,
        clusters=clusters,
        whole=clusters - len(apart),
        whole_interval=wilson(clusters - len(apart), clusters) if clusters else None,
    )


def wilson(passed: int, of: int) -> Interval:
    """Return the score interval of a share (Wilson 1927).

    Raises:
        ValueError: It is a share of nothing.
    """
    if of < 1:
        raise ValueError("a share is of something")
    share, square = passed / of, _Z * _Z / of
    middle = (share + square / 2) / (1 + square)
    reach = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return _rounded(max(0.0, middle - reach), min(1.0, middle + reach))


def _expected(table: Sequence[Sequence[int]], pairs: int) -> Fraction | None:
    if not pairs:
        return None
    rows, columns = _margins(table)
    return Fraction(sum(row * column for row, column in zip(rows, columns, strict=True)), pairs * pairs)


def _margins(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    return [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]


def _kappa(observed: Fraction, expected: Fraction | None) -> tuple[Fraction | None, str | None]:
    if expected is None:
        return None, "There is nothing to compare."
    if expected == 1:
        return None, "Everything came out in one category both times, so that nothing could agree beyond chance."
    return (observed - expected) / (1 - expected), None


def _interval(
    pairs: Sequence[Pair], names: Sequence[str], table: Sequence[Sequence[int]], kappa: Fraction
) -> tuple[Interval | None, str | None]:
    if kappa == 1:
        return None, "No pair differs, so that the table does not tell how far chance might move it."
    influence = _influences(names, table, kappa)
    sums: dict[str, Fraction] = {}
    for pair in pairs:
        sums[pair.cluster] = sums.get(pair.cluster, Fraction(0)) + influence[pair.first, pair.second]
    if len(sums) < 2:
        return None, "One subject alone does not tell how far chance might move it."
    variance = sum((each * each for each in sums.values()), Fraction(0)) / len(pairs) ** 2
    if variance == 0:
        return None, "All pairs differ in the same way, so that the table does not tell how far chance might move it."
    reach = _Z * math.sqrt(variance)
    return _rounded(max(-1.0, float(kappa) - reach), min(1.0, float(kappa) + reach)), None


def _influences(
    names: Sequence[str], table: Sequence[Sequence[int]], kappa: Fraction
) -> dict[tuple[str, str], Fraction]:
    """Return how much a pair of each cell of the table moves kappa: its derivative by that cell's share, centred.

    With `p` the shares, `d(kappa) / d(p_ij) = ((i = j) - (1 - kappa) * (column share of i + row share of j)) / (1 -
    expected)`, up to a constant that centring takes away.
    """
    total = sum(map(sum, table))
    rows, columns = _margins(table)
    expected = _expected(table, total)
    assert expected is not None and expected != 1, "kappa has a value"
    slope = {
        (one, other): (Fraction(int(one == other)) - (1 - kappa) * Fraction(columns[i] + rows[j], total))
        / (1 - expected)
        for i, one in enumerate(names)
        for j, other in enumerate(names)
    }
    mean = sum(
        (slope[one, other] * table[i][j] for i, one in enumerate(names) for j, other in enumerate(names)), Fraction(0)
    )
    return {cell: value - mean / total for cell, value in slope.items()}


def _rounded(low: float, high: float) -> Interval:
    return Interval(round(low, PLACES), round(high, PLACES))
