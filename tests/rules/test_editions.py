"""When an edition came into force, and that the shipped edition says what the methodology says."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from argusic.database.database import Database
from argusic.records.edition import EarlierRuns, Edition
from argusic.records.run import Run
from argusic.rules.editions import in_force, in_force_from, newest

DAY = datetime(2026, 10, 8, tzinfo=UTC)
TOP = Path(__file__).parents[2]
EDITIONS = Database(TOP).editions()


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 50),
            st.sampled_from(["v1.4", "v1.5"]),
            st.sampled_from(["board", "verdict", "control"]),
            st.sampled_from(["completed", "time_limit", "interrupted", "harness_error"]),
        ),
        max_size=6,
    )
)
def test_an_edition_is_in_force_from_the_start_of_the_first_run_measured_under_it(
    rows: list[tuple[int, str, str, str]], make_run: Callable[..., Run]
) -> None:
    runs = [
        make_run(started=DAY + timedelta(hours=hour), edition=edition, purpose=purpose, ending={"how": how})
        for hour, edition, purpose, how in rows
    ]
    measured = [
        run.started
        for run in runs
        if run.edition == "v1.5"
        and run.purpose in ("board", "verdict")
        and run.ending.how in ("completed", "time_limit")
    ]
    found = in_force_from("v1.5", runs)
    assert (found.started if found is not None else None) == (min(measured) if measured else None)


@pytest.mark.parametrize(
    ("earlier", "hours", "day"),
    [
        (None, None, None),
        (None, 5, "2026-10-08"),
        ("2026-10-07", None, "2026-10-07"),
        ("2026-10-07", 5, "2026-10-07"),
        ("2026-10-09", 5, "2026-10-08"),
    ],
)
def test_runs_from_before_this_repository_bring_an_edition_into_force_too(
    earlier: str | None, hours: int | None, day: str | None, edition: Edition, make_run: Callable[..., Run]
) -> None:
    known = EarlierRuns(first=earlier) if earlier is not None else None
    runs = [make_run(started=DAY + timedelta(hours=hours))] if hours is not None else []
    found = in_force(edition.model_copy(update={"earlier_runs": known}), runs)
    assert (found.day if found is not None else None) == day
    if found is not None:
        assert (found.here is not None) == bool(runs)


def test_each_edition_was_in_force_since_the_day_that_the_methodology_states() -> None:
    days = {edition.edition: force.day if (force := in_force(edition, ())) else None for edition in EDITIONS}
    assert days == {
        "v0.2": None,
        "v0.3": None,
        "v0.4": None,
        "v1.0": "2026-08-31",
        "v1.1": "2026-09-04",
        "v1.2": "2026-09-04",
        "v1.3": "2026-09-05",
        "v1.4": "2026-09-07",
        "v1.5": "2026-10-08",
        "v1.6": None,  # Nothing was run before it was written; its first run is in this repository.
    }
    assert [edition.edition for edition in EDITIONS if edition.written != days[edition.edition]] == [
        "v0.2",
        "v0.3",
        "v0.4",
        "v1.2",
        "v1.6",
    ]


def test_the_newest_edition_is_the_one_with_the_highest_number() -> None:
    assert newest(reversed(EDITIONS)).edition == "v1.6"
    later = EDITIONS[-1].model_copy(update={"edition": "v1.10"})
    assert newest([later, *EDITIONS]).edition == "v1.10"


def test_an_edition_has_a_heavy_tier_with_its_size_or_neither() -> None:
    data = EDITIONS[-1].model_dump(by_alias=True)
    for field, value in (("heavy_above_mb", None), ("instructions", None)):
        with pytest.raises(ValidationError, match="come together"):
            Edition.model_validate(data | {field: value})


def test_the_edition_names_the_digest_of_its_instructions(edition: Edition) -> None:
    path = TOP / "rules" / "instructions" / f"{edition.instructions}.md"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert edition.instructions_sha256 == digest, (
        f"rules/editions/{edition.edition}.yaml says instructions_sha256 {edition.instructions_sha256}, "
        f"but {path.relative_to(TOP)} has {digest}"
    )


def test_the_edition_in_force_has_the_methodologys_figures(edition: Edition) -> None:
    weights = edition.weights
    assert (weights.install, weights.launch, weights.error_recovery) == (30, 30, 20)
    assert weights.verification_depth.model_dump() == {"tier1_real": 20, "tier2_mock": 12, "tier3_none": 0}
    assert edition.budgets_minutes.model_dump() == {"standard": 90, "heavy": 120, "gpu": 120}
    assert edition.board.model_dump() == {
        "runs_per_set": 3,
        "unstable_above_percent": 30,
        "score": "middle_of_middles",
    }
    assert edition.verdict is not None and edition.key is not None
    assert (edition.verdict.complete_attempts, edition.verdict.stronger_agent) == (2, "on_request")
    assert (edition.key.cap_usd, edition.key.per_run) == (3, True)
    assert edition.heavy_above_mb == 500
    assert edition.network == "outbound_unfiltered"
