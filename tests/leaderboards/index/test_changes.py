"""What moved between two rankings and why; and the table from an old reference to a new one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from argusic.errors import InputError
from argusic.leaderboards.index.changes import Changes, Reason, changes
from argusic.leaderboards.index.derive import index_at
from argusic.leaderboards.index.freezing import addendum, frozen
from argusic.leaderboards.index.recorded import recorded
from argusic.leaderboards.index.renewing import old_to_new
from argusic.records.index import Reference
from argusic.records.index_ranking import Ranking
from tests.leaderboards.index.made_index import Made, inputs, made

LATER = date(2026, 11, 22)


@pytest.fixture(scope="module")
def small() -> Made:
    return made()


@pytest.fixture(scope="module")
def reference(small: Made) -> Reference:
    return frozen(small.facts(), inputs(), "2026-Q4")


@pytest.fixture(scope="module")
def before(small: Made, reference: Reference) -> Ranking:
    return recorded(index_at(small.facts(), inputs(reference), reference))


def after(facts: Made, reference: Reference | None) -> Ranking:
    """Return the ranking of a month later, whatever enters frozen in an addendum."""
    entering = addendum(facts.facts(), inputs(reference, day=LATER), reference, ()) if reference is not None else None
    addenda = (entering,) if entering is not None else ()
    return recorded(index_at(facts.facts(), inputs(reference, *addenda, day=LATER), reference, addenda))


def why(found: Changes) -> dict[str, tuple[Reason, ...]]:
    return {one.model: one.why for one in found.moved}


def test_nothing_moves_when_nothing_is_new(small: Made, reference: Reference, before: Ranking) -> None:
    found = changes(before, after(small, reference))
    assert found.moved == () and found.still == before.ranked and found.entered == () and found.left == ()
    assert changes(before, before).moved == ()
    with pytest.raises(ValueError, match="2026-11-22 is after 2026-10-22"):
        changes(after(small, reference), before)


def test_each_model_that_moved_has_its_reasons(small: Made, reference: Reference, before: Ranking) -> None:
    missing = next(name for name in small.benchmarks if ("Model 05", name) not in small.scores)
    gone = next(name for name in small.benchmarks if ("Model 08", name) in small.scores)
    wider = replace(small, benchmarks=(*small.benchmarks, "late"))
    wider = wider.having({("Model 05", missing): 0.9, ("Model 07", "bench-00"): 0.02, ("Model 10", "late"): 0.8})
    wider = replace(wider, scores={pair: y for pair, y in wider.scores.items() if pair != ("Model 08", gone)})
    found = changes(before, after(wider, reference))
    assert found.entered == ("late",) and found.references == ("2026-Q4", "2026-Q4")
    assert why(found) == {
        "Model 05": (Reason("new result", missing),),
        "Model 07": (
            Reason("changed result" if ("Model 07", "bench-00") in small.scores else "new result", "bench-00"),
        ),
        "Model 08": (Reason("result gone", gone),),
        "Model 10": (Reason("benchmark entered", "late"),),
    }
    moves = [abs(one.after - one.before) for one in found.moved if one.after is not None and one.before is not None]
    assert len(moves) >= 3 and moves == sorted(moves, reverse=True)


def test_a_benchmark_that_leaves_names_every_model_that_it_moved(
    small: Made, reference: Reference, before: Ranking
) -> None:
    found = changes(before, after(small.without("bench-02"), reference))
    assert [name for name, _ in found.left] == ["bench-02"]
    had = {model for model, benchmark in small.scores if benchmark == "bench-02"}
    assert {model for model, reasons in why(found).items() if Reason("benchmark left", "bench-02") in reasons} <= had
    assert set(why(found)) <= had and len(found.moved) >= len(had) - 1


def test_who_loses_the_gate_has_no_score_and_the_sentence(small: Made, reference: Reference, before: Ranking) -> None:
    mine = [benchmark for model, benchmark in small.scores if model == "Model 04"]
    thin = replace(small, scores={p: y for p, y in small.scores.items() if p[0] != "Model 04" or p[1] in mine[:2]})
    (moved,) = changes(before, after(thin, reference)).moved
    assert (moved.model, moved.after) == ("Model 04", None) and moved.before is not None
    assert moved.refused is not None and "not enough current evidence" in moved.refused
    assert {reason.cause for reason in moved.why} == {"result gone"}


def test_without_what_holds_them_parameters_move_models(small: Made, before: Ranking) -> None:
    wider = small.having({("Model 07", "bench-00"): 0.02})
    free = recorded(index_at(small.facts(), inputs(), None)), after(wider, None)
    reasons = why(changes(*free))
    assert all(reason.cause == "parameters" for reason in reasons["Model 03"]) and reasons["Model 03"]
    # Off a reference and onto none, the scale is another.
    assert why(changes(before, free[1]))["Model 03"][-1] == Reason("reference", None)


def test_an_old_reference_reads_as_the_new_one(small: Made, reference: Reference) -> None:
    wider = replace(small, benchmarks=(*small.benchmarks, "late"))
    wider = wider.having({(name, "late"): 0.1 + 0.05 * i for i, name in enumerate(small.models)}).without("bench-01")
    new = frozen(wider.facts(), inputs(day=LATER), "2027-Q1")
    table = old_to_new(wider.facts(), inputs(day=LATER), reference, new)
    assert (table.only_old, table.only_new) == (("bench-01",), ("late",))
    assert [one.benchmark for one in table.benchmarks] == [name for name in small.benchmarks if name != "bench-01"]
    assert [one.new for one in table.models] == sorted((one.new for one in table.models), reverse=True)
    held = index_at(wider.facts(), inputs(new, day=LATER), new)
    assert {one.model: one.new for one in table.models} == {
        one.model.model: one.score for one in held.models if one.refused is None
    }
    assert all(abs(table.slope * one.old + table.offset - one.new) <= table.off + 1e-9 for one in table.models)
    same = old_to_new(small.facts(), inputs(), reference, reference)
    assert (same.slope, same.offset, same.off) == pytest.approx((1, 0, 0), abs=1e-6)
    with pytest.raises(InputError, match="no two models"):
        few = {pair: y for pair, y in small.scores.items() if pair[0] == "Model 04"}
        old_to_new(replace(small, scores=few).facts(), inputs(), reference, reference)
