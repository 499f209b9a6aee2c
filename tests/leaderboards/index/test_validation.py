"""The checks of the index: each finds what was planted for it to find, and nothing where nothing was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from argusic.leaderboards.index.abilities import held
from argusic.leaderboards.index.fitting import UNIT, fit
from argusic.leaderboards.index.objective import Objective
from argusic.leaderboards.index.responses import Floats, Responses
from argusic.leaderboards.index.simulation import Truth, at_random, planted
from argusic.leaderboards.index.validation.calibration import calibration
from argusic.leaderboards.index.validation.coverage import coverage, likelihood_of_coverage
from argusic.leaderboards.index.validation.cross import cross_validated, dealt, mean_of, predicted
from argusic.leaderboards.index.validation.dropped import each_dropped, without
from argusic.leaderboards.index.validation.functioning import screened, unseen_residuals
from argusic.leaderboards.index.validation.halves import halves
from argusic.leaderboards.index.validation.linking import Line, known_scale, regressed, standardised
from argusic.leaderboards.index.validation.renewed import newcomers, renewed
from argusic.leaderboards.index.validation.residuals import dependent, left, surprises
from tests.leaderboards.index.test_fit import dense, made

TRUTH = Truth.drawn(150, 30, seed=4)
PATTERN = at_random(TRUTH, share=0.4, seed=5)


def data(seed: int = 0, sigma: float = 0.1) -> Responses:
    return planted(TRUTH, PATTERN, sigma=sigma, seed=seed)


def rescored(responses: Responses, score: Floats) -> Responses:
    return replace(responses, score=np.clip(score, 0, 1))


def test_folds_are_as_equal_as_can_be_and_a_seed_deals_them_always_alike() -> None:
    fold = dealt(103, 5, 7)
    assert sorted(np.bincount(fold).tolist()) == [20, 20, 21, 21, 21]
    assert np.array_equal(fold, dealt(103, 5, 7)) and not np.array_equal(fold, dealt(103, 5, 8))


def test_a_result_has_no_part_in_its_own_prediction() -> None:
    responses = data()
    score = responses.score.copy()
    score[17] = 1 - score[17]
    before, after = predicted(responses, seed=2), predicted(rescored(responses, score), seed=2)
    for one, other in ((before.index, after.index), (before.offsets, after.offsets), (before.means, after.means)):
        assert one[17] == other[17] and not np.array_equal(one, other)


def test_the_index_predicts_better_than_both_guesses_and_they_are_what_they_say() -> None:
    responses = data()
    found = mean_of([cross_validated(responses, seed=seed) for seed in range(2)])
    assert found.index < 0.125 < found.offsets < found.means
    said, out = predicted(responses, seed=0), dealt(len(responses), 5, 0) == 3
    n = int(np.flatnonzero(out)[5])
    seen = responses.where(~out)
    means = [
        float(np.mean(seen.score[seen.benchmark == j])) if np.any(seen.benchmark == j) else float(np.mean(seen.score))
        for j in range(len(responses.benchmarks))
    ]
    own = seen.model == responses.model[n]
    off = seen.score[own] - np.array(means)[seen.benchmark[own]]
    assert said.means[n] == pytest.approx(means[responses.benchmark[n]])
    guess = means[responses.benchmark[n]] + float(np.sum(off)) / (len(off) + 1)
    assert said.offsets[n] == pytest.approx(min(max(guess, 0), 1))


def test_predictions_are_as_sure_as_they_may_be_where_the_noise_is_what_was_assumed() -> None:
    found = calibration([predicted(data(seed), seed=seed) for seed in range(2)])
    shares = dict(found.shares)
    assert 0.85 < shares[0.9] < 0.95 and 0.45 < shares[0.5] < 0.62 and 0.85 < found.spread < 1.15
    wild = dict(calibration([predicted(data(sigma=0.25))]).shares)
    assert wild[0.9] < 0.75


def test_a_fit_without_a_benchmark_is_that_of_the_results_on_the_others() -> None:
    responses = made(40, 9)
    fitted = fit(responses)
    cold = fit(responses.where(responses.benchmark != 4)).at.theta
    assert np.allclose(without(fitted, 4), cold, atol=1e-3)
    anchored = fit(responses, anchors={name: fitted.item(name) for name in responses.benchmarks})
    frozen = fit(
        responses.where(responses.benchmark != 4),
        anchors={name: fitted.item(name) for name in responses.benchmarks},
    )
    assert np.allclose(without(anchored, 4), frozen.at.theta, atol=1e-4)


def test_the_benchmark_that_a_rank_rests_on_comes_first() -> None:
    responses = data()
    score = responses.score.copy()
    places = np.flatnonzero((responses.benchmark == 11) & (score < 0.5))
    # The weakest of them excels here alone.
    weakest = places[np.argmin(TRUTH.theta[responses.model[places]])]
    score[weakest] = 1.0
    fitted = fit(rescored(responses, score))
    lifted = responses.models[responses.model[weakest]]
    found = {one.benchmark: one for one in each_dropped(fitted, responses.models, top=len(responses.models))}
    assert len(found) == 30
    one = found[responses.benchmarks[11]]
    assert one.results == np.sum(responses.benchmark == 11)
    order = list(found.values())
    assert [o.places for o in order] == sorted((o.places for o in order), reverse=True)
    theta = without(fitted, 11)
    rank = {name: int(np.sum(theta > theta[k])) + 1 for k, name in enumerate(responses.models)}
    before = {name: int(np.sum(fitted.at.theta > fitted.at.theta[k])) + 1 for k, name in enumerate(responses.models)}
    assert (one.came, one.went) == (before[one.model], rank[one.model])
    assert one.places == max(abs(rank[name] - before[name]) for name in rank) >= abs(rank[lifted] - before[lifted])
    assert one.points == pytest.approx(UNIT * np.max(np.abs(theta - fitted.at.theta)))


@pytest.mark.parametrize(("field", "says"), [((), "nobody"), (("nobody at all",), "'nobody at all' is not")])
def test_a_field_that_is_none_is_refused(field: tuple[str, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        each_dropped(fit(made(5, 4)), field)


def test_an_update_moves_models_without_new_results_in_a_free_fit_alone() -> None:
    responses = data()
    new = newcomers(responses, of=4)
    found = renewed(responses, new)
    assert found.results == np.sum(new) and found.models == 150 - 150 // 4
    assert found.free.most > 0.2 and found.standardised.most > 0.2 and found.frozen.most < 1e-6
    nothing = renewed(responses, np.zeros(len(responses), dtype=bool))
    assert nothing.models == 150 and nothing.free.most < 1e-6


def test_a_line_puts_one_scale_on_another() -> None:
    truth = np.array([-1.0, 0.0, 2.0, 3.0])
    assert regressed(truth, 0.5 + 2 * truth) == pytest.approx(Line(0.5, 2.0))
    assert np.allclose(regressed(truth, 0.5 + 2 * truth).put(truth), 0.5 + 2 * truth)
    put = standardised(truth).put(truth)
    assert np.mean(put) == pytest.approx(0) and np.std(put) == pytest.approx(1)


def test_errors_on_a_given_scale_are_the_joint_ones_without_what_a_line_takes_up() -> None:
    responses = made(25, 8)
    fitted = fit(responses)
    among = np.arange(25) % 5 != 0
    joint = np.linalg.inv(dense(Objective(responses, fitted.options), fitted.at, exact=False))[:25, :25]
    line = np.stack([np.ones(25), fitted.at.theta], axis=1)
    given = line * among[:, None]
    rest = np.eye(25) - line @ np.linalg.inv(given.T @ line) @ given.T
    assert np.allclose(known_scale(fitted, among), np.sqrt(np.diag(rest @ joint @ rest.T)))
    assert np.all(known_scale(fitted, np.ones(25, dtype=bool)) < fitted.spread.joint)


def test_halves_agree_as_ranges_say_where_the_noise_is_what_was_assumed() -> None:
    fitted = fit(data())
    found = halves(fitted, frozen=10, free=3)
    assert 0.86 < found.frozen.share < 0.97 and found.frozen.pairs > 500
    assert 0.84 < found.known_scale.share < 0.96 and found.joint.share > 0.86
    assert found.conditional.share < found.joint.share and found.joint.spread < found.conditional.spread
    wild = halves(fit(data(sigma=0.25)), frozen=5, free=2)
    assert wild.frozen.share < 0.75 and wild.known_scale.share < 0.75
    few = halves(fitted, frozen=2, free=1)
    assert few == halves(fitted, frozen=2, free=1) != halves(fitted, frozen=2, free=1, seed=1)


def test_data_that_cannot_be_halved_say_so() -> None:
    found = halves(fit(made(6, 4)), frozen=2, free=2)
    assert found.frozen.pairs == found.joint.pairs == 0 and np.isnan(found.joint.share)


def test_what_is_left_over_is_told_by_benchmark_and_by_result() -> None:
    responses = data()
    score = responses.score.copy()
    n = int(np.argmax(np.abs(score - 0.9)))
    score[n] = 0.9
    changed = rescored(responses, score)
    fitted, unseen = fit(changed), predicted(changed)
    found = left(fitted, unseen)
    assert len(found) == 30 and sum(one.results for one in found) == len(responses)
    total = sum(one.results * one.rmse**2 for one in found)
    assert np.sqrt(total / len(responses)) == pytest.approx(fitted.rmse)
    assert np.mean([one.held_out for one in found]) > np.mean([one.rmse for one in found])
    first = surprises(fitted, unseen, most=3)[0]
    assert (first.model, first.benchmark) == (
        responses.models[responses.model[n]],
        responses.benchmarks[responses.benchmark[n]],
    )
    assert first.score == 0.9 and first.off > 4


def test_benchmarks_that_share_more_than_the_ability_are_found() -> None:
    theta = np.random.default_rng(3).normal(size=200)
    shared = np.random.default_rng(4).normal(0, 0.12, size=200)
    noise = np.random.default_rng(5).normal(0, 0.06, size=(200, 8))
    p = 1 / (1 + np.exp(-(theta[:, None] - np.linspace(-1, 1, 8))))
    p[:, 2] += shared
    p[:, 6] += shared
    score = np.clip(p + noise, 0, 1)
    rows = [(f"m{i:03}", f"b{j}", float(score[i, j])) for i in range(200) for j in range(8)]
    pairs, looked = dependent(fit(Responses.of_rows(rows)))
    assert looked == 28 and (pairs[0].first, pairs[0].second) == ("b2", "b6")
    assert pairs[0].correlation > 0.5 and pairs[0].shared == 200
    assert dependent(fit(made(10, 4))) == ((), 0)


def families(responses: Responses) -> dict[str, str]:
    return {name: f"maker {place % 6}" for place, name in enumerate(responses.models) if place % 6 < 5}


def test_a_benchmark_that_one_family_finds_easier_is_found() -> None:
    responses = data()
    of = families(responses)
    own = np.array([of.get(responses.models[i]) == "maker 2" for i in responses.model])
    fitted = fit(rescored(responses, responses.score + 0.25 * (own & (responses.benchmark == 9))))
    found = screened(fitted, of)
    assert found.looked > 100 and found.found
    first = found.found[0]
    assert (first.family, first.benchmark) == ("maker 2", responses.benchmarks[9])
    assert 0.1 < first.more < 0.3 and first.points > 0 and first.chance < 1e-3
    assert first.results == np.sum(own & (responses.benchmark == 9))
    assert len(screened(fit(responses), of).found) <= 2
    assert screened(fit(responses), {}).looked == 0


def test_the_screens_chances_are_those_of_welchs_test() -> None:
    responses = data()
    fitted, of = fit(responses), families(data())
    found = screened(fitted, of)
    off, _ = unseen_residuals(fitted)
    chances = []
    for j in range(30):
        for family in sorted(set(of.values())):
            own = np.array([of.get(responses.models[i]) == family for i in responses.model])
            here = responses.benchmark == j
            if min(np.sum(own & here), np.sum(~own & here)) >= 4:
                chances.append(ttest_ind(off[own & here], off[~own & here], equal_var=False).pvalue)
    assert found.looked == len(chances)
    # Chance alone gives as many small ones as there are of that size.
    assert 0.3 < np.mean(np.array(chances) < 0.5) < 0.7
    smallest = min(chances)
    assert (smallest * len(chances) <= 0.05) == any(one.chance <= 0.05 for one in found.found)


def test_what_is_expected_of_a_result_is_taken_from_the_models_others() -> None:
    fitted = fit(data())
    r = fitted.responses
    off, slope = unseen_residuals(fitted)
    a, b = np.exp(fitted.at.alpha)[r.benchmark], fitted.at.difficulty[r.benchmark]
    exact = np.empty(len(r))
    for place in range(len(r.models)):
        own = np.flatnonzero(r.model == place)
        theta = held(fitted, place).modes(1 - np.eye(len(own))).theta
        exact[own] = r.score[own] - 1 / (1 + np.exp(-a[own] * (theta - b[own])))
    assert np.corrcoef(off, exact)[0, 1] > 0.99 and np.mean(np.abs(off - exact)) < 0.005
    # With the result itself the residual is smaller.
    assert np.mean(np.abs(off)) > np.mean(np.abs(r.score - fitted.expected)) and np.all(slope > 0)


def test_uneven_coverage_is_seen_and_weighed() -> None:
    able = TRUTH.theta[:, None] - TRUTH.difficulty
    model, benchmark = np.nonzero(np.random.default_rng(1).random(able.shape) < np.exp(-(able**2)))
    fitted = fit(planted(TRUTH, (model, benchmark)))
    chance = likelihood_of_coverage(fitted)
    assert chance.shape == able.shape and np.sum(chance) == pytest.approx(len(model), rel=1e-3)
    near = np.abs(fitted.at.theta[:, None] - fitted.at.difficulty) < 0.3
    assert np.mean(chance[near]) > 2 * np.mean(chance[~near])
    top = [TRUTH.models[place] for place in np.argsort(-fitted.at.theta)[:10]]
    found = coverage(fitted, top)
    assert found.ability_and_difficulty > 0.4 and [one.model for one in found.models] == top
    # Whoever withholds the worst quarter is too high, and a model does not move where coverage is even.
    assert all(0.3 < one.withheld < 15 for one in found.models) and found.places <= 9
    full = [(f"m{i}", f"b{j}", (i + j) / 20) for i in range(9) for j in range(6)]
    even = coverage(fit(Responses.of_rows(full)), ["m1", "m7"])
    assert all(abs(one.weighted) < 1.0 for one in even.models) and even.results_and_ability == 0
