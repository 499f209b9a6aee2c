"""The board of a cycle and kind as a record: the rules' answers, written down with every run behind them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from argusic.leaderboards.group import Group
from argusic.records.board import (
    AttemptCounts,
    Board,
    BoardRow,
    BoardRun,
    BoardSet,
    Figure,
    HeldRun,
    InvalidRun,
    PassRate,
    SetCounts,
)
from argusic.rules.board import Ranked, Standing, board_score, no_score_reason, ranking, standing
from argusic.rules.figures import exact, shown
from argusic.rules.rubric import OUTCOMES, PASSES
from argusic.rules.scored import ScoredRun
from argusic.rules.sets import run_set


def board(group: Group) -> Board:
    """Derive the board of `group`."""
    standings = {agent: _standings(group, agent) for agent in group.board_agents}
    if group.edition.board.score == "none":
        none = f"Edition {group.edition.edition} has no figure that a board ranks agents by."
        ranked = ranking(dict.fromkeys(standings), dict.fromkeys(standings, none))
    else:
        ranked = ranking(
            {agent: board_score(items) for agent, items in standings.items()},
            {agent: no_score_reason(items) for agent, items in standings.items()},
        )
    return Board(
        cycle=group.cycle.cycle,
        kind=group.kind,
        edition=group.edition.edition,
        runs_per_set=group.edition.board.runs_per_set,
        agents=tuple(_row(place, standings[place.agent]) for place in ranked),
    )


def figure(value: Fraction) -> Figure:
    """Return a score as records hold it."""
    return Figure(exact=exact(value), shown=shown(value))


def _standings(group: Group, agent: str) -> list[Standing]:
    rules = group.edition.board
    made = []
    for subject in group.subjects:
        own = [run for run in group.by_subject[subject] if run.agent == agent]
        made.append(standing(subject, run_set(own, rules), group.reviews[subject], rules.runs_per_set))
    return made


def _row(place: Ranked, standings: list[Standing]) -> BoardRow:
    states = Counter(item.state for item in standings)
    outcomes = Counter(run.outcome for item in standings for run in _all_runs(item))
    passed = sum(outcomes[outcome] for outcome in PASSES)
    valid = outcomes.total() - outcomes["invalid"]
    held = sum(len(item.runs.held) for item in standings)
    rate = None
    if valid:
        rate = PassRate(passed=passed, valid=valid, percent=shown(Fraction(100 * passed, valid)))
    return BoardRow(
        agent=place.agent,
        rank=place.rank,
        score=None if place.score is None else figure(place.score),
        no_score=place.reason,
        pass_rate=rate,
        attempts=AttemptCounts(**{outcome: outcomes[outcome] for outcome in OUTCOMES}, held=held or None),
        sets=SetCounts(
            counted=states["counted"],
            unstable=states["unstable"],
            incomplete=states["incomplete"],
            under_review=states["under_review"],
        ),
        subjects=tuple(_set(item) for item in standings),
    )


def _all_runs(item: Standing) -> tuple[ScoredRun, ...]:
    return (*item.runs.runs, *item.runs.further, *item.runs.invalid)


def _set(item: Standing) -> BoardSet:
    runs = item.runs
    spread = runs.spread
    return BoardSet(
        subject=item.subject,
        state=item.state,
        reason=item.reason,
        score=None if runs.median is None else figure(runs.median),
        spread=None if spread is None else str(spread),
        spread_shown=shown(spread) if isinstance(spread, Fraction) else None,
        runs=tuple(_valid_run(run) for run in runs.runs),
        further=tuple(_valid_run(run) for run in runs.further),
        invalid=tuple(InvalidRun(run=run.run, reason=run.reason or "It is invalid.") for run in runs.invalid),
        held=tuple(HeldRun(run=run.run, reason=run.reason or "It is held.") for run in runs.held) or None,
    )


def _valid_run(run: ScoredRun) -> BoardRun:
    assert run.total is not None and run.outcome != "held", "a valid run has a score"
    return BoardRun(run=run.run, outcome=run.outcome, score=figure(run.total))
