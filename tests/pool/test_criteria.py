from __future__ import annotations

from datetime import date

import pytest

from argusic.errors import InputError
from argusic.pool.criteria import documented, let_in, tier_of
from argusic.pool.kinds.protocol import Resolved
from argusic.records.base import Tier
from argusic.records.sources import repository

TODAY = date(2026, 11, 30)
FOUND = Resolved(
    "thing", repository.Source(url="https://host.invalid/a/thing"), repository.Pin(commit="1" * 40), None, readme=True
)
LARGE = FOUND._replace(heavy_by="612 MB, by its host's own figure, 2026-11-30")


def test_a_permissive_licence_lets_a_subject_in_and_keeps_nobodys_word() -> None:
    assert let_in("thing", "mit license", None) == ("MIT", None)
    assert let_in("thing", "MIT", "Ada: I like it") == ("MIT", None)


@pytest.mark.parametrize(
    ("licence", "sentence"),
    [
        ("GPL-3.0-only", "The licence of thing, GPL-3.0-only, is not permissive"),
        ("SEE LICENSE", "'SEE LICENSE', the licence of thing, is no SPDX expression"),
        (None, "The licence of thing is not known"),
    ],
)
def test_any_other_licence_is_refused_in_one_sentence(licence: str | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        let_in("thing", licence, None)
    assert "--licence-by" in str(refused.value)


def test_a_person_lets_it_in_by_name_and_reason_and_the_word_is_kept() -> None:
    assert let_in("thing", "gpl-3.0-only", "Ada:  it is\n a program, not a library") == (
        "GPL-3.0-only",
        "Ada: it is a program, not a library",
    )
    assert let_in("thing", "SEE LICENSE", "Ada: free to use") == (None, "Ada: free to use")


@pytest.mark.parametrize("word", ["", "Ada", "Ada:", ": it is good", " : ", "Ada: \n"])
def test_a_word_without_name_or_reason_lets_nothing_in(word: str) -> None:
    with pytest.raises(InputError, match="who lets thing in, and why"):
        let_in("thing", "GPL-3.0-only", word)


def test_what_has_nothing_to_follow_is_refused() -> None:
    documented("thing", FOUND)
    documented("thing", FOUND._replace(readme=None))
    with pytest.raises(InputError, match="thing has no README"):
        documented("thing", FOUND._replace(readme=False))


@pytest.mark.parametrize(
    ("found", "tier", "heavy", "expected"),
    [
        (FOUND, None, None, ("standard", None)),
        (FOUND, "gpu", None, ("gpu", None)),
        (FOUND, None, "Ada", ("heavy", "Ada, 2026-11-30")),
        (FOUND, "heavy", "Ada, 2026-11-02", ("heavy", "Ada, 2026-11-02")),
        (LARGE, None, None, ("heavy", LARGE.heavy_by)),
        (LARGE, "heavy", None, ("heavy", LARGE.heavy_by)),
        (LARGE, "gpu", None, ("gpu", None)),
        (LARGE, None, "Ada, 2026-11-02", ("heavy", "Ada, 2026-11-02")),
    ],
)
def test_heavy_is_what_somebody_or_its_host_says_is_heavy(
    found: Resolved, tier: Tier | None, heavy: str | None, expected: tuple[Tier, str | None]
) -> None:
    assert tier_of("thing", found, tier, heavy, TODAY) == expected


def test_what_its_host_says_is_heavy_is_never_standard() -> None:
    with pytest.raises(InputError, match="thing is heavy: 612 MB"):
        tier_of("thing", LARGE, "standard", None, TODAY)


@pytest.mark.parametrize(
    ("tier", "heavy", "sentence"),
    [
        ("heavy", None, "Nothing says that thing is heavy"),
        ("gpu", "Ada", "cannot be heavy and of the tier gpu"),
        ("standard", "Ada", "cannot be heavy and of the tier standard"),
        (None, " ", "wants who marks it heavy"),
    ],
)
def test_heavy_by_nobody_or_beside_another_tier_is_refused(tier: Tier | None, heavy: str | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        tier_of("thing", FOUND, tier, heavy, TODAY)
