"""Data at the edges of what can be fitted: each has an answer that is defined, and the answer says how it ended."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.errors import CheckFailed
from argusic.leaderboards.index import Fit, NotConverged, Options, Responses, fit
from argusic.leaderboards.index.objective import Objective, Point
from tests.leaderboards.index.test_fit import made

BOTH = (Options(), Options(likelihood="bernoulli"))
Rows = list[tuple[str, str, float]]


def rows_of(responses: Responses, prefix: str = "") -> Rows:
    return [
        (f"{prefix}{responses.models[i]}", f"{prefix}{responses.benchmarks[j]}", float(y))
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]


def theta(found: Fit, model: str) -> float:
    return float(found.at.theta[found.responses.models.index(model)])


def spread(found: Fit, model: str) -> float:
    return float(found.spread.joint[found.responses.models.index(model)])


def sound(found: Fit) -> bool:
    """Return whether a fit ended as it says, with every number finite and no range wider than the prior's."""
    parts = (found.at.theta, found.at.difficulty, found.at.alpha, found.spread.conditional, found.spread.joint)
    ended = found.gradient <= found.options.tolerance if found.ended_by == "gradient" else found.gradient < 1e-3
    widest = found.options.theta_sd * (1 + 1e-9)
    return ended and all(bool(np.all(np.isfinite(part))) for part in parts) and bool(np.all(parts[-1] <= widest))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 7), st.integers(0, 5)),
        st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1 - 2**-53]), st.floats(0, 1)),
        max_size=30,
    ),
    st.sampled_from(BOTH),
)
def test_whatever_the_results_the_fit_ends(cells: dict[tuple[int, int], float], options: Options) -> None:
    found = fit(Responses.of_rows([(f"m{i}", f"b{j}", y) for (i, j), y in cells.items()]), options)
    assert sound(found) and 0 <= found.rmse <= 1


@pytest.mark.parametrize("options", BOTH)
def test_a_single_result_moves_its_model_and_leaves_it_nearly_as_uncertain_as_the_prior(options: Options) -> None:
    low, none, high = (fit(Responses.of_rows([("a", "x", y)]), options) for y in (0.0, 0.5, 1.0))
    assert theta(low, "a") == pytest.approx(-theta(high, "a"), abs=1e-9) and theta(high, "a") > 0
    assert theta(none, "a") == pytest.approx(0.0, abs=1e-9)
    # b gives way twice as easily as theta: what one result says of theta is a fifth of what it says.
    assert np.sqrt(0.8) - 1e-9 <= spread(none, "a") < 1


@pytest.mark.parametrize("options", BOTH)
def test_equal_results_have_equal_abilities(options: Options) -> None:
    rows = [(f"m{i}", f"b{j}", 0.7) for i in range(6) for j in range(4)]
    found = fit(Responses.of_rows(rows), options)
    assert sound(found)
    assert np.ptp(found.at.theta) < 1e-9 and np.ptp(found.at.difficulty) < 1e-9 and np.ptp(found.at.alpha) < 1e-9


@pytest.mark.parametrize("options", BOTH)
def test_nothing_but_zeros_or_ones_is_last_and_first_among_those_with_the_same_benchmarks(options: Options) -> None:
    rows = [(f"m{i}", f"b{j}", 0.2 + 0.1 * i) for i in range(6) for j in range(5)]
    rows += [("none", f"b{j}", 0.0) for j in range(5)] + [("every", f"b{j}", 1.0) for j in range(5)]
    found = fit(Responses.of_rows(rows), options)
    assert sound(found)
    order = np.argsort(found.at.theta)
    assert found.responses.models[order[0]] == "none" and found.responses.models[order[-1]] == "every"


@pytest.mark.parametrize("score", [0.0, 1.0])
@pytest.mark.parametrize("options", BOTH)
def test_a_benchmark_on_which_all_reached_the_same_end_orders_nobody(options: Options, score: float) -> None:
    responses = made(10, 5, share=1.0)
    rows = [*rows_of(responses), *((model, "saturated", score) for model in responses.models)]
    plain, more = fit(responses, options), fit(Responses.of_rows(rows), options)
    assert sound(more)
    assert (more.item("saturated").difficulty < 0) == (score == 1)
    assert np.array_equal(np.argsort(plain.at.theta), np.argsort(more.at.theta))


def test_a_model_on_one_benchmark_and_a_benchmark_of_one_model_are_less_certain_than_others() -> None:
    rows = [*rows_of(made(20, 8, share=1.0)), ("one", "benchmark 03", 0.6), ("model 000", "own", 0.4)]
    found = fit(Responses.of_rows(rows))
    assert sound(found)
    assert spread(found, "one") > 1.5 * max(spread(found, f"model {i:03}") for i in range(20))
    # The one model's ability is known: what it says of the benchmark's difficulty moves that, not the model.
    without = fit(Responses.of_rows([row for row in rows if row[1] != "own"]))
    assert abs(theta(found, "model 000") - theta(without, "model 000")) < 0.01


def test_parts_that_share_nothing_are_fitted_as_if_each_were_alone() -> None:
    first, second = made(12, 6, seed=1), made(9, 5, seed=2)
    both = fit(Responses.of_rows([*rows_of(first, "a "), *rows_of(second, "b ")]))
    assert sound(both)
    for part, prefix in ((first, "a "), (second, "b ")):
        alone = fit(part)
        for place, model in enumerate(part.models):
            assert theta(both, prefix + model) == pytest.approx(float(alone.at.theta[place]), abs=1e-8)
            assert spread(both, prefix + model) == pytest.approx(float(alone.spread.joint[place]), abs=1e-8)


def test_benchmarks_without_results_change_no_ability() -> None:
    responses = made(15, 6)
    more = Responses(
        responses.models, (*responses.benchmarks, "z1", "z2"), responses.model, responses.benchmark, responses.score
    )
    assert np.allclose(fit(more).at.theta, fit(responses).at.theta, atol=1e-9)
    assert fit(more).item("z2") == (0.0, 1.0)


@pytest.mark.parametrize("sigma", [1e-4, 1e-3, 1e-2, 1.0, 10.0])
def test_the_smallest_and_the_largest_sigma_end(sigma: float) -> None:
    responses = made(40, 12, seed=4)
    found = fit(responses, Options(sigma=sigma))
    assert sound(found)
    if sigma == 10:
        assert np.max(np.abs(found.at.theta)) < 0.02 and np.min(found.spread.joint) > 0.99
    if sigma <= 1e-2:
        wider = fit(responses, Options(sigma=0.03))
        assert found.rmse < wider.rmse and np.corrcoef(found.at.theta, wider.at.theta)[0, 1] > 0.95


def test_a_small_sigma_ends_where_its_own_objective_is_smallest() -> None:
    responses = made(15, 6, seed=8)
    found = fit(responses, Options(sigma=0.005))
    # Beyond what is reached by way of wider sigmas, no direction goes down.
    random = np.random.default_rng(0)
    objective = Objective(responses, found.options)
    for size in (1e-4, 1e-3, 1e-2):
        off = [
            random.normal(0, size, size=part.shape) for part in (found.at.theta, found.at.difficulty, found.at.alpha)
        ]
        moved = Point(found.at.theta + off[0], found.at.difficulty + off[1], found.at.alpha + off[2])
        assert objective.value(moved) > found.objective


def test_noise_that_a_tiny_sigma_takes_for_exact_ends_in_a_sentence_that_says_so() -> None:
    random = np.random.default_rng(12)
    rows = [(f"m{i}", f"b{j}", float(random.random() < 0.5)) for i in range(40) for j in range(25)]
    with pytest.raises(NotConverged, match=r"The fit came to no end: .*\. A sigma of 0\.0\d+ takes these results for"):
        fit(Responses.of_rows(rows), Options(sigma=1e-3))
    assert sound(fit(Responses.of_rows(rows), Options(sigma=0.1)))


def test_the_command_line_is_told_the_same(tmp_path: Path) -> None:
    random = np.random.default_rng(12)
    lines = [f"m{i},b{j},{int(random.random() < 0.5)}" for i in range(40) for j in range(25)]
    file = tmp_path / "noise.csv"
    file.write_text("\n".join(["model,benchmark,score", *lines]))
    command = ["index", "fit", "--input", str(file), "--sigma", "0.001", "--json"]
    done = CliRunner().invoke(build("index"), command)
    assert isinstance(done.exception, CheckFailed) and done.exception.exit_code == 1 and done.stdout == ""
    assert "came to no end" in str(done.exception) and "A sigma of " in str(done.exception)
