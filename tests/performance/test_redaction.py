"""What redaction costs, beside parsing the same recording's events as JSON in the same run; and how it grows."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from argusic.evidence.layout import RECORDING_NAME
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
from tests.performance.times import Work, compared

pytestmark = pytest.mark.performance

SIZE = 20_000_000
LARGE = 200_000_000
ROUNDS = 5
#: Times parsing the events as JSON that redaction, proof and fingerprints may take.
LIMIT = 3.0
#: Times its share that ten times the size may take.
GROWTH = 1.25
MEMORY = 1024**3
KEY = "sk-ant-api03-" + "aB3dE9xQ" * 6 + "zZ81kQmW0pLr"
#: What installs, builds and tests print, in the events that they print it in.
PRINTED = (
    "$ pip install -v .\r\n",
    "Using pip 25.0 from /root/venv/lib/python3.11/site-packages/pip (python 3.11)\r\n"
    "Processing /root/project\r\n  Preparing metadata (pyproject.toml): started\r\n",
    "  Preparing metadata (pyproject.toml): finished with status 'done'\r\n",
    'gcc -pthread -DVERSION=\\"1.2.3\\" -O2 -Wall -I/usr/include/python3.11 -c src/module.c -o build/module.o\r\n',
    '\x1b[32mPASSED\x1b[0m tests/test_module.py::test_reads_back[utf-8-"quoted"]\x1b[32m [ 42%]\x1b[0m\r\n',
    "  copying src/package/data/locale/é.po -> build/lib/package/data/locale ━━━━\r\n",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  dist/project-1.2.3-py3-none-any.whl\r\n",
    "Collecting requests<3,>=2.31\r\n  Downloading requests-2.32.3-py3-none-any.whl.metadata (4.6 kB)\r\n"
    "Requirement already satisfied: idna<4,>=2.5 in /root/venv/lib/python3.11/site-packages (from requests) (3.10)\r\n",
    "OK\r\n",
)


def write_recording(path: Path, size: int, *, secrets: int) -> None:
    """Write a recording of `size` bytes with the credential printed a few times."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write(json.dumps({"version": 2, "width": 120, "height": 40}) + "\n")
        written = planted = 0
        for at in count():
            kind, printed = "o", PRINTED[at % len(PRINTED)]
            if written >= planted * size / secrets:
                printed, planted = f"KEY={KEY}\r\n", planted + 1
            elif at % len(PRINTED) == 0:
                kind, printed = "m", f"command {at}"
            written += stream.write(json.dumps([round(at * 0.01, 6), kind, printed], ensure_ascii=False) + "\n")
            if written >= size:
                return


def parse(recording: Path) -> None:
    """Parse the events as JSON and do nothing with them."""
    with recording.open("rb") as stream:
        for line in stream:
            json.loads(line)


def folders(where: Path, size: int) -> tuple[Path, Path]:
    raw, served = where / f"raw-{size}", where / f"served-{size}"
    raw.mkdir()
    served.mkdir()
    write_recording(raw / RECORDING_NAME, size, secrets=10)
    return raw, served


def test_redaction_proof_and_fingerprints_take_at_most_three_times_parsing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw, served = folders(tmp_path, SIZE)
    known = [KnownSecret("the key", KEY)]
    redacting, parsing = compared(
        Work(lambda: redact(raw, served, known)), Work(lambda: parse(raw / RECORDING_NAME)), LIMIT, ROUNDS, 20
    )
    result = redact(raw, served, known)
    assert result.withheld is None
    assert [masked.count for masked in result.files[0].masked] == [10]
    ratio = redacting / parsing
    with capsys.disabled():
        print(
            f"\nredacting, proving and fingerprinting {SIZE // 1_000_000} MB: {redacting:.2f} s against "
            f"{parsing:.2f} s of parsing, {ratio:.2f} times, limit {LIMIT}"
        )
    assert ratio <= LIMIT


ALONE = """
import resource, sys
from pathlib import Path
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
result = redact(Path(sys.argv[1]), Path(sys.argv[2]), [KnownSecret("the key", sys.argv[3])])
assert result.withheld is None and result.files[0].changed
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def test_it_grows_with_the_size_and_its_memory_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = [KnownSecret("the key", KEY)]
    small, large = folders(tmp_path, SIZE), folders(tmp_path, LARGE)
    redact(*small, known)
    times = LARGE / SIZE
    much, little = compared(
        Work(lambda: redact(*large, known)), Work(lambda: redact(*small, known)), GROWTH * times, 2, 8
    )
    growth = much / little / times
    said = subprocess.run(
        [sys.executable, "-c", ALONE, *large, KEY], check=True, capture_output=True, text=True, timeout=200
    )
    memory = int(said.stdout)
    with capsys.disabled():
        print(
            f"\n{LARGE // 1_000_000} MB take {growth:.2f} times their share of what {SIZE // 1_000_000} MB take, "
            f"limit {GROWTH}; {memory / 1024**2:.0f} MiB of memory"
        )
    assert growth <= GROWTH
    assert memory <= MEMORY
