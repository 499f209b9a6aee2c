"""The board: from each agent's sets to one score, and the order of agents by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from argusic.rules.quality import Review
from argusic.rules.sets import RunSet, median

#: What becomes of a set on a board.
SetState = Literal["counted", "unstable", "incomplete", "under_review"]


@dataclass(frozen=True)
class Standing:
    """One set with what becomes of it, and why where it does not count."""

    subject: str
    runs: RunSet
    state: SetState
    reason: str | None


@dataclass(frozen=True)
class Ranked:
    """An agent with its place.

    Attributes:
        agent: The agent.
        rank: Its place from 1; equal scores share one. None without a score.
        score: Its exact board score, or None.
        reason: Why there is none.
    """

    agent: str
    rank: int | None
    score: Fraction | None
    reason: str | None


def standing(subject: str, runs: RunSet, review: Review, needed: int) -> Standing:
    """Say what becomes of a set. A subject under review is excluded whatever its sets look like."""
    if review.excluded:
        return Standing(subject, runs, "under_review", review.reason)
    if not runs.complete:
        have = len(runs.runs)
        waits = f" {len(runs.held)} held until a person has looked." if runs.held else ""
        return Standing(subject, runs, "incomplete", f"{have} of {needed} valid runs.{waits}")
    if runs.unstable:
        if runs.spread == "unbounded":
            reason = "The middle score is 0 although a run scored above 0, so the spread has no bound."
        else:
            reason = f"The runs are too far apart: a spread of {_percent(runs.spread)} %."
        return Standing(subject, runs, "unstable", reason)
    return Standing(subject, runs, "counted", None)


def board_score(standings: Sequence[Standing]) -> Fraction | None:
    """Return the median of the medians of the sets that count, or None where none does.

    Of an even number of sets it is the exact mean of the two medians in the middle.
    """
    medians = [item.runs.median for item in standings if item.state == "counted" and item.runs.median is not None]
    return median(medians) if medians else None


def no_score_reason(standings: Sequence[Standing]) -> str:
    """Say why an agent has no board score, from what became of its sets."""
    if not any(item.runs.runs for item in standings):
        return "It has no valid run in this cycle yet."
    words: dict[SetState, str] = {
        "incomplete": "incomplete",
        "unstable": "unstable",
        "under_review": "on subjects under review",
    }
    counts = {state: sum(item.state == state for item in standings) for state in words}
    parts = [f"{count} {words[state]}" for state, count in counts.items() if count]
    return f"None of its {len(standings)} sets counts: {', '.join(parts)}."


def ranking(scores: Mapping[str, Fraction | None], reasons: Mapping[str, str]) -> list[Ranked]:
    """Order agents: the highest score first, equal scores sharing a rank, agents without a score at the bottom.

    After a shared rank the next one counts everybody before it (1, 1, 3). Agents that share one stand by id.
    """
    with_score = sorted(((score, agent) for agent, score in scores.items() if score is not None), key=_best_first)
    rows = []
    for score, agent in with_score:
        rank = 1 + sum(other > score for other, _ in with_score)
        rows.append(Ranked(agent, rank, score, None))
    rows.extend(Ranked(agent, None, None, reasons[agent]) for agent in sorted(scores) if scores[agent] is None)
    return rows


def _best_first(item: tuple[Fraction, str]) -> tuple[Fraction, str]:
    return -item[0], item[1]


def _percent(value: Fraction | str | None) -> str:
    return f"{float(round(Fraction(value or 0), 1)):g}"
