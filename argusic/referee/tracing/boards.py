"""From the figures of a board down: board score, per-subject medians, runs. The board is derived again first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePosixPath

from argusic.database.paths import edition_path
from argusic.records.board import Board, BoardRow, BoardSet, Figure
from argusic.referee.tracing import scores
from argusic.referee.tracing.address import figure_at
from argusic.referee.tracing.derived import derived_link
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link, Value

_VALID = ("pass_full", "pass_mock", "fail", "timeout")
_PASSED = ("pass_full", "pass_mock")


def figures(ground: Ground, path: PurePosixPath) -> Figures:
    """Return every figure of a board."""
    board = ground.record(path, Board)
    made = _Board(ground, path, board)
    found: Figures = {"agents": made.agents, "runs_per_set": made.runs_per_set}
    for place, row in enumerate(board.agents):
        found |= made.row(place, row)
    return found


class _Board:
    """The chains of one board."""

    def __init__(self, ground: Ground, path: PurePosixPath, board: Board) -> None:
        self._ground, self._path, self._board = ground, path, board

    def row(self, place: int, row: BoardRow) -> Figures:
        """Return the figures of one agent."""
        at, agent = ("agents", place), row.agent
        found: Figures = {
            f"{agent}/score": partial(self.score, place),
            f"{agent}/rank": partial(self._rank, place),
        }
        if row.pass_rate is not None:
            rate = (*at, "pass_rate")
            rates: tuple[tuple[str, Value, tuple[str, ...]], ...] = (
                ("", row.pass_rate.percent, _VALID),
                ("/passed", row.pass_rate.passed, _PASSED),
                ("/valid", row.pass_rate.valid, _VALID),
            )
            for name, value, outcomes in rates:
                rule = "passes of all valid attempts, in percent" if not name else "counted from these runs"
                found[f"{agent}/pass_rate{name}"] = partial(
                    self._counted, row, f"pass_rate{name}", rate, value, outcomes, rule
                )
        counts = row.attempts.model_dump(exclude_none=True)
        kinds: dict[str, tuple[str, ...]] = {**{name: (name,) for name in counts}, "valid": _VALID}
        for name, outcomes in kinds.items():
            value = sum(counts[outcome] for outcome in outcomes)
            field = f"attempts/{name}"
            found[f"{agent}/{field}"] = partial(
                self._counted, row, field, (*at, "attempts"), value, outcomes, "counted from these runs"
            )
        for state in row.sets.model_dump():
            found[f"{agent}/sets/{state}"] = partial(self._sets, place, row, state)
        for number, one in enumerate(row.subjects):
            spot = (*at, "subjects", number)
            found[f"{agent}/{one.subject}"] = partial(self.median, row, one, spot)
            found[f"{agent}/{one.subject}/spread"] = partial(self._spread, row, one, spot)
            found[f"{agent}/{one.subject}/state"] = partial(self._state, row, one, spot)
        return found

    def _link(self, what: str, value: Value, figure: str, place: tuple[str | int, ...], **more: object) -> Link:
        self._check()
        address = figure_at(self._path, figure)
        return derived_link(self._ground, self._path, what, value, address, place, **more)

    def _check(self) -> None:
        self._ground.derived(self._path, (self._board.cycle, self._board.kind))

    def _runs(self, runs: Iterable[str], chain: Callable[..., Link]) -> tuple[Link, ...]:
        # First of all: a board that does not follow from the runs may name some that are not there.
        self._check()
        return tuple(chain(self._ground, self._ground.run_of(self._board.cycle, run)) for run in runs)

    def score(self, place: int) -> Link:
        """Return the chain of an agent's board score: from the sets that count, each to its runs."""
        row = self._board.agents[place]
        spots = [("agents", place, "subjects", number) for number in range(len(row.subjects))]
        sets = tuple(zip(row.subjects, spots, strict=True))
        if row.score is None:
            below = tuple(self._state(row, one, spot) for one, spot in sets)
            return self._link(
                f"board score of {row.agent}",
                None,
                f"{row.agent}/score",
                ("agents", place),
                rule=row.no_score,
                below=below,
            )
        aside = tuple(
            f"{one.subject} is {one.state.replace('_', ' ')}: {one.reason}" for one in row.subjects if one.reason
        )
        return self._link(
            f"board score of {row.agent}",
            _shown(row.score),
            f"{row.agent}/score",
            ("agents", place, "score"),
            exact=row.score.exact,
            rule="the middle of the middle scores of its sets that count",
            remarks=aside,
            below=tuple(self.median(row, one, spot) for one, spot in sets if one.state == "counted"),
        )

    def median(self, row: BoardRow, one: BoardSet, spot: tuple[str | int, ...]) -> Link:
        """Return the chain of a set's middle score."""
        return self._link(
            f"middle score of {row.agent} on {one.subject}",
            None if one.score is None else _shown(one.score),
            f"{row.agent}/{one.subject}",
            (*spot, "score"),
            exact=one.score.exact if one.score is not None else None,
            rule=one.reason if one.score is None else f"the middle one of {len(one.runs)} scores",
            below=self._runs((run.run for run in one.runs), scores.total),
        )

    def _spread(self, row: BoardRow, one: BoardSet, spot: tuple[str | int, ...]) -> Link:
        return self._link(
            f"spread of {row.agent} on {one.subject}, in percent",
            one.spread_shown if one.spread_shown is not None else one.spread,
            f"{row.agent}/{one.subject}/spread",
            (*spot, "spread"),
            exact=one.spread,
            rule="(highest - lowest) / middle * 100" if one.spread is not None else one.reason,
            below=self._runs((run.run for run in one.runs), scores.total),
        )

    def _state(self, row: BoardRow, one: BoardSet, spot: tuple[str | int, ...]) -> Link:
        runs = [run.run for run in (*one.runs, *one.further)] + [run.run for run in one.invalid]
        return self._link(
            f"what becomes of the set of {row.agent} on {one.subject}",
            one.state,
            f"{row.agent}/{one.subject}/state",
            (*spot, "state"),
            rule=one.reason or "complete, stable and not under review",
            below=self._runs(runs, scores.outcome),
        )

    def _sets(self, place: int, row: BoardRow, state: str) -> Link:
        chosen = [(one, number) for number, one in enumerate(row.subjects) if one.state == state]
        return self._link(
            f"sets of {row.agent} that are {state.replace('_', ' ')}",
            len(chosen),
            f"{row.agent}/sets/{state}",
            ("agents", place, "sets", state),
            rule="counted from these sets",
            below=tuple(self._state(row, one, ("agents", place, "subjects", number)) for one, number in chosen),
        )

    def _counted(
        self,
        row: BoardRow,
        figure: str,
        place: tuple[str | int, ...],
        value: Value,
        outcomes: tuple[str, ...],
        rule: str,
    ) -> Link:
        runs = [run for one in row.subjects for run in (*one.runs, *one.further) if run.outcome in outcomes]
        chosen = [run.run for run in runs]
        if "invalid" in outcomes:
            chosen = [run.run for one in row.subjects for run in one.invalid]
        what = f"{figure.replace('_', ' ').replace('/', ', ')} of {row.agent}"
        return self._link(
            what, value, f"{row.agent}/{figure}", place, rule=rule, below=self._runs(chosen, scores.outcome)
        )

    def _rank(self, place: int) -> Link:
        row = self._board.agents[place]
        return self._link(
            f"rank of {row.agent}",
            row.rank,
            f"{row.agent}/rank",
            ("agents", place, "rank"),
            rule="one more than the agents with a higher board score; none without a score",
            below=tuple(self.score(other) for other in range(len(self._board.agents))),
        )

    def agents(self) -> Link:
        """Return the chain of how many agents the board has."""
        below = tuple(self.score(place) for place in range(len(self._board.agents)))
        return self._link("agents on the board", len(below), "agents", ("agents",), below=below)

    def runs_per_set(self) -> Link:
        """Return the chain of how many runs make a set."""
        edition, path = self._ground.edition(self._board.edition), edition_path(self._board.edition)
        place = ("board", "runs_per_set")
        below = Link(
            "runs that make a set under the edition",
            edition.board.runs_per_set,
            str(path),
            self._ground.sha256(path),
            figure_at(path, *place),
            self._ground.line(path, *place),
            checked=("is the file that the cycle pinned",),
        )
        value = self._board.runs_per_set
        return self._link("runs that make a set", value, "runs_per_set", ("runs_per_set",), below=(below,))


def _shown(figure: Figure) -> int | float:
    return int(figure.shown) if figure.shown.is_integer() else figure.shown
