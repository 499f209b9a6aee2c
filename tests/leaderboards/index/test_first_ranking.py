"""The committed ranking of 2026-10-22: what documents say of it. That the facts give it is tested with the cycles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from argusic.database.database import Database
from argusic.records.index_ranking import Ranking

TOP = Path(__file__).resolve().parents[3]


@cache
def ranking() -> Ranking:
    return Database(TOP).rankings()["2026-10-22"]


def test_the_panel_leaves_one_scale_that_the_reference_holds() -> None:
    found = ranking()
    assert (found.reference, found.published) == ("2026-Q4", "joint")
    assert (len(found.benchmarks), found.results) == (38, 1776)
    assert all(one.anchored for one in found.benchmarks)
    assert found.connections.components == 1 and found.connections.cuts == () and found.warnings == ()
    # The day on which it was frozen is the ranking's: nothing has drifted yet.
    assert all(abs(one.difficulty - one.free_difficulty) < 1e-5 for one in found.benchmarks)


def test_kimi_k3_is_first_of_the_open_models_and_known_to_be() -> None:
    found = ranking()
    assert (found.ranked, found.open_ranked, len(found.models)) == (132, 44, 240)
    first = next(one for one in found.models if one.ranks is not None and one.ranks.open is not None)
    assert first.model == "Kimi K3" and first.ranks is not None and first.ranks.open is not None
    assert first.ranks.open.known and (first.ranks.open.low, first.ranks.open.high) == (1, 1)
    assert first.score is not None and first.conditional is not None and first.joint is not None
    assert round(first.score, 1) == 126.7 and first.ranks.all.place == 9
    assert (round(first.conditional.low, 1), round(first.conditional.high, 1)) == (124.8, 128.6)
    assert (round(first.joint.low, 1), round(first.joint.high, 1)) == (122.4, 131.1)


def test_the_published_range_is_the_one_that_covers() -> None:
    found = ranking().coverage
    assert found.joint is not None and found.conditional is not None and found.settled is not None
    off = {"joint": abs(found.joint.share - 0.9), "conditional": abs(found.conditional.share - 0.9)}
    assert ranking().published == min(off, key=lambda kind: off[kind])
    # Where the benchmarks' parameters are settled, the conditional range is right as well.
    assert 0.85 < found.settled.share < 0.95


def test_the_next_two_are_not_told_apart() -> None:
    second, third = [one for one in ranking().models if one.ranks is not None and one.ranks.open is not None][1:3]
    assert second.ranks is not None and third.ranks is not None
    assert second.ranks.open is not None and third.ranks.open is not None
    assert second.ranks.open.group == third.ranks.open.group and not second.ranks.open.known
    assert second.ranks.open.ahead_of_next is not None and second.ranks.open.ahead_of_next < 0.95
