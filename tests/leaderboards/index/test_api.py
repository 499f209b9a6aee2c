"""What others build on: names that are loaded when asked for, a summary, frames and pictures of a fit."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from argusic.errors import CheckFailed, EnvironmentLack
from argusic.leaderboards import index
from argusic.leaderboards.index import Fit, NotConverged, Options, Responses, fit, plots, read_table
from argusic.leaderboards.index.published import published
from tests.leaderboards.index.test_fit import made


@pytest.fixture(scope="module")
def fitted() -> Fit:
    return fit(made())


def test_every_name_of_the_package_is_there_and_says_what_it_is() -> None:
    assert index.__all__ == sorted(index.__all__)
    for name in index.__all__:
        found = getattr(index, name)
        assert found.__doc__ and name in dir(index)
    assert callable(index.fit)
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        index.guess  # noqa: B018


def test_the_package_loads_no_numbers_until_a_name_is_asked_for() -> None:
    code = (
        "import sys, argusic.cli.index, argusic.leaderboards.index as index; before = 'numpy' in sys.modules;"
        "index.fit; print(before, 'numpy' in sys.modules, 'pandas' in sys.modules, 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False", "False"]


def test_columns_are_rows(tmp_path: Path) -> None:
    rows = [("a", "x", 0.5), ("b", "x", 0.25)]
    columns = ["a", "b"], ["x", "x"], np.array([0.5, 0.25])
    file = tmp_path / "table.csv"
    file.write_text("model,benchmark,score\nb,x,0.25\na,x,0.5\n")
    assert Responses.of_columns(*columns).digest == Responses.of_rows(rows).digest == read_table(str(file)).digest
    with pytest.raises(ValueError, match="nan is no name of a model or benchmark"):
        Responses.of_columns([float("nan")], ["x"], [0.5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="shorter"):
        Responses.of_columns(["a", "b"], ["x"], [0.5])


def test_a_frame_has_the_columns_of_the_document_and_results_beside_what_is_expected(fitted: Fit) -> None:
    document = published(fitted)
    for of in ("models", "benchmarks"):
        frame = fitted.frame(of)
        assert frame.to_dict("records") == document[of]
    results = fitted.frame("results")
    assert list(results.columns) == ["model", "benchmark", "score", "expected", "residual"]
    assert np.allclose(results["expected"] + results["residual"], results["score"])
    assert float(np.sqrt(np.mean(results["residual"] ** 2))) == pytest.approx(fitted.rmse)
    again = Responses.of_columns(results["model"], results["benchmark"], results["score"])
    assert again.digest == fitted.responses.digest


def test_without_pandas_or_matplotlib_a_sentence_says_what_to_install(
    fitted: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argusic.leaderboards.index.frames.find_spec", lambda name: None)
    monkeypatch.setattr("argusic.leaderboards.index.plots.find_spec", lambda name: None)
    with pytest.raises(EnvironmentLack, match=r"pandas is not installed. .*argusic\[frames\]"):
        fitted.frame()
    with pytest.raises(EnvironmentLack, match=r"matplotlib is not installed. .*argusic\[plots\]"):
        plots.ranges(fitted)
    assert importlib.util.find_spec("pandas") and importlib.util.find_spec("matplotlib")


def test_a_summary_says_how_large_how_it_ended_and_who_is_first(fitted: Fit) -> None:
    said = fitted.summary(top=3).splitlines()
    assert "12 models on 6 benchmarks" in said[0]
    assert f"converged in {fitted.steps} steps" in said[1] and f"RMSE {fitted.rmse:.4f}" in said[1]
    assert len(said) == 3 + 3 and said[3].endswith(fitted.responses.models[int(np.argmax(fitted.at.theta))])
    assert "bernoulli likelihood" in fit(made(), Options(likelihood="bernoulli")).summary()


def test_curves_go_through_half_at_the_difficulty(fitted: Fit) -> None:
    name = fitted.responses.benchmarks[2]
    axes = plots.curves(fitted, [name])
    line, dots = axes.get_lines()
    x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
    difficulty = fitted.item(name).difficulty
    assert np.interp(100 + 25 * difficulty, x, y) == pytest.approx(0.5, abs=0.01)
    assert len(np.asarray(dots.get_xdata())) == int(np.sum(fitted.responses.benchmark == 2))
    with pytest.raises(ValueError, match="'none' is not in the fit"):
        plots.curves(fitted, ["none"])


def test_ranges_are_drawn_one_model_a_line_the_highest_on_top(fitted: Fit, tmp_path: Path) -> None:
    axes = plots.ranges(fitted, top=5)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    first = np.argsort(-fitted.at.theta, kind="stable")[:5]
    assert labels == [fitted.responses.models[place] for place in first]
    assert list(np.asarray(axes.get_lines()[0].get_ydata())) == [0, -1, -2, -3, -4]
    chosen = plots.ranges(fitted, ["model 003", "model 007"])
    assert len(chosen.get_yticklabels()) == 2
    file = tmp_path / "ranges.png"
    axes.get_figure(root=True).savefig(file)  # type: ignore[union-attr]
    assert file.read_bytes().startswith(b"\x89PNG")


def test_residuals_are_drawn_on_axes_that_are_given(fitted: Fit) -> None:
    given = plots.curves(fitted)
    before = len(given.get_lines())
    assert plots.residuals(fitted, axes=given) is given
    drawn = given.get_lines()[before]
    assert np.allclose(np.asarray(drawn.get_ydata(), dtype=float), fitted.responses.score - fitted.expected)


def test_a_fit_that_came_to_no_end_is_a_sentence() -> None:
    with pytest.raises(NotConverged) as raised:
        fit(made(), Options(most_steps=1))
    assert isinstance(raised.value, CheckFailed)
    assert str(raised.value).startswith("The fit came to no end: the largest element of the gradient is still ")
    assert str(raised.value).endswith(" after 1 steps.")
