"""Time published packages of item response theory beside our fit, on the same results, each made right or wrong.

Neither takes results between 0 and 1, so each is 1 where it is above its benchmark's median. Run it with a Python that
has the packages, in an environment of its own:

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install py-irt girth
    .venv/bin/python tools/index_peers.py /tmp/peers/bin/python

The figures of one run are in docs/contributing/index.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from argusic.leaderboards.index import Fit, Options, Responses, fit, read_table
from argusic.leaderboards.index.panel import PanelRule
from argusic.leaderboards.index.preparing import prepare
from argusic.leaderboards.index.reading.facts import read_facts
from argusic.leaderboards.index.responses import Floats

DATA = Path(__file__).resolve().parent.parent / "leaderboards" / "index" / "data"
#: Epochs of py-irt: a quarter of what it takes by default.
EPOCHS = 500
#: Seconds that a package may take.
LIMIT = 590
ROUNDS = 9

#: What is timed of each: imports and reading are not. Each prints seconds, processor seconds, and difficulties.
PEERS = {
    f"py-irt, `2pl`, {EPOCHS} epochs": f"""
from pathlib import Path
from py_irt.config import IrtConfig
from py_irt.training import IrtModelTrainer
import random, numpy, torch, pyro
config = IrtConfig(model_type="2pl", priors="hierarchical", epochs={EPOCHS}, seed=0)
rows = {{}}
for i, j, y in zip(model, benchmark, right):
    rows.setdefault(int(i), {{}})[str(int(j))] = int(y)
lines = [json.dumps({{"subject_id": str(i), "responses": one}}) for i, one in rows.items()]
Path(sys.argv[1] + ".jsonlines").write_text("\\n".join(lines))
trainer = IrtModelTrainer(config=config, data_path=Path(sys.argv[1] + ".jsonlines"), verbose=False)
begin()
trainer.train(device="cpu")
end()
at = {{int(name): place for place, name in trainer.best_params["item_ids"].items()}}
difficulty = [trainer.best_params["diff"][at[j]] for j in range(items)]
""",
    **{
        f"girth, `{name}`": f"""
import girth
matrix = girth.tag_missing_data(table, [0, 1])
begin()
found = girth.{name}(matrix)
end()
difficulty = list(map(float, numpy.ravel(found["Difficulty"])))
"""
        for name in ("twopl_jml", "twopl_mml")
    },
}
_BEFORE = """
import json, sys, time
import numpy
held = numpy.load(sys.argv[1])
model, benchmark, right = held["model"], held["benchmark"], held["right"]
models, items = int(model.max()) + 1, int(benchmark.max()) + 1
table = numpy.full((items, models), -1)
table[benchmark, model] = right
taken = []
def begin(): taken.extend([time.perf_counter(), time.process_time()])
def end(): taken.extend([time.perf_counter() - taken[0], time.process_time() - taken[1]])
"""
_AFTER = """
print("RESULT", json.dumps([taken[2], taken[3], difficulty]))
"""


class Taken(NamedTuple):
    """What a package took, in seconds and in seconds of the processor, and the difficulties that it found."""

    seconds: float
    processor: float
    difficulty: Floats


def main() -> None:
    """Print a table of times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("python", help="a Python that has py-irt and girth")
    parser.add_argument("--input", metavar="FILE.csv", help="results; without it: the repository's")
    given = parser.parse_args()
    responses = read_table(given.input) if given.input else repository()
    binary = made_binary(responses)
    ours, found = least(binary, Options(likelihood="bernoulli"))
    continuous, _ = least(responses, Options())
    print(f"{len(binary)} results of {len(binary.models)} models on {len(binary.benchmarks)} benchmarks.")
    print(
        f"A fit of ours takes {continuous * 1000:.0f} ms of them as they are, {ours * 1000:.0f} ms as right or wrong.\n"
    )
    print("| Package | Seconds | Seconds of the processor | Times ours, of these | Rank correlation of difficulties |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        np.savez(data, model=binary.model, benchmark=binary.benchmark, right=binary.score.astype(int))
        for name, code in PEERS.items():
            taken = peer(given.python, code, data)
            alike = float(spearmanr(taken.difficulty, found.at.difficulty).statistic)
            times = f"{taken.processor / ours:,.0f}"
            print(f"| {name} | {taken.seconds:.1f} | {taken.processor:.1f} | {times} | {alike:.2f} |", flush=True)


def repository() -> Responses:
    """Return the repository's results, every benchmark counting."""
    facts = read_facts(DATA)
    return prepare(facts, PanelRule.everything(max(one.snapshot for one in facts.sources.values()))).responses


def made_binary(responses: Responses) -> Responses:
    """Return results that are 1 above their benchmark's median and else 0."""
    r = responses
    median = np.array([np.median(r.score[r.benchmark == place]) for place in range(len(r.benchmarks))])
    right = (r.score > median[r.benchmark]).astype(float)
    return Responses(r.models, r.benchmarks, r.model, r.benchmark, right)


def least(responses: Responses, options: Options) -> tuple[float, Fit]:
    """Return the processor's seconds for the fastest of several fits, and a fit."""
    taken = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        found = fit(responses, options)
        found.range(joint=True)
        taken.append(time.process_time() - begun)
    return min(taken), found


def peer(python: str, code: str, data: Path) -> Taken:
    """Return what a package took; its own words where it failed."""
    command = [python, "-c", _BEFORE + code + _AFTER, str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    printed = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not printed:
        sys.exit(f"{python} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    seconds, processor, difficulty = json.loads(printed[0].removeprefix("RESULT "))
    return Taken(seconds, processor, np.array(difficulty))


if __name__ == "__main__":
    main()
