"""What a reviewer reads fits into a pull request, and nothing that others wrote does anything in it."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import PurePosixPath

from argusic.github.ladder.bundles import Signature
from argusic.github.ladder.review import MOST_CHARACTERS, Review, text_of
from argusic.records.handing_over import Collected, MissingJob, RefusedArtifact
from argusic.rules.scored import ScoredRun

HOSTILE = "@everyone `` | <img src=x> #1\n## Merged\n[x](javascript:x)"


def run(number: int, outcome: str, reason: str | None = None) -> ScoredRun:
    total = None if outcome in ("invalid", "held") else Fraction(200, 3)
    started = datetime(2026, 11, 1, tzinfo=UTC)
    subject = f"package/made{number:05}"
    return ScoredRun(f"20261101T000000Z-{number:06}", subject, "first", False, started, outcome, total, reason)  # type: ignore[arg-type]


def review(count: int) -> Review:
    outcomes = ("pass_full", "fail", "invalid", "held")
    return Review(
        cycle="made",
        edition="v1.5",
        base="1" * 40,
        waiting=tuple(run(number, outcomes[number % 4], HOSTILE * 40) for number in range(count)),
        new=count,
        collected=Collected(
            cycle="made",
            planned=count,
            left=7,
            runs=(),
            files=(),
            missing=tuple(
                MissingJob(job=f"{number % 1000:03}", subject="package/made", agent="first", why=HOSTILE)
                for number in range(count)
            ),
            refused=tuple(RefusedArtifact(name=HOSTILE, why=HOSTILE * 90) for _ in range(count)),
        ),
        signatures=tuple(
            Signature(PurePosixPath(f"{number}.sigstore.json"), b"", frozenset(["runs/a"]), HOSTILE)
            for number in range(count)
        ),
        unsigned=1,
        evidence="Their evidence lies in packs.",
        held_back=2,
        difference=None,
    )


def test_the_text_of_any_number_of_runs_fits_and_says_how_many_are_left_out() -> None:
    for count in (0, 1, 60, 2_000):
        text = text_of(review(count))
        assert len(text) < MOST_CHARACTERS + 200
    assert "And 1,940 more." in text
    assert "2,000 runs of the cycle `made`" in text


def test_what_others_wrote_stands_as_code_in_one_line() -> None:
    for line in text_of(review(4)).splitlines():
        if "everyone" in line:
            before = line[: line.index("@everyone")]
            assert before.rstrip().endswith("```"), line
        assert not line.startswith(("## Merged", "[x]"))
