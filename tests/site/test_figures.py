from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from argusic.site import figures


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (0.004, "under 0.1 s"),
        (4.24, "4.2 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.9, "1 min"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3599.6, "1 h"),
        (5400, "1 h 30 min"),
        (7200, "2 h"),
    ],
)
def test_a_duration_reads_in_its_two_largest_units(seconds: float, shown: str) -> None:
    assert figures.duration(seconds) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (7.9, "0:07"), (754, "12:34"), (3723, "1:02:03")])
def test_a_place_in_a_recording_reads_as_a_clock(seconds: float, shown: str) -> None:
    assert figures.clock(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (4100, "4.1 kB"), (20_000_000, "20 MB"), (999_999, "1.0 MB")],
)
def test_a_size_reads_in_decimal_units(count: int, shown: str) -> None:
    assert figures.size(count) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(Fraction(40, 3), "13.3"), (Fraction(80), "80"), (66.67, "66.7"), (0, "0")]
)
def test_points_are_rounded_only_when_shown(value: Fraction | float, shown: str) -> None:
    assert figures.points(value) == shown


def test_the_rest_reads_plainly() -> None:
    moment = datetime(2026, 11, 30, 1, 45, tzinfo=UTC)
    assert figures.time(moment) == "2026-11-30 01:45:00 UTC"
    assert figures.day(moment) == "2026-11-30"
    assert (figures.usd(0), figures.usd(0.0123), figures.usd(1.5)) == ("0.00 USD", "0.0123 USD", "1.50 USD")
    assert (figures.counted(1, "entry"), figures.counted(1200, "entry")) == ("1 entry", "1,200 entries")
    assert (figures.seek(3.0), figures.seek(12.349)) == ("3", "12.35")
