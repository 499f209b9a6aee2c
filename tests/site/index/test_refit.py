"""What the browser fits is what the program fits: the same script, run by Node."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argusic.leaderboards.index.derive import index_at
from argusic.leaderboards.index.fitting import UNIT, fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.responses import Floats
from argusic.records.index import FitOptions
from argusic.site.index.contents import Contents
from argusic.site.index.payload import payload, script
from tests.leaderboards.index.made_index import Made, inputs, made

REFIT = Path(__file__).parents[3] / "argusic/site/assets/index/refit.js"
#: In points. A page shows one decimal.
ENOUGH = 0.05
#: Given data and lists of benchmarks to drop, prints the abilities of both ways to fit.
RUN = """
const refit = require(process.argv[1]);
const [data, drops] = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(drops.map(drop => {
  const keep = data.benchmarks.id.map((_, place) => !drop.includes(place));
  const free = refit.free(data, keep);
  return {held: [...refit.held(data, keep).theta], free: [...free.theta], left: [...free.left]};
})));
"""


def contents_of(content: Made, options: FitOptions | None = None) -> Contents:
    ranking = inputs().model_copy(update={"options": options or FitOptions()})
    facts = content.facts()
    return Contents(index_at(facts, ranking, None), facts, ranking)


def refitted(contents: Contents, drops: list[list[int]]) -> Iterator[dict[str, Any]]:
    node = shutil.which("node")
    assert node is not None
    given = json.dumps([payload(contents), drops])
    done = subprocess.run([node, "-e", RUN, str(REFIT)], input=given, capture_output=True, text=True, check=True)
    yield from json.loads(done.stdout)


def abilities(values: list[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


@pytest.mark.node
@pytest.mark.parametrize("options", [FitOptions(), FitOptions(likelihood="bernoulli"), FitOptions(sigma=0.05)])
def test_without_some_benchmarks_every_score_is_the_program_s(options: FitOptions) -> None:
    contents = contents_of(made(60, 14, share=0.4), options)
    made_by_program = contents.index.fit
    responses = made_by_program.responses
    drops: list[list[int]] = [[], [0], [3, 4, 9], list(range(13))]
    for drop, found in zip(drops, refitted(contents, drops), strict=True):
        left = responses.where(~np.isin(responses.benchmark, drop))
        held = fit(
            left, made_by_program.options, anchors={name: made_by_program.item(name) for name in left.benchmarks}
        )
        free = fit(left, made_by_program.options)
        has = np.bincount(left.model, minlength=len(left.models)) > 0
        assert found["left"] == np.bincount(left.model, minlength=len(left.models)).tolist()
        for name, program in (("held", held), ("free", free)):
            browser = abilities(found[name])
            assert np.array_equal(np.isnan(browser), ~has)
            assert UNIT * np.max(np.abs(browser - program.at.theta)[has]) < ENOUGH / 10, (drop, name)


@pytest.mark.node
def test_every_benchmark_may_be_dropped() -> None:
    contents = contents_of(made(12, 4))
    (found,) = refitted(contents, [[0, 1, 2, 3]])
    assert set(found["held"]) == set(found["free"]) == {None} and not any(found["left"])


def test_a_field_as_large_as_today_s_is_sent_in_few_bytes() -> None:
    contents = contents_of(made(431, 83, share=0.112))
    assert 3_500 < len(contents.index.fit.responses) < 4_500
    assert len(gzip.compress(script(contents).encode("ascii"))) < 60_000


def test_what_is_sent_keeps_results_and_parameters_to_five_digits() -> None:
    contents = contents_of(made())
    sent = payload(contents)
    fitted = contents.index.fit
    flat = [(pairs[at], pairs[at + 1] / sent["scale"]) for pairs in sent["results"] for at in range(0, len(pairs), 2)]
    assert [item for item, _ in flat] == fitted.responses.benchmark.tolist()
    assert np.allclose([score for _, score in flat], fitted.responses.score, atol=1e-5)
    assert np.allclose(sent["benchmarks"]["alpha"], fitted.at.alpha, atol=1e-6)
    assert Options(**{**sent["options"], "most_steps": 200}) == replace(fitted.options, most_steps=200)
