"""What recording costs, beside `script` of util-linux recording the same output in the same run."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.performance.times import processor_seconds
from tests.runs.local_sandbox import LocalSandbox
from tests.runs.recording import Recording

pytestmark = pytest.mark.performance

SIZE = 50_000_000
#: How often both are measured at least, and at most. Whatever else the machine does only ever adds to a time, so
#: that further rounds bring the fastest of each nearer to what it takes.
ROUNDS, MOST_ROUNDS = 5, 25
#: Times `script` that recording may take.
LIMIT = 2.0
#: A line of a build, with quotes as builds have them.
LINE = 'gcc -O2 -Wall -DVERSION="1.2.3" -I/usr/include/python3.11 -c src/module.c -o build/module.o  # ok\n'


class Taken(NamedTuple):
    """Seconds that one recording took."""

    wall: float
    processor: float


def timed(work: Callable[[], object]) -> Taken:
    wall, processor = time.perf_counter(), processor_seconds()
    work()
    return Taken(time.perf_counter() - wall, processor_seconds() - processor)


def by_script(output: Path, folder: Path) -> Taken:
    """Record with `script`, output and timing."""
    command: list[str | Path] = [
        "script",
        "--quiet",
        "--return",
        "--log-out",
        folder / "out",
        "--log-timing",
        folder / "timing",
    ]
    return timed(
        lambda: subprocess.run(
            [*command, "--command", f"cat {output}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    )


def by_argusic(output: Path, folder: Path) -> Taken:
    """Record with our recorder: recording, log and command table."""

    def work() -> None:
        recording = Recording(folder, LocalSandbox(folder))
        assert recording.session.run(f"cat {output}").ok
        recording.recorder.end()

    return timed(work)


def fastest(taken: dict[str, list[Taken]]) -> Taken:
    """Return our fastest times over those of `script`."""
    ours, theirs = (
        [min(one.wall for one in all_of), min(one.processor for one in all_of)]
        for all_of in (taken["argusic"], taken["script"])
    )
    return Taken(ours[0] / theirs[0], ours[1] / theirs[1])


def test_recording_costs_at_most_twice_what_script_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("script") is None:
        pytest.fail("script (util-linux) is what this is measured against, and it is not installed")
    output = tmp_path / "output"
    output.write_text(LINE * (SIZE // len(LINE)))
    taken: dict[str, list[Taken]] = {"script": [], "argusic": []}
    for number in range(MOST_ROUNDS):
        if number >= ROUNDS and fastest(taken).wall <= LIMIT:
            break
        for name, record in (("script", by_script), ("argusic", by_argusic)):
            folder = tmp_path / "recorded"
            folder.mkdir()
            taken[name].append(record(output, folder))
            shutil.rmtree(folder)
    ratio = fastest(taken)
    pairs = list(zip(taken["argusic"], taken["script"], strict=True))
    middle = statistics.median(ours.wall / theirs.wall for ours, theirs in pairs)
    with capsys.disabled():
        print(
            f"\nrecording {SIZE // 1_000_000} MB takes {ratio.wall:.2f} times as long as `script`, limit {LIMIT} "
            f"(middle of {len(pairs)} rounds: {middle:.2f}), and {ratio.processor:.2f} times its processor time"
        )
    assert ratio.wall <= LIMIT
