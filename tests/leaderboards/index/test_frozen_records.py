"""The records of the index: what a reference says is proved by its digest, and what contradicts itself is refused."""

from __future__ import annotations

from typing import Any

import pytest

from argusic.database.codec import dump, parse_record
from argusic.errors import InputError
from argusic.leaderboards.index.freezing import frozen
from argusic.records.index import RankingInputs, Reference
from tests.leaderboards.index.made_index import NO_DIGEST, inputs, made


@pytest.fixture(scope="module")
def reference() -> Reference:
    return frozen(made().facts(), inputs(), "2026-Q4")


def test_a_reference_comes_back_from_its_file_as_it_was(reference: Reference) -> None:
    written = dump(reference)
    assert parse_record(written, Reference, file="x") == reference and dump(reference) == written
    assert reference.sha256 == reference.digest()
    # Six digits each: a live fit holds what the file says, not what the fit once had in memory.
    assert all(round(item.difficulty, 6) == item.difficulty for item in reference.benchmarks)
    assert [item.benchmark for item in reference.benchmarks] == sorted(item.benchmark for item in reference.benchmarks)
    assert {item.ceiling for item in reference.benchmarks} == {1.0}


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [
        ("a parameter", b"discrimination: ", b"discrimination: 1"),
        ("a ceiling", b"ceiling: 1.0", b"ceiling: 0.99"),
        ("a setting", b"sigma: 0.1", b"sigma: 0.2"),
        ("the rule", b"days: 365", b"days: 366"),
        ("the day", b'date: "2026-10-22"', b'date: "2026-10-23"'),
        ("how many models", b"models: 14", b"models: 15"),
    ],
)
def test_a_reference_that_was_touched_is_none(reference: Reference, field: str, old: bytes, new: bytes) -> None:
    written = dump(reference)
    assert old in written
    with pytest.raises(InputError, match="sha256 must be that of everything else here"):
        parse_record(written.replace(old, new, 1), Reference, file="x")


HELD = {"reference": "2026-Q4", "sha256": NO_DIGEST}
FILES = [{"source": "made", "sha256": NO_DIGEST}]
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no file": ({"results": []}, "at least 1 item"),
    "a file twice": ({"results": FILES * 2}, "ascending order, each once"),
    "an addendum to come": (
        {"reference": {**HELD, "addenda": [{"date": "2026-11-01", "sha256": NO_DIGEST}]}},
        "later day than the ranking",
    ),
    "a reference of no quarter": ({"reference": {"reference": "2026-Q5", "sha256": NO_DIGEST}}, "must be a quarter"),
    "no day": ({"date": "2026-02-30"}, "day is out of range"),
    "a negative sigma": ({"options": {"sigma": -0.1}}, "greater than or equal to 0.0001"),
    "a sigma of nothing": ({"options": {"sigma": 1e-300}}, "greater than or equal to 0.0001"),
    "a sigma without an end": ({"options": {"sigma": 1e6}}, "less than or equal to 10"),
    "a prior of nothing": ({"options": {"theta_sd": 1e-300}}, "greater than or equal to 0.001"),
    "a prior of difficulties": ({"options": {"difficulty_sd": 1e-300}}, "greater than or equal to 0.001"),
    "a prior without an end": ({"options": {"log_discrimination_sd": 1e6}}, "less than or equal to 1000"),
    "an end before the first step": ({"options": {"tolerance": 1e6}}, "less than or equal to 0.001"),
    "an unknown range": ({"published": "widest"}, "'conditional' or 'joint'"),
    "no draw": ({"draws": {"count": 0}}, "greater than or equal to 1"),
    "a path for a source": ({"results": [{"source": "../made", "sha256": NO_DIGEST}]}, "must be 1 to 100 characters"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_inputs_that_contradict_themselves_are_refused(name: str) -> None:
    changed, what = WRONG[name]
    plain: dict[str, Any] = {"schema": 1, "date": "2026-10-22", "published": "joint", "results": FILES}
    plain |= {"panel": {}, "options": {}, "draws": {}}
    RankingInputs.model_validate(plain)
    with pytest.raises(ValueError, match=what):
        RankingInputs.model_validate({**plain, **changed})
