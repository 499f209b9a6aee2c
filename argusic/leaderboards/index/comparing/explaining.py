"""Why a way ranks as it does: sentences made of the results themselves."""

from __future__ import annotations

from argusic.leaderboards.index.comparing.comparison import Standing
from argusic.leaderboards.index.comparing.setting import SHARED, Setting

#: From here on a correlation is worth a sentence.
_NOTABLE = 0.3


def why(
    standings: tuple[Standing, ...],
    followed: Standing | None,
    setting: Setting,
    ease: float | None,
    field: float | None,
    upheld: tuple[int, float | None],
) -> tuple[str, ...]:
    """Return the sentences: who is first and from what, where the followed model is, what buys places.

    Args:
        standings: The way's standings, the highest first.
        followed: The model that the comparison follows.
        setting: What each model was run on.
        ease: Correlation of the places gained against the index with the ease of a model's benchmarks.
        field: The same with the strength of their field.
        upheld: In how many pairs, and in which share of them, the order agrees with the benchmarks in common.
    """
    ranked = [standing for standing in standings if standing.score is not None]
    if not ranked:
        of = f" Of {followed.model}: {followed.why_not}" if followed is not None else ""
        return (f"It ranks nobody here.{of}",)
    openly = [standing for standing in ranked if standing.open_weights]
    mine = followed.model if followed is not None else None
    said = []
    if ranked[0].model != mine:
        said.append(f"{ranked[0].model} is first of {len(ranked)}, {_from(ranked[0])}.")
    if openly and openly[0].model not in (mine, ranked[0].model):
        said.append(f"{openly[0].model} is first of {len(openly)} open ones, {_from(openly[0])}.")
    if followed is not None:
        said.append(_followed(followed, len(ranked), len(openly)))
        said += [_against(followed, one, setting) for one in _rivals(ranked, openly, followed)]
    said += [*_bought(ease, field), *_upheld(*upheld)]
    return tuple(said)


def _from(standing: Standing) -> str:
    count = f"{standing.benchmarks} benchmark{'' if standing.benchmarks == 1 else 's'}"
    return (
        f"with results on {count}: an average model is expected to score {standing.ease:.2f} there, "
        f"and the others on them have {standing.field:.0f} points on average"
    )


def _followed(followed: Standing, ranked: int, openly: int) -> str:
    if followed.place is None:
        return f"{followed.model} has no place: {followed.why_not}"
    among = f" and number {followed.place_open} of {openly} open ones" if followed.place_open else ""
    return f"{followed.model} is number {followed.place} of {ranked}{among}, {_from(followed)}."


def _rivals(ranked: list[Standing], openly: list[Standing], followed: Standing) -> list[Standing]:
    """Return the first open model, else the first, where it stands before the followed one."""
    first = openly[0] if openly and followed.open_weights else ranked[0]
    return [] if followed.place is None or first.model == followed.model else [first]


def _against(followed: Standing, first: Standing, setting: Setting) -> str:
    where = setting.responses.models.index
    common, ahead = setting.held_against_each_other(where(followed.model), where(first.model))
    if not common:
        return f"{first.model} and {followed.model} have no benchmark in common."
    return (
        f"{first.model} and {followed.model} have {common} benchmark{'' if common == 1 else 's'} in common; "
        f"{followed.model} is ahead on {ahead}."
    )


def _bought(ease: float | None, field: float | None) -> list[str]:
    said = []
    if ease is not None and ease >= _NOTABLE:
        said.append(f"Against the index, whoever has easy benchmarks gains places (rank correlation {ease:.2f}).")
    if field is not None and field <= -_NOTABLE:
        said.append(f"Against the index, whoever met weak company gains places (rank correlation {field:.2f}).")
    return said


def _upheld(pairs: int, share: float | None) -> list[str]:
    if share is None:
        return []
    return [
        f"Of {pairs} pairs of models with at least {SHARED} benchmarks in common, it puts the one that is better on "
        f"these first in {share:.0%}."
    ]
