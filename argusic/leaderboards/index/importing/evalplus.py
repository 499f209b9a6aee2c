"""Reads EvalPlus' results: HumanEval+ and MBPP+, the share of problems solved at the first attempt."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from argusic.errors import InputError, Place
from argusic.leaderboards.index.facts import Benchmark
from argusic.leaderboards.index.importing.documents import number_at, read_json
from argusic.leaderboards.index.importing.raw import Gathered, Raw, digest
from argusic.leaderboards.index.reading.rows import read_bytes

#: The ids of the benchmarks by their names there. The same problems with fewer tests are not taken beside them.
_BENCHMARKS: Final = {"humaneval+": "humaneval-plus", "mbpp+": "mbpp-plus"}


def read_evalplus(path: Path, benchmarks: dict[str, Benchmark]) -> Gathered:
    """Return what the file holds.

    Raises:
        InputError: It cannot be read, or something in it cannot be used.
    """
    content = read_bytes(path)
    found = Gathered(sha256=digest({path.name: content}))
    for model, said in read_json(path, content).items():
        scores = said.get("pass@1") if isinstance(said, dict) else None
        if not isinstance(scores, dict):
            raise InputError("has no scores under pass@1.", place=Place(path, field=model[:80]))
        for named, benchmark in _BENCHMARKS.items():
            field = f"{model[:80]}: pass@1: {named}"
            if scores.get(named) is None:
                found.left_out["there is no score"] += 1
                continue
            percent = number_at(path, scores[named], field)
            variant = "" if said.get("prompted", True) else "completion"
            found.raws.append(Raw(model, benchmark, percent / 100, None, variant, Place(path, field=field)))
    return found
