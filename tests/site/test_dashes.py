from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.site.dashes import without_dashes


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Installed — it runs", "Installed, it runs"),
        ("Installed — It runs", "Installed. It runs"),
        ("Installed—it runs", "Installed, it runs"),
        ("Installed – it runs", "Installed, it runs"),
        ("Installed - it runs", "Installed, it runs"),
        ("Installed -- it runs", "Installed, it runs"),
        ("Installed --- it runs", "Installed, it runs"),
        ("Done. — Next", "Done. Next"),
        ("Done —", "Done."),
        ("— Done", "Done"),
        ("port 8001 — 3 tests passed", "port 8001, 3 tests passed"),
    ],
)
def test_a_typed_dash_is_shown_as_a_comma_or_a_period(typed: str, shown: str) -> None:
    assert without_dashes(typed) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a well-known command-line tool",
        "ran pytest -q --maxfail=1 -- -x",
        "ffmpeg -v error -i out.mp4 -f null - returned nothing",
        "tar xf - -C /srv",
        "between 10–20 files, 10 – 20 files and 10 - 20 files",
        "from v1.0 – v1.5",
        "`a — b` and ``c -- d``",
        "```\nx — y\n```",
        "see https://example.org/a—b",
        "- first\n- second",
        "--help worked",
        "owner--name",
        "-5 degrees",
        "python -",
        "",
        "\n",
    ],
)
def test_hyphens_in_words_flags_ranges_code_and_lists_stay(text: str) -> None:
    assert without_dashes(text) == text


@given(st.text(alphabet=st.sampled_from("abZ19 .,;-–—`\n\0/:é"), max_size=60))
def test_words_and_their_order_never_change(text: str) -> None:
    assert re.findall(r"\w+", without_dashes(text)) == re.findall(r"\w+", text)


@given(st.text(max_size=60))
def test_text_without_a_dash_is_shown_as_it_is(text: str) -> None:
    kept = re.sub(r"[\u2012-\u2015\u2e3a\u2e3b-]", "", text)
    assert without_dashes(kept) == kept
