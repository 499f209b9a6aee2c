"""How figures of the index read, what pages are called, and where things are drawn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.leaderboards.index.standings import Range
from argusic.records.base import RESERVED_NAMES
from argusic.site.index import numbers
from argusic.site.index.drawing import Axis, Box, expected
from argusic.site.index.naming import slugs


def test_figures_are_rounded_only_when_shown_and_carry_a_sign_only_where_they_differ_from_nought() -> None:
    assert (numbers.score(133.949), numbers.score(-3.04), numbers.score(-0.04)) == ("133.9", "\u22123.0", "0.0")
    assert [numbers.points(v) for v in (0.84, -0.84, -0.04)] == ["+0.8", "\u22120.8", "0.0"]
    assert [numbers.residual(v) for v in (0.1561, -0.0004)] == ["+15.6", "0.0"]
    assert (numbers.share(0.8531), numbers.share(1)) == ("85.3 %", "100.0 %")
    assert numbers.between(Range(-1.26, 4)) == "\u22121.3 to 4.0"
    assert numbers.width(Range(130, 133.4)) == "\u00b11.7"
    assert (numbers.raw(0.972222222), numbers.raw(1402.5), numbers.raw(1e-9)) == ("0.972222", "1402.5", "1e-09")


@settings(max_examples=60)
@given(st.lists(st.text(max_size=90), max_size=12, unique=True))
def test_every_name_has_a_page_of_its_own_that_any_disk_can_hold(names: list[str]) -> None:
    made = slugs(names)
    assert len({slug.casefold() for slug in made.values()}) == len(names)
    for slug in made.values():
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,90}", slug) and slug not in RESERVED_NAMES


def test_a_page_is_called_like_its_model_where_that_can_be() -> None:
    made = slugs(["Kimi K3", "GPT-5.6 (Sol)", "gpt 5.6 sol", "con", "模型"])
    assert made["Kimi K3"] == "kimi-k3"
    assert made["GPT-5.6 (Sol)"] != made["gpt 5.6 sol"] and made["gpt 5.6 sol"].startswith("gpt-5-6-sol-")
    assert made["con"].startswith("con-") and made["模型"].startswith("name-")


def test_a_line_of_scores_holds_all_of_them_and_has_few_ticks() -> None:
    axis = Axis.of([41.2, 138.9])
    assert (axis.low, axis.high, axis.ticks) == (40, 140, (40, 60, 80, 100, 120, 140))
    assert (axis.at(40), axis.at(90), axis.at(1000), axis.at(-5)) == (0, 50, 100, 0)
    assert axis.span(Range(50, 60)) == (10, 10)
    assert Axis.of([]).ticks and Axis.of([100.0]).high > Axis.of([100.0]).low
    assert len(Axis.of([-4000.0, 9000.0]).ticks) <= 8


@pytest.mark.parametrize("discrimination", [0.31, 3.64, 400.0])
def test_a_curve_rises_through_the_half_at_its_difficulty(discrimination: float) -> None:
    assert expected(100 + 25 * 1.05, 1.05, discrimination) == pytest.approx(0.5)
    box = Box(Axis(40, 160), 600, 300)
    path = box.curve(1.05, discrimination)
    heights = [float(y) for y in re.findall(r"[\d.]+ ([\d.]+)", path)]
    assert heights == sorted(heights, reverse=True)
    assert path.startswith("M0 ") and len(path) < 1200
