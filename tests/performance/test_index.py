"""What the index costs, as ratios within one run on one machine: beside scipy's optimiser, and in fits of its own.

The data are the repository's results, every benchmark counting. All in processor time, on one thread; a fit is one with
both ranges.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, least_squares
from scipy.sparse import csr_array
from scipy.special import expit

from argusic.leaderboards.index import Fit, Options, Responses, cross_validated, fit, rank
from argusic.leaderboards.index.one_thread import one_thread
from argusic.leaderboards.index.panel import PanelRule
from argusic.leaderboards.index.preparing import prepare
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.responses import Floats
from argusic.leaderboards.index.validation.case import Case, of_prepared
from argusic.leaderboards.index.validation.dropped import each_dropped
from argusic.leaderboards.index.validation.report import validated
from tests.performance.times import Work, compared

pytestmark = [pytest.mark.performance, pytest.mark.timeout(300)]

DATA = Path(__file__).parents[2] / "leaderboards" / "index" / "data"
#: How many times faster a fit is than scipy's least squares with an analytic Jacobian.
FASTER = 15.0
#: How many fits each may take.
CROSS_VALIDATION, BOOTSTRAPS, WITHOUT_EACH, REPORT = 8.0, 15.0, 30.0, 80.0
#: How many times a fit's time a hundred times the data may take, and how many bytes.
HUNDREDFOLD, MEMORY = 200.0, 2 * 2**30

#: Fits a table, and a hundred times as many models with results simulated from that fit; prints times and memory.
_HUNDREDFOLD = """
import json, resource, sys, time
import numpy as np
from argusic.leaderboards.index import Responses, fit, read_table
small = read_table(sys.argv[1])
found = fit(small)
random = np.random.default_rng(0)
count, times = len(small.models), 100
scores = [np.clip(found.expected + random.normal(0, 0.1, size=len(small)), 0, 1) for _ in range(times)]
large = Responses(
    tuple(f"{place:07}" for place in range(times * count)),
    small.benchmarks,
    np.concatenate([small.model + copy * count for copy in range(times)]),
    np.tile(small.benchmark, times),
    np.concatenate(scores),
)
def least(responses, rounds):
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        ended = fit(responses)
        ended.spread.joint
        taken.append(time.process_time() - begun)
    return min(taken), ended
one, _ = least(small, 9)
many, ended = least(large, 2)
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([one, many, used, len(large.models), len(large), ended.steps, ended.gradient]))
"""


@dataclass(frozen=True)
class Data:
    """The repository's results, with the open models that pass the gate as their field, and the fit of them."""

    case: Case
    fitted: Fit

    @property
    def responses(self) -> Responses:
        return self.case.responses


@pytest.fixture(scope="module")
def data() -> Data:
    facts = read_facts(DATA)
    rule = PanelRule.everything(max(source.snapshot for source in facts.sources.values()))
    case = of_prepared(facts, prepare(facts, rule), Options())
    return Data(case, fit(case.responses))


@dataclass(frozen=True)
class LeastSquares:
    """The objective of a fit as scipy's least squares takes it: residuals of results and of priors, and Jacobians."""

    responses: Responses
    options: Options

    @property
    def deviations(self) -> Floats:
        o, items = self.options, len(self.responses.benchmarks)
        parts = (len(self.responses.models), o.theta_sd), (items, o.difficulty_sd), (items, o.log_discrimination_sd)
        return np.concatenate([np.full(count, sd) for count, sd in parts])

    def parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return discrimination, z and expected result of each result."""
        r, models, items = self.responses, len(self.responses.models), len(self.responses.benchmarks)
        a = np.exp(x[models + items :])[r.benchmark]
        z = a * (x[:models][r.model] - x[models : models + items][r.benchmark])
        return a, z, np.asarray(expit(z))

    def residuals(self, x: Floats) -> Floats:
        _, _, p = self.parts(x)
        return np.concatenate([(p - self.responses.score) / self.options.sigma, x / self.deviations])

    def sparse(self, x: Floats) -> csr_array:
        r, models, items = self.responses, len(self.responses.models), len(self.responses.benchmarks)
        a, z, p = self.parts(x)
        slope = p * (1 - p) / self.options.sigma
        of_results = np.stack([slope * a, -slope * a, slope * z], axis=1)
        places = np.stack([r.model, models + r.benchmark, models + items + r.benchmark], axis=1)
        own = np.arange(len(x))
        starts = np.concatenate([np.arange(0, 3 * len(r), 3), 3 * len(r) + np.arange(len(x) + 1)])
        values = np.concatenate([of_results.ravel(), 1 / self.deviations])
        return csr_array((values, np.concatenate([places.ravel(), own]), starts), shape=(len(r) + len(x), len(x)))

    def dense(self, x: Floats) -> Floats:
        return np.asarray(self.sparse(x).toarray())

    @one_thread()
    def solved(self, jacobian: Callable[[Floats], Floats | csr_array]) -> OptimizeResult:
        start = np.zeros(len(self.responses.models) + 2 * len(self.responses.benchmarks))
        return least_squares(self.residuals, start, jac=jacobian)


def test_a_fit_is_many_times_faster_than_least_squares_with_an_analytic_jacobian(
    data: Data, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = LeastSquares(data.responses, data.fitted.options)
    costs: dict[str, float] = {}
    ours = Work(lambda: fit(data.responses).spread.joint)
    dense = Work(lambda: costs.update(dense=theirs.solved(theirs.dense).cost))
    sparse = Work(lambda: costs.update(sparse=theirs.solved(theirs.sparse).cost))
    one, by_sparse = compared(ours, sparse, limit=0.5, rounds=5, most_rounds=15)
    again, by_dense = compared(ours, dense, limit=1 / FASTER, rounds=1, most_rounds=2)
    one = min(one, again)
    with capsys.disabled():
        print(
            f"\na fit of {len(data.responses)} results: {one * 1000:.0f} ms; scipy's least squares "
            f"{by_dense / one:.0f} times as long with an analytic Jacobian (at least {FASTER:g}), "
            f"{by_sparse / one:.1f} times with a sparse one, each ending above our objective: by "
            f"{costs['dense'] - data.fitted.objective:.0e} and {costs['sparse'] - data.fitted.objective:.0e}"
        )
    assert by_dense >= FASTER * one
    assert by_sparse >= 2 * one
    assert data.fitted.objective <= min(costs.values()) + 1e-9 and max(costs.values()) < data.fitted.objective + 0.1


@pytest.mark.parametrize(
    ("what", "most", "work"),
    [
        ("5-fold cross-validation", CROSS_VALIDATION, lambda data: cross_validated(data.responses)),
        ("500 bootstraps of benchmarks", BOOTSTRAPS, lambda data: rank(data.fitted, data.case.field, draws=500)),
        ("each benchmark left out", WITHOUT_EACH, lambda data: each_dropped(data.fitted, data.case.field)),
        ("the whole report", REPORT, lambda data: validated(data.case)),
    ],
    ids=["cross-validation", "bootstraps", "left out", "report"],
)
def test_a_check_takes_no_more_than_so_many_fits(
    data: Data, what: str, most: float, work: Callable[[Data], object], capsys: pytest.CaptureFixture[str]
) -> None:
    taken, one = compared(
        Work(lambda: work(data)), Work(lambda: fit(data.responses).spread.joint), most, rounds=4, most_rounds=10
    )
    with capsys.disabled():
        print(f"\n{what}: {taken / one:.1f} fits (at most {most:g}; {taken * 1000:.0f} ms, {one * 1000:.0f} ms)")
    assert taken <= most * one


def test_a_hundred_times_the_data_take_little_more_than_a_hundred_times_as_long(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    r = data.responses
    table = tmp_path / "results.csv"
    rows = (
        f'"{r.models[i]}","{r.benchmarks[j]}",{float(y)!r}'
        for i, j, y in zip(r.model, r.benchmark, r.score, strict=True)
    )
    table.write_text("\n".join(["model,benchmark,score", *rows]), encoding="utf-8")
    command = [sys.executable, "-c", _HUNDREDFOLD, str(table)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    one, many, used, models, results, steps, gradient = json.loads(done.stdout)
    with capsys.disabled():
        print(
            f"\n{results:,} results of {models:,} models: {many / one:.0f} times a fit (at most {HUNDREDFOLD:g}; "
            f"{many:.2f} s, {one * 1000:.0f} ms), {used / 2**20:.0f} MiB (at most {MEMORY // 2**20:,}), {steps} steps"
        )
    assert gradient <= Options().tolerance
    assert many <= HUNDREDFOLD * one
    assert used <= MEMORY
