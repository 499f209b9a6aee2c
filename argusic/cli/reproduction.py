"""How a reproduction's comparison reads: tables for people, plain data for programs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from argusic.cli.output import printable
from argusic.referee.reproducing.comparing import CellComparison, CellSide
from argusic.referee.reproducing.standing import Standing
from argusic.rules.agreement import Agreement, Interval
from argusic.rules.figures import exact, shown
from argusic.rules.sets import Spread
from argusic.site.figures import counted

_LONGEST = 60


def plain_standing(found: Standing) -> dict[str, Any]:
    """Return how a reproduction compares as plain data; exact figures as fractions in text."""
    comparison = found.comparison
    return {
        "reproduction": found.reproduction.reproduction,
        "cycle": found.reproduction.cycle,
        "by": found.reproduction.by,
        "verdict_agreement": plain_agreement(comparison.verdict_agreement),
        "outcome_agreement": plain_agreement(comparison.outcome_agreement),
        "scores": {"inside_spread": comparison.inside, "outside_spread": comparison.outside},
        "unpaired": comparison.unpaired,
        "count_nowhere": comparison.left_out,
        "unsettled": comparison.unsettled,
        "added_since": found.since,
        "cells": [_plain_cell(cell) for cell in comparison.cells],
        "verdicts": [
            {"subject": one.subject, "first": one.first, "again": one.again, "agrees": one.agrees}
            for one in comparison.verdicts
        ],
        "differences": [
            {"what": one.what, "first": list(one.first), "again": list(one.again)} for one in found.differences
        ],
    }


def plain_agreement(found: Agreement) -> dict[str, Any]:
    """Return an agreement as plain data."""
    return {
        "categories": list(found.categories),
        "table": [list(row) for row in found.table],
        "pairs": found.pairs,
        "agreed": found.agreed,
        "observed": _exact(found.observed),
        "expected": _exact(found.expected),
        "kappa": _exact(found.kappa),
        "no_kappa": found.no_kappa,
        "interval": _plain_interval(found.interval),
        "no_interval": found.no_interval,
        "subjects": found.clusters,
        "subjects_that_agree": found.whole,
        "share_of_subjects": _plain_interval(found.whole_interval),
    }


def show_standing(out: Console, found: Standing) -> None:
    """Print how a reproduction compares."""
    comparison = found.comparison
    _show_cells(out, found)
    _show_agreement(out, "Verdicts", "subject", comparison.verdict_agreement)
    _show_agreement(out, "Outcomes", "attempt", comparison.outcome_agreement)
    scored = comparison.inside + comparison.outside
    out.print(
        f"Middle scores: {comparison.inside} of {scored} within the cycle's own spread, {comparison.outside} outside."
    )
    for count, what in (
        (comparison.left_out, "on either side counted nowhere (invalid or held)"),
        (comparison.unpaired, "had none to be compared with"),
    ):
        if count:
            out.print(f"{counted(count, 'run')} {what}.")
    if comparison.unsettled:
        out.print(f"{counted(comparison.unsettled, 'subject')} had no settled verdict on both sides.")
    if not found.differences:
        out.print("Conditions, machine and program were the same.")
        return
    table = Table("what was not the same", "the cycle", "here")
    for one in found.differences:
        table.add_row(one.what, _short(one.first), _short(one.again))
    out.print(table)


def _show_cells(out: Console, found: Standing) -> None:
    verdicts = {one.subject: one for one in found.comparison.verdicts}
    table = Table(Column("subject", overflow="fold"), "agent", "verdict", "outcomes", "score", "spread", "agrees")
    for cell in found.comparison.cells:
        word = verdicts[cell.subject]
        verdict = word.first if word.first == word.again else f"{word.first} → {word.again}"
        table.add_row(
            cell.subject,
            cell.agent,
            verdict.replace("_", " "),
            _moved(_tally(cell.first), _tally(cell.again)),
            _moved(_points(cell.first.middle), _points(cell.again.middle)),
            _spread(cell),
            f"{cell.agreed} of {cell.compared}",
        )
    out.print(table)


def _show_agreement(out: Console, title: str, unit: str, found: Agreement) -> None:
    observed = f"{found.agreed} of {counted(found.pairs, unit)} the same"
    if found.kappa is None:
        out.print(f"{title}: {observed}. No kappa: {found.no_kappa}")
    elif found.interval is not None:
        rough = f"; rough, with {counted(found.clusters, 'subject')}" if found.few else ""
        limits = f"{found.interval.low:.2f} to {found.interval.high:.2f}"
        out.print(f"{title}: {observed}. Cohen's kappa {float(found.kappa):.2f} (95 % interval {limits}{rough}).")
    else:
        out.print(f"{title}: {observed}. Cohen's kappa {float(found.kappa):.2f}; no interval: {found.no_interval}")
    if found.whole_interval is not None:
        low, high = (f"{100 * limit:.0f}" for limit in found.whole_interval)
        out.print(
            f"  {found.whole} of {counted(found.clusters, 'subject')} came out the same throughout "
            f"(95 % interval of that share: {low} to {high} %)."
        )
    used = [
        name for i, name in enumerate(found.categories) if any(found.table[i]) or any(row[i] for row in found.table)
    ]
    if len(used) > 1:
        table = Table("first \\ again", *(name.replace("_", " ") for name in used))
        for name in used:
            row = found.table[found.categories.index(name)]
            table.add_row(name.replace("_", " "), *(str(row[found.categories.index(other)]) for other in used))
        out.print(table)


def _plain_cell(cell: CellComparison) -> dict[str, Any]:
    return {
        "subject": cell.subject,
        "agent": cell.agent,
        "first": _plain_side(cell.first),
        "again": _plain_side(cell.again),
        "compared": cell.compared,
        "agreed": cell.agreed,
        "difference": _exact(cell.difference),
        "spread": cell.spread if not isinstance(cell.spread, Fraction) else exact(cell.spread),
        "inside_spread": cell.inside,
    }


def _plain_side(side: CellSide) -> dict[str, Any]:
    return {
        "outcomes": list(side.outcomes),
        "count_nowhere": side.left_out,
        "middle_score": _exact(side.middle),
        "lines": {name: exact(points) for name, points in side.lines.items()},
    }


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else exact(value)


def _plain_interval(value: Interval | None) -> list[float] | None:
    return None if value is None else [value.low, value.high]


def _tally(side: CellSide) -> str:
    words = list(dict.fromkeys(side.outcomes))
    return ", ".join(f"{side.outcomes.count(word)} {word.replace('_', ' ')}" for word in words) or "none"


def _moved(first: str, again: str) -> str:
    return first if first == again else f"{first} → {again}"


def _points(value: Fraction | None) -> str:
    return "none" if value is None else f"{shown(value):g}"


def _spread(cell: CellComparison) -> str:
    spread: Spread | None = cell.spread
    if spread is None:
        return "no set"
    said = "unbounded" if not isinstance(spread, Fraction) else f"{shown(spread):g} %"
    return f"{said}: {'inside' if cell.inside else 'outside'}" if cell.inside is not None else said


def _short(values: tuple[str, ...]) -> str:
    text = printable("; ".join(values))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
