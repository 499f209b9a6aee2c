"""The same data, the same bytes: in any order of rows and with any number of threads; and under other names."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info
from typer.testing import CliRunner

from argusic.cli.main import build
from argusic.leaderboards.index.one_thread import one_thread
from tests.leaderboards.index.test_fit import made

#: Fits many data sets, with as many benchmarks as make BLAS split its work, and prints a digest of all the bits, or of
#: the documents that are published.
_MANY = """
import hashlib, json, sys
import numpy as np
from argusic.leaderboards.index import Responses, fit
from argusic.leaderboards.index.neighbours import resampled
from argusic.leaderboards.index.published import published
seen = hashlib.sha256()
for seed in range(int(sys.argv[1])):
    random = np.random.default_rng(seed)
    models, items = int(random.integers(40, 200)), int(random.integers(15, 90))
    there = random.random((models, items)) < random.uniform(0.1, 0.9)
    there[:, 0] = True
    theta, b = random.normal(size=(models, 1)), random.normal(size=items)
    score = np.clip(1 / (1 + np.exp(b - theta)) + random.normal(0, 0.1, size=there.shape), 0, 1)
    model, benchmark = np.nonzero(there)
    names = [tuple(f"{place:04}" for place in range(count)) for count in (models, items)]
    found = fit(Responses(*names, model, benchmark, score[there]))
    if sys.argv[2] == "document":
        seen.update(json.dumps(published(found)).encode())
        continue
    drawn = resampled(found, names[0][:10], draws=40).theta
    for part in (found.at.theta, found.at.difficulty, found.at.alpha, found.spread.joint, drawn):
        seen.update(part.tobytes())
print(seen.hexdigest())
"""


def rows() -> list[str]:
    responses = made(40, 12, seed=7, share=0.5)
    return [
        f"{responses.models[i]},{responses.benchmarks[j]},{float(y)!r}"
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]


def printed(file: Path, lines: list[str]) -> str:
    file.write_text("\n".join(["model,benchmark,score", *lines, ""]))
    done = CliRunner().invoke(build("index"), ["index", "fit", "--input", str(file), "--json"])
    assert done.exit_code == 0, done.exception
    return done.stdout


def digest(script: str, threads: int, *arguments: str, **variables: str) -> str:
    """Return what a script prints that runs with so many threads, under further variables."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads)), **variables}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_rows_print_identical_bytes(tmp_path: Path, seed: int) -> None:
    lines = rows()
    first = printed(tmp_path / "first.csv", lines)
    random.Random(seed).shuffle(lines)
    assert printed(tmp_path / "again.csv", lines) == first


def test_renamed_models_have_the_same_numbers_to_four_decimals(tmp_path: Path) -> None:
    lines = rows()
    names = sorted({line.split(",")[0] for line in lines})
    other = {name: f"{(place * 17) % len(names):03} renamed" for place, name in enumerate(names)}
    renamed = [",".join([other[line.split(",")[0]], *line.split(",")[1:]]) for line in lines]
    first, again = (json.loads(printed(tmp_path / "t.csv", some)) for some in (lines, renamed))
    by_name = {model["model"]: model for model in again["models"]}
    for model in first["models"]:
        expected = {**model, "model": other[model["model"]]}
        found = by_name[expected["model"]]
        for key, value in expected.items():
            assert found[key] == (pytest.approx(value, abs=5e-5) if isinstance(value, float) else value)
    assert first["benchmarks"] == [
        {key: pytest.approx(value, abs=5e-5) if isinstance(value, float) else value for key, value in one.items()}
        for one in again["benchmarks"]
    ]


def test_another_number_of_threads_changes_no_bit() -> None:
    assert digest(_MANY, 1, "12", "bits") == digest(_MANY, 2, "12", "bits")


@pytest.mark.endurance
def test_the_kernels_of_another_processor_change_no_published_digit() -> None:
    kinds = [{"OPENBLAS_CORETYPE": kind} for kind in ("Haswell", "Prescott")]
    first, second = (digest(_MANY, 1, "60", "document", **kind) for kind in kinds)
    assert first == second == digest(_MANY, 1, "60", "document")


@pytest.mark.endurance
def test_another_number_of_threads_changes_no_bit_of_many_fits() -> None:
    assert len({digest(_MANY, threads, "120", "bits") for threads in (1, 2, 8)}) == 1


def test_one_thread_is_held_within_and_given_back_after() -> None:
    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before = threads()
    with pytest.raises(ValueError, match="inside"), one_thread():
        assert threads() and set(threads()) == {1}
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
        raise ValueError("inside")
    assert threads() == before
    with ThreadPoolExecutor(2) as pool, one_thread():
        pool.submit(one_thread()(threads)).result()
        assert set(threads()) == {1}, "who leaves first gives nothing back to those who are still inside"
    assert threads() == before
