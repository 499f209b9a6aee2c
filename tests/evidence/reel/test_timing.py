from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.reel.timing import Pace, find_pauses, time_map
from argusic.records.reel import Trim

_SECONDS = st.floats(0, 100, allow_nan=False).map(lambda value: round(value, 3))


@given(
    cuts=st.lists(_SECONDS, max_size=12, unique=True),
    kinds=st.lists(st.sampled_from(["pause", "trim", "run"]), min_size=13, max_size=13),
    stops=st.dictionaries(_SECONDS, st.floats(0.3, 5), max_size=5),
    speed=st.floats(1, 100),
    asked=st.lists(_SECONDS, min_size=2, max_size=20),
)
def test_time_never_goes_backwards_and_every_second_is_in_the_reel(
    cuts: list[float], kinds: list[str], stops: dict[float, float], speed: float, asked: list[float]
) -> None:
    spans = list(pairwise(sorted(cuts)))
    pauses = [span for span, kind in zip(spans, kinds, strict=False) if kind == "pause"]
    trims = [
        Trim(starts=start, ends=end, says="x")
        for (start, end), kind in zip(spans, kinds, strict=False)
        if kind == "trim"
    ]
    # The picture stands still at the end of every trim, as `telling.stops` has it.
    stops = stops | {trim.ends: 1.0 for trim in trims}
    times = time_map(100.0, Pace(speed, 1.5, 1.0, 0.0), pauses, trims, stops)
    moments = [times.at(second) for second in sorted(asked)]
    assert moments == sorted(moments)
    assert all(0 <= moment <= times.length + 1e-6 for moment in moments)
    back = [times.second(moment) for moment in moments]
    assert back == sorted(back)
    # A reel's times are rounded to a microsecond, in which a pause that is cut short hides hundreds of them.
    assert times.second(times.length) == pytest.approx(100.0, abs=0.001)


def test_a_pause_takes_what_is_kept_of_it_and_a_trim_no_time() -> None:
    trim = Trim(starts=50.0, ends=80.0, says="x")
    times = time_map(100.0, Pace(2.0, 1.0, 1.5, 0.0), [(10.0, 40.0)], [trim], {80.0: 1.5})
    assert times.at(10.0) == 5.0
    assert times.at(40.0) == 5.5
    assert times.at(50.0) == times.at(65.0) == times.at(80.0) == 10.5
    assert times.past(80.0) == 12.0
    assert times.length == 22.0
    assert times.second(11.0) == 80.0


def test_silence_is_found_and_a_command_that_starts_breaks_it(tmp_path: Path) -> None:
    cast = tmp_path / "recording.cast"
    cast.write_text('{"version": 2, "width": 80, "height": 24}\n[1, "o", "a"]\n[9, "o", "b"]\n[9.5, "m", "end"]\n')
    assert find_pauses(cast, (), (), 2.0) == [(1.0, 9.0)]
    assert find_pauses(cast, (), [Trim(starts=4.0, ends=8.0, says="x")], 2.0) == [(1.0, 4.0), (4.0, 8.0)]


def test_times_that_go_backwards_in_a_recording_stand_still_in_the_reel(tmp_path: Path) -> None:
    cast = tmp_path / "recording.cast"
    cast.write_text('{"version": 2, "width": 80, "height": 24}\n[5, "o", "a"]\n[1, "o", "b"]\n[6, "o", "c"]\n')
    assert find_pauses(cast, (), (), 2.0) == [(0.0, 5.0)]
