"""The published results that this repository holds: what the checks say of an index over all of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from argusic.leaderboards.index.fitting import Fit, fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.panel import PanelRule
from argusic.leaderboards.index.preparing import prepare
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.reading.places import data_folder
from argusic.leaderboards.index.simulation import Truth, pattern_of, planted, recovered
from argusic.leaderboards.index.validation.case import Case, of_prepared
from argusic.leaderboards.index.validation.cross import cross_validated, mean_of
from argusic.leaderboards.index.validation.dropped import each_dropped
from argusic.leaderboards.index.validation.functioning import screened
from argusic.leaderboards.index.validation.halves import halves
from argusic.leaderboards.index.validation.renewed import renewed
from argusic.leaderboards.index.validation.residuals import dependent
from tests.leaderboards.index.made_index import TOP

SOURCES = ("aider-2026", "epoch-eci-2026-08", "epoch-hub-2026-04", "evalplus-2024")


@cache
def case() -> Case:
    facts = read_facts(data_folder(TOP))
    day = max(facts.sources[source].snapshot for source in SOURCES)
    return of_prepared(facts, prepare(facts, PanelRule.everything(day), SOURCES), Options())


@cache
def fitted() -> Fit:
    return fit(case().responses)


def test_the_index_predicts_far_better_than_both_guesses_over_ten_deals() -> None:
    found = mean_of([cross_validated(case().responses, seed=seed) for seed in range(10)])
    assert found.index < 0.114 and found.index < 0.6 * found.offsets < 0.6 * found.means
    assert 0.185 < found.offsets < 0.2 and 0.22 < found.means < 0.235


def test_of_the_three_ranges_the_joint_one_covers_what_it_claims() -> None:
    found = halves(fitted(), frozen=5, free=12)
    assert 0.86 < found.joint.share < 0.94 and 0.88 < found.frozen.share < 0.95
    # What the conditional range leaves out is not there where the benchmarks' parameters are shared, and is elsewhere.
    assert found.conditional.share < 0.8
    assert abs(found.joint.share - 0.9) < min(abs(found.conditional.share - 0.9), abs(found.known_scale.share - 0.9))


def test_a_truth_on_the_same_pairs_is_covered_by_the_joint_range() -> None:
    truth, pattern = Truth.of(fitted()), pattern_of(case().responses)
    found = recovered(truth, lambda draw: planted(truth, pattern, seed=draw), draws=5, ranked=case().field)
    assert 0.88 <= found.joint.share <= 0.95 and found.conditional.share < 0.85
    # The priors bend the upper end of the scale: with wide ones nothing is left of that.
    wide = Options(log_discrimination_sd=3.0)
    loose = recovered(truth, lambda draw: planted(truth, pattern, seed=draw), draws=3, options=wide)
    assert found.top > 1.0 and abs(loose.top) < 0.3 and 0.87 < loose.known_scale.share < 0.93
    assert found.ranks is not None and found.ranks > 0.8


def test_an_update_moves_models_without_new_results_unless_benchmarks_are_frozen() -> None:
    facts_new = np.array(case().new)
    found = renewed(case().responses, facts_new)
    assert found.models > 300 and found.free.most > 1.0 and found.frozen.most < 1e-5


def test_without_most_benchmarks_the_first_twenty_move_by_a_few_places_and_who_hangs_on_one_is_named() -> None:
    found = each_dropped(fitted(), case().field)
    by_name = {one.benchmark: one for one in found}
    assert len(found) == len(case().responses.benchmarks)
    assert sum(one.places > 5 for one in found) <= 3
    assert 2 <= by_name["arc-agi-2"].places <= 5 and 2 <= by_name["arc-agi-1"].places <= 5
    hangs = by_name["terminal-bench-2"]
    assert hangs.model == "MiniMax-M2.7" and hangs.places > 5 and hangs.points < 8


def test_what_one_ability_leaves_over_is_known_and_named() -> None:
    pairs, _ = dependent(fitted())
    assert ("frontiermath-t1-3-v2", "frontiermath-v1") in {(pair.first, pair.second) for pair in pairs}
    found = {(one.family, one.benchmark): one.more for one in screened(fitted(), case().families).found}
    assert found["OpenAI", "frontiermath-v1"] > 0.03
