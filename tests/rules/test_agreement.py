"""Agreement beyond chance: against published figures, a naive twin, and where it has no value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.rules.agreement import Agreement, Pair, agreement, wilson

#: Tables with what statsmodels 0.15 says of them: kappa, and the limits of its interval.
KNOWN = (
    (((75, 1, 4), (5, 4, 1), (0, 0, 10)), 0.676470588, 0.5045759580860855, 0.8483652183845026),
    (((44, 5, 1), (7, 20, 3), (9, 5, 6)), 0.491525424, 0.35015820121748686, 0.6328926462401401),
    (((88, 14, 18), (10, 40, 10), (2, 6, 12)), 0.491525424, 0.3915637020535469, 0.59148714540408),
)
pairs_of_few = st.lists(
    st.builds(Pair, st.sampled_from("stuvw"), st.sampled_from("abc"), st.sampled_from("abc")), max_size=30
)


def alone(table: Sequence[Sequence[int]]) -> list[Pair]:
    """Return the pairs of a table, each in a cluster of its own."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [Pair(str(number), "abc"[i], "abc"[j]) for number, (i, j) in enumerate(cells)]


def naive_kappa(weighted: dict[str, float], pairs: Sequence[Pair]) -> float:
    """Return kappa by its definition, each pair with the weight of its cluster."""
    total = sum(weighted[pair.cluster] for pair in pairs)
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    same = 0.0
    for pair in pairs:
        weight = weighted[pair.cluster] / total
        first[pair.first] += weight  # type: ignore[assignment]
        second[pair.second] += weight  # type: ignore[assignment]
        same += weight * (pair.first == pair.second)
    chance = sum(first[name] * second[name] for name in "abc")
    return (same - chance) / (1 - chance)


def naive_reach(pairs: Sequence[Pair]) -> float:
    """Return the standard error by the infinitesimal jackknife: how far each cluster's weight moves kappa, squared."""
    clusters = sorted({pair.cluster for pair in pairs})
    even, step, total = dict.fromkeys(clusters, 1.0), 1e-5, 0.0
    for cluster in clusters:
        more, less = {**even, cluster: 1 + step}, {**even, cluster: 1 - step}
        total += ((naive_kappa(more, pairs) - naive_kappa(less, pairs)) / (2 * step)) ** 2
    return math.sqrt(total)


@pytest.mark.parametrize(("table", "kappa", "low", "high"), KNOWN)
def test_independent_pairs_have_the_kappa_and_interval_that_others_compute(
    table: tuple[tuple[int, ...], ...], kappa: float, low: float, high: float
) -> None:
    found = agreement(alone(table), "abc")
    assert found.table == table
    assert found.kappa is not None and float(found.kappa) == pytest.approx(kappa)
    assert found.interval == pytest.approx((low, high), abs=6e-5)


@given(pairs_of_few)
def test_kappa_and_interval_are_those_of_the_naive_twin(pairs: list[Pair]) -> None:
    found = agreement(pairs, "abc")
    even = dict.fromkeys("stuvw", 1.0)
    assert found.pairs == len(pairs) and found.agreed == sum(pair.first == pair.second for pair in pairs)
    if found.kappa is None:
        assert len({name for pair in pairs for name in pair[1:]}) <= 1
        return
    assert float(found.kappa) == pytest.approx(naive_kappa(even, pairs), abs=1e-9)
    if found.interval is not None:
        reach = 1.959963985 * naive_reach(pairs)
        kappa = float(found.kappa)
        assert found.interval == pytest.approx((max(-1, kappa - reach), min(1, kappa + reach)), abs=2e-4)


@given(pairs_of_few)
def test_it_is_the_same_whichever_side_came_first_and_in_whatever_order(pairs: list[Pair]) -> None:
    found = agreement(pairs, "abc")
    turned = agreement([Pair(pair.cluster, pair.second, pair.first) for pair in reversed(pairs)], "abc")
    assert (found.kappa, found.interval, found.whole) == (turned.kappa, turned.interval, turned.whole)
    assert found.table == tuple(zip(*turned.table, strict=True))


def test_pairs_of_one_subject_count_as_one_where_sureness_is_concerned() -> None:
    one = [Pair(f"s{i}", "a" if i % 2 else "b", "a" if i % 2 or i == 0 else "b") for i in range(10)]
    thrice = [pair for pair in one for _ in range(3)]
    assert agreement(thrice, "ab").kappa == agreement(one, "ab").kappa
    assert agreement(thrice, "ab").interval == agreement(one, "ab").interval
    assert agreement(thrice, "ab").whole_interval == agreement(one, "ab").whole_interval
    taken_for_more = agreement([Pair(str(i), pair.first, pair.second) for i, pair in enumerate(thrice)], "ab")
    narrow, wide = taken_for_more.interval, agreement(thrice, "ab").interval
    assert narrow is not None and wide is not None and narrow.high - narrow.low < wide.high - wide.low


def said(pairs: list[Pair]) -> tuple[Agreement, str]:
    found = agreement(pairs, "ab")
    assert found.interval is None
    return found, found.no_kappa or found.no_interval or ""


def test_where_kappa_or_its_interval_has_no_value_that_is_said() -> None:
    nothing, why = said([])
    assert nothing.kappa is None and nothing.observed is None and why == "There is nothing to compare."
    one_category, why = said([Pair(str(i), "a", "a") for i in range(9)])
    assert one_category.kappa is None and one_category.observed == 1 and "one category both times" in why
    assert one_category.whole_interval is not None and one_category.whole_interval.low < 0.75
    perfect, why = said([Pair(str(i), "ab"[i % 2], "ab"[i % 2]) for i in range(9)])
    assert perfect.kappa == 1 and "No pair differs" in why and perfect.few
    swapped, why = said([Pair(str(i), "a", "b") for i in range(9)])
    assert swapped.kappa == 0 and "in the same way" in why
    alone, why = said([Pair("s", "a", "a"), Pair("s", "b", "a"), Pair("s", "b", "b")])
    assert alone.kappa == Fraction(2, 5) and why.startswith("One subject alone")


def test_what_came_out_as_none_of_the_categories_is_refused() -> None:
    with pytest.raises(ValueError, match="'c' is none of a, b"):
        agreement([Pair("s", "a", "c")], "ab")


def test_the_interval_of_a_share_holds_at_its_ends() -> None:
    assert wilson(16, 16) == pytest.approx((0.8064, 1.0), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    with pytest.raises(ValueError):
        wilson(0, 0)
