"""The index at a date: what each figure is by a slower way, and that a model moves with results of its own alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from argusic.database.codec import dump
from argusic.errors import InputError
from argusic.leaderboards.index.derive import index_at
from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.freezing import addendum, frozen
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.recorded import recorded
from argusic.leaderboards.index.standings import Index, ModelStanding
from argusic.records.index import FitOptions, Reference
from tests.leaderboards.index.made_index import Made, inputs, made


@pytest.fixture(scope="module")
def small() -> Made:
    return made()


@pytest.fixture(scope="module")
def reference(small: Made) -> Reference:
    return frozen(small.facts(), inputs(), "2026-Q4")


def standings(index: Index) -> dict[str, ModelStanding]:
    return {one.model.model: one for one in index.models}


def test_without_a_reference_it_is_the_fit(small: Made) -> None:
    index = index_at(small.facts(), inputs(), None)
    fitted = fit(index.fit.responses, Options())
    assert [one.theta for one in index.models] == sorted(fitted.at.theta, reverse=True)
    assert index.components == 1 and index.reference is None and index.warnings == ()


def test_a_pull_is_what_the_score_loses_without_the_result(small: Made) -> None:
    index = index_at(small.facts(), inputs(), None)
    held = {name: index.fit.item(name) for name in index.fit.responses.benchmarks}
    name = "Model 03"
    for placed in standings(index)[name].results:
        kept = {pair: score for pair, score in small.scores.items() if pair != (name, placed.result.benchmark)}
        facts = replace(small, scores=kept).facts()
        without = fit(index_at(facts, inputs(), None).fit.responses, Options(), anchors=held)
        score = without.scores[without.responses.models.index(name)]
        assert placed.pull == pytest.approx(standings(index)[name].score - score, abs=1e-4)
        assert placed.counts and placed.expected is not None


def test_a_domain_is_the_score_of_its_benchmarks_alone(small: Made) -> None:
    index = index_at(small.facts(), inputs(), None)
    held = {name: index.fit.item(name) for name in index.fit.responses.benchmarks}
    r, seen = index.fit.responses, 0
    for domain in ("coding", "math"):
        categories = {one.benchmark.benchmark for one in index.benchmarks if one.benchmark.category == domain}
        alone = fit(r.where(np.isin(r.benchmark, [r.benchmarks.index(name) for name in categories])), anchors=held)
        low, high = alone.range(joint=False)
        for name, one in standings(index).items():
            mine = [placed for placed in one.results if placed.result.benchmark in categories]
            assert (domain in one.domains) == (len(mine) >= 2 and one.refused is None)
            if domain in one.domains:
                i, found = r.models.index(name), one.domains[domain]
                assert found.score == pytest.approx(alone.scores[i], abs=1e-4)
                assert (found.conditional.low, found.conditional.high) == pytest.approx((low[i], high[i]), abs=1e-4)
                assert found.benchmarks == len(mine)
                seen += 1
    assert seen > 10


def test_below_the_gate_a_model_has_a_reason_and_no_place(small: Made) -> None:
    few = Made(small.models, small.benchmarks, {p: s for p, s in small.scores.items() if p[0] != "Model 00"})
    index = index_at(few.having({("Model 00", "bench-00"): 0.9}).facts(), inputs(), None)
    one = standings(index)["Model 00"]
    assert one.refused is not None and one.ranks == {} and one.domains == {} and one.counted == 1
    assert "Model 00" in index.connectivity.hanging
    plain = next(model for model in recorded(index).models if model.model == "Model 00")
    assert (plain.score, plain.theta, plain.conditional) == (None, None, None) and plain.refused == one.refused


def test_ranks_are_among_the_open_and_among_all(small: Made) -> None:
    index = index_at(small.facts(), inputs(), None)
    ranked = [one for one in index.models if one.refused is None]
    assert [one.ranks["all"].place for one in ranked] == list(range(1, len(ranked) + 1))
    opened = [one for one in ranked if one.model.open_weights]
    assert [one.ranks["open"].place for one in opened] == list(range(1, len(opened) + 1))
    assert all("open" not in one.ranks for one in ranked if not one.model.open_weights)
    assert ranked[-1].ranks["all"].ahead_of_next is None and ranked[0].ranks["all"].ahead_of_next is not None
    for one in ranked:
        rank = one.ranks["all"]
        group = [other for other in ranked if other.ranks["all"].group == rank.group]
        assert (len(group) == 1 or not rank.known) and rank.low <= rank.high


def test_frozen_parameters_are_the_fit_they_come_from(small: Made, reference: Reference) -> None:
    free = index_at(small.facts(), inputs(), None)
    held = index_at(small.facts(), inputs(reference), reference)
    assert held.reference == "2026-Q4" and held.reference_sha256 == reference.sha256
    assert all(one.anchored for one in held.benchmarks) and not any(one.anchored for one in free.benchmarks)
    for name, one in standings(free).items():
        other = standings(held)[name]
        assert other.score == pytest.approx(one.score, abs=1e-3)
        # Held parameters are no better known than fitted ones: the range says so.
        assert (other.joint.low, other.joint.high) == pytest.approx((one.joint.low, one.joint.high), abs=1e-3)
        assert other.joint.high - other.joint.low > other.conditional.high - other.conditional.low


def test_a_model_moves_only_when_its_own_results_change(small: Made, reference: Reference) -> None:
    before = index_at(small.facts(), inputs(reference), reference)
    lacking = next(name for name in small.benchmarks if ("Model 05", name) not in small.scores)
    updated = replace(small, models=(*small.models, "Newcomer")).having(
        {
            ("Model 05", lacking): 0.97,
            ("Model 07", "bench-00"): 0.02,
            **{("Newcomer", name): 0.9 for name in small.benchmarks},
        }
    )
    after = index_at(updated.facts(), inputs(reference), reference)
    then, now = standings(before), standings(after)
    moved = {name for name in then if then[name].theta != now[name].theta}
    assert moved == {"Model 05", "Model 07"}  # To the last bit.
    assert all(then[name].conditional == now[name].conditional for name in then.keys() - moved)
    # What holds them is the reference: a free fit moves every one of them.
    free = [standings(index_at(one.facts(), inputs(), None)) for one in (small, updated)]
    assert all(abs(free[0][name].score - free[1][name].score) > 1e-6 for name in then)


def test_a_benchmark_that_enters_moves_those_alone_who_have_a_result_on_it(small: Made, reference: Reference) -> None:
    wider = replace(small, benchmarks=(*small.benchmarks, "late")).having(
        {(name, "late"): 0.1 + 0.05 * i for i, name in enumerate(small.models[:9])}
    )
    facts = wider.facts()
    entering = addendum(facts, inputs(reference), reference, ())
    assert entering is not None and [item.benchmark for item in entering.benchmarks] == ["late"]
    assert addendum(facts, inputs(reference, entering), reference, (entering,)) is None
    before = standings(index_at(small.facts(), inputs(reference), reference))
    index = index_at(facts, inputs(reference, entering), reference, (entering,))
    after = standings(index)
    assert {name for name in before if before[name].theta != after[name].theta} <= set(small.models[:9])
    # Frozen, it is held like the others: more results on it by others move nobody either.
    more = wider.having({(name, "late"): 0.9 for name in small.models[9:]})
    again = standings(index_at(more.facts(), inputs(reference, entering), reference, (entering,)))
    assert all(after[name].theta == again[name].theta for name in small.models[:9])
    assert index.warnings == ()
    (loose,) = index_at(facts, inputs(reference), reference).warnings
    assert "late has no parameters in 2026-Q4" in loose


def test_a_piece_that_nothing_connects_is_said_to_be_placed_by_priors(small: Made, reference: Reference) -> None:
    island = replace(small, models=(*small.models, "I1", "I2"), benchmarks=(*small.benchmarks, "far-a", "far-b"))
    island = island.having({(model, name): 0.6 for model in ("I1", "I2") for name in ("far-a", "far-b")})
    free = index_at(island.facts(), inputs(), None)
    assert free.components == 2 and free.connectivity.components[1] == ("far-a", "far-b")
    assert any("No result connects far-a and far-b with the other benchmarks" in said for said in free.warnings)
    held = index_at(island.facts(), inputs(reference), reference)
    assert any("No result connects far-a and far-b with the reference" in said for said in held.warnings)
    # A piece of benchmarks that the reference holds is on the scale whatever the graph looks like.
    tied = island.having({("Model 00", "far-a"): 0.6})
    whole = frozen(tied.facts(), inputs(), "2026-Q4")
    assert index_at(island.facts(), inputs(whole), whole).warnings == ()


def test_a_piece_that_nothing_connects_is_not_frozen(small: Made, reference: Reference) -> None:
    island = replace(small, models=(*small.models, "I1", "I2"), benchmarks=(*small.benchmarks, "far-a", "far-b"))
    island = island.having({(model, name): 0.6 for model in ("I1", "I2") for name in ("far-a", "far-b")})
    # Held, it would pose as measured from then on: neither a reference nor an addendum takes it.
    assert frozen(island.facts(), inputs(), "2026-Q4").benchmarks == reference.benchmarks
    assert addendum(island.facts(), inputs(reference), reference, ()) is None
    # One result of a model that is on the scale is what it takes; a piece is then taken whole.
    entering = addendum(island.having({("Model 00", "far-a"): 0.6}).facts(), inputs(reference), reference, ())
    assert entering is not None and [item.benchmark for item in entering.benchmarks] == ["far-a", "far-b"]


def test_what_is_more_prior_than_measurement_is_named(small: Made) -> None:
    # One result at the ceiling says of a benchmark only that it is easy.
    easy = replace(small, benchmarks=(*small.benchmarks, "easy")).having({("Model 00", "easy"): 0.999})
    (said,) = index_at(easy.facts(), inputs(), None).warnings
    assert said == "The difficulty of easy is more prior than measurement: it has too few results."
    # With results that are worth next to nothing, every score is the prior's.
    vague = inputs().model_copy(update={"options": FitOptions(sigma=3.0)})
    said = " ".join(index_at(small.facts(), vague, None).warnings)
    assert "The score of Model " in said and "more prior than measurement: 100 is the mean of the prior." in said


def test_what_is_held_must_be_what_the_ranking_names(small: Made, reference: Reference) -> None:
    facts = small.facts()
    other = frozen(small.without("bench-03").facts(), inputs(), "2026-Q4")
    for ranking, given in ((inputs(reference), other), (inputs(reference), None), (inputs(), reference)):
        with pytest.raises(InputError, match=r"2026-10-22"):
            index_at(facts, ranking, given)
    rescaled = replace(small, baseline=0.005).facts()
    with pytest.raises(InputError, match=r"bench-00 is frozen since 2026-10-22 with results from 0 to 1; the table"):
        index_at(rescaled, inputs(reference), reference)
    with pytest.raises(InputError, match="panel is empty"):
        index_at(facts, inputs(day=date(2020, 1, 1)), None)


def test_the_same_facts_give_the_same_bytes(small: Made, reference: Reference) -> None:
    facts = small.facts()
    once, again = (dump(recorded(index_at(facts, inputs(reference), reference))) for _ in range(2))
    assert once == again
