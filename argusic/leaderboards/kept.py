"""What the last derivation of a cycle and kind knew: which inputs it had, what it wrote, each run's score.

A cache below `.argusic/` and nothing else: deleting it changes no result. It is believed only where the program,
the editions and its own checksum agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import argusic.leaderboards
import argusic.records
import argusic.rules
from argusic.database import inputs, writing
from argusic.database.atomic import write_file
from argusic.records import sources
from argusic.rules.scored import ScoredRun


@dataclass(frozen=True)
class Kept:
    """The last derivation of one group.

    Attributes:
        inputs: The digest of all its inputs.
        outputs: The sha256 of each file it made, by path from the top.
    """

    inputs: str
    outputs: Mapping[str, str]


def program_fingerprint() -> str:
    """Return a digest of every module that a derivation depends on."""
    packages = (argusic.records, sources, argusic.rules, argusic.leaderboards)
    return _fingerprint(tuple(folder for package in packages for folder in package.__path__))


@cache
def _fingerprint(folders: tuple[str, ...]) -> str:
    modules = sorted({path for folder in folders for path in Path(folder).rglob("*.py")})
    digest = hashlib.sha256()
    for path in (*modules, Path(inputs.__file__), Path(writing.__file__)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class KeptGroup:
    """The kept file of one cycle and kind: a line on the derivation, then a line with its scored runs."""

    def __init__(self, folder: Path, cycle: str, kind: str) -> None:
        self._path = folder / "derived" / cycle / f"{kind}.json"

    def last(self) -> Kept | None:
        """Return what the last derivation had and made; None where that is not known."""
        with suppress(OSError, ValueError, KeyError, TypeError), self._path.open("rb") as file:
            head = json.loads(_checked(file.readline()))
            if head["program"] == program_fingerprint():
                return Kept(head["inputs"], head["outputs"])
        return None

    def scored(self, editions: Mapping[str, str]) -> dict[str, ScoredRun]:
        """Return the runs scored last time under exactly these editions (blob id by path), by blob id."""
        with suppress(OSError, ValueError, KeyError, TypeError), self._path.open("rb") as file:
            head = json.loads(_checked(file.readline()))
            if head["program"] == program_fingerprint() and head["editions"] == dict(editions):
                return {row[0]: _run(row) for row in json.loads(_checked(file.readline()))}
        return {}

    def keep(self, derivation: Kept, editions: Mapping[str, str], runs: Mapping[str, ScoredRun]) -> None:
        """Remember a derivation. A cache that cannot be written costs time and nothing else."""
        head = {
            "program": program_fingerprint(),
            "editions": dict(editions),
            "inputs": derivation.inputs,
            "outputs": dict(derivation.outputs),
        }
        rows = [_row(blob, run) for blob, run in runs.items()]
        with suppress(OSError):
            write_file(self._path, _line(head) + _line(rows), replace=True)


def _line(value: Any) -> bytes:
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(body).hexdigest().encode("ascii") + b" " + body + b"\n"


def _checked(line: bytes) -> bytes:
    check, _, body = line.rstrip(b"\n").partition(b" ")
    if hashlib.sha256(body).hexdigest().encode("ascii") != check:
        raise ValueError("a line of the cache is damaged")
    return body


def _row(blob: str, run: ScoredRun) -> list[Any]:
    total = None if run.total is None else [run.total.numerator, run.total.denominator]
    started = run.started.isoformat()
    return [blob, run.run, run.subject, run.agent, run.control, started, run.outcome, total, run.reason, run.hold]


def _run(row: list[Any]) -> ScoredRun:
    _, run, subject, agent, control, started, outcome, total, reason, hold = row
    exact = None if total is None else Fraction(total[0], total[1])
    return ScoredRun(run, subject, agent, control, datetime.fromisoformat(started), outcome, exact, reason, hold)
