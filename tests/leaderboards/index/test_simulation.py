"""A truth that is planted: what ranges cover of it where gaps may be ignored, and what happens where they may not."""

from __future__ import annotations

import numpy as np
import pytest

from argusic.leaderboards.index.fitting import fit
from argusic.leaderboards.index.neighbours import rank
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.simulation import (
    Recovered,
    Truth,
    at_random,
    by_ability,
    pattern_of,
    planted,
    recovered,
    silenced,
)

TRUTH = Truth.drawn(200, 40, seed=1)


def fitted_to(choosing: bool | None, watched: bool = True) -> Recovered:
    """Return what is made of the truth when a fifth withhold by choice, by chance (False), or not at all (None)."""
    who = np.arange(200) % 5 == 0

    def results(draw: int) -> object:
        whole = planted(TRUTH, at_random(TRUTH, share=0.25, seed=draw), seed=draw)
        return whole if choosing is None else silenced(TRUTH, whole, who, choosing=choosing, seed=draw)

    return recovered(TRUTH, results, draws=6, watched=who if watched else None)  # type: ignore[arg-type]


def test_where_gaps_may_be_ignored_ranges_of_90_cover_90_on_a_given_scale() -> None:
    found = fitted_to(None, watched=False)
    assert 0.88 <= found.known_scale.share <= 0.92 and 0.95 < found.known_scale.spread < 1.06
    # The scale is given here, so that a range that holds it for uncertain too is wider than it need be.
    assert found.joint.share > found.known_scale.share > found.conditional.share > 0.86
    assert abs(found.bias) < 1e-9 and found.unit < 1


def test_coverage_by_ability_may_be_ignored() -> None:
    found = recovered(TRUTH, lambda draw: planted(TRUTH, by_ability(TRUTH, share=0.25, seed=draw), seed=draw), draws=6)
    assert 0.88 <= found.known_scale.share <= 0.92


def test_who_withholds_what_falls_short_gains_and_is_no_longer_covered() -> None:
    choosing, chance = fitted_to(True), fitted_to(False)
    assert choosing.bias > 1.0 and abs(chance.bias) < 0.4
    assert choosing.known_scale.share < chance.known_scale.share
    assert choosing.known_scale.spread > chance.known_scale.spread + 0.05
    others = recovered(
        TRUTH,
        lambda draw: silenced(
            TRUTH,
            planted(TRUTH, at_random(TRUTH, share=0.25, seed=draw), seed=draw),
            np.arange(200) % 5 == 0,
            seed=draw,
        ),
        draws=6,
        watched=np.arange(200) % 5 != 0,
    )
    assert -0.6 < others.bias < 0


def test_louder_noise_than_was_assumed_is_covered_less_and_quieter_more() -> None:
    def shares(sigma: float) -> float:
        made = recovered(
            TRUTH, lambda draw: planted(TRUTH, at_random(TRUTH, share=0.25, seed=draw), sigma=sigma, seed=draw), draws=2
        )
        return made.known_scale.share

    assert shares(0.2) < 0.75 and shares(0.05) > 0.97


def test_the_truth_of_a_fit_planted_on_its_own_pairs_is_found_again() -> None:
    first = fit(planted(TRUTH, at_random(TRUTH, share=0.3)))
    truth, pattern = Truth.of(first), pattern_of(first.responses)
    again = planted(truth, pattern, sigma=1e-9)
    assert np.allclose(again.score, first.expected)
    found = fit(again, Options(sigma=0.01))
    assert np.corrcoef(found.at.theta, truth.theta)[0, 1] > 0.999


def test_true_ranks_are_counted_within_their_intervals() -> None:
    field = TRUTH.models[:60]

    def results(draw: int) -> object:
        return planted(TRUTH, at_random(TRUTH, share=0.25, seed=draw), seed=draw)

    found = recovered(TRUTH, results, draws=1, ranked=field, rank_draws=100)  # type: ignore[arg-type]
    ranks = rank(fit(results(0)), field, draws=100)  # type: ignore[arg-type]
    order = sorted(field, key=lambda name: -TRUTH.theta[TRUTH.models.index(name)])
    inside = [
        low <= order.index(name) + 1 <= high
        for name, low, high in zip(ranks.models, ranks.low, ranks.high, strict=True)
    ]
    assert found.ranks == pytest.approx(np.mean(inside)) and 0.7 < np.mean(inside) < 1


def test_only_what_falls_short_is_withheld_by_choice_and_only_by_those_who_withhold() -> None:
    whole = planted(TRUTH, at_random(TRUTH, share=0.3))
    who = np.arange(200) < 50
    left = silenced(TRUTH, whole, who)
    kept = {(int(i), int(j)) for i, j in zip(left.model, left.benchmark, strict=True)}
    gone = [
        n
        for n, pair in enumerate(zip(whole.model, whole.benchmark, strict=True))
        if (int(pair[0]), int(pair[1])) not in kept
    ]
    assert gone and all(who[whole.model[n]] for n in gone)
    assert all(whole.score[n] < TRUTH.expected[whole.model[n], whole.benchmark[n]] for n in gone)
    short = np.sum(who[whole.model] & (whole.score < TRUTH.expected[whole.model, whole.benchmark]))
    assert 0.4 < len(gone) / short < 0.6
