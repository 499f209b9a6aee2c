"""`argusic index panel`: which benchmarks count at a date, what keeps each, and what stricter rules would change."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli import context
from argusic.cli.index_settings import day_of
from argusic.cli.output import emit
from argusic.errors import InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.facts import Facts
    from argusic.leaderboards.index.panel_report import Change, PanelReport
    from argusic.leaderboards.index.standings import Liveness


#: The columns of the three dates, with what each is called where it keeps a benchmark.
_DATES: Final = {"open run": "open result", "other run": "external result", "open release": "open release"}


def panel_command(
    on: Annotated[str, typer.Option("--date", metavar="DAY", help="The panel's date, written as 2026-10-22.")],
    days: Annotated[int, typer.Option(min=0, help="How old the newest of a benchmark's three dates may be.")] = 365,
    run_dates_only: Annotated[
        bool, typer.Option("--run-dates-only", help="Days of runs alone keep a benchmark, and no model's release.")
    ] = False,
    least_recent: Annotated[
        int, typer.Option(min=0, help="How many models must have a result run within those days.")
    ] = 0,
    everything: Annotated[bool, typer.Option("--everything", help="Count every benchmark, however old.")] = False,
    source: Annotated[
        list[str] | None, typer.Option(help="Use the results of this source alone. Can be given several times.")
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="Also your own files of results (.argusic/index/results).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show which benchmarks count at a date, what keeps each alive, and what a stricter rule would change."""
    from argusic.leaderboards.index.panel_report import report
    from argusic.leaderboards.index.preparing import PanelRule
    from argusic.leaderboards.index.reading.facts import read_facts
    from argusic.leaderboards.index.reading.places import data_folder, own_folder

    day = day_of(on, "--date")
    if everything and (days != 365 or run_dates_only or least_recent):
        raise InputError("--everything goes with none of --days, --run-dates-only and --least-recent.")
    rule = PanelRule.everything(day) if everything else PanelRule(day, days, run_dates_only, least_recent)
    top: Path = context.database().root
    facts = read_facts(data_folder(top), own_folder(top) if own else None)
    found = report(facts, rule, source or None)
    emit(as_json, _data(facts, found), lambda out: _show(out, facts, found))


def _data(facts: Facts, found: PanelReport) -> dict[str, Any]:
    prepared = found.prepared
    return {
        "date": prepared.rule.date.isoformat(),
        "days": prepared.rule.days,
        "run_dates_only": prepared.rule.run_dates_only,
        "least_recent": prepared.rule.least_recent,
        "sources": list(prepared.sources),
        **_counts(facts, found),
        "benchmarks": [
            {"benchmark": name, **_live(live), **_edges(found, name)}
            for name, live in sorted(prepared.liveness.items())
        ],
        "changes": [_changed(change) for change in found.changes],
        "refusals": {model: why for model, why in found.refusals.items() if why is not None},
    }


def _counts(facts: Facts, found: PanelReport) -> dict[str, int]:
    responses = found.prepared.responses
    return {
        "results_that_count": len(responses),
        "models_with_such": len(responses.models),
        "benchmarks_that_count": len(responses.benchmarks),
        "models_passing": len(found.passing),
        "open_models_passing": sum(facts.models[model].open_weights is True for model in found.passing),
    }


def _live(live: Liveness) -> dict[str, Any]:
    days = {name: getattr(live, name) for name in ("open_result", "external_result", "open_release")}
    return {
        **{name: day and day.isoformat() for name, day in days.items()},
        "kept_by": list(live.kept_by),
        "recent": live.recent,
        "active": live.active,
        "left_out": live.left_out,
    }


def _edges(found: PanelReport, name: str) -> dict[str, Any]:
    prepared = found.prepared
    return {
        "clipped_low": prepared.clipped_low[name],
        "clipped_high": prepared.clipped_high[name],
        "at_edge": round(prepared.at_edge[name], 4),
    }


def _changed(change: Change) -> dict[str, Any]:
    return {
        "rule": change.rule,
        "benchmarks": change.benchmarks,
        "leave": list(change.leave),
        "enter": list(change.enter),
        "models_passing": change.passing,
        "lose": list(change.lose),
        "win": list(change.win),
    }


def _show(out: Console, facts: Facts, found: PanelReport) -> None:
    shown = Table(box=None, pad_edge=False)
    for heading in ("benchmark", *_DATES, "recent"):
        shown.add_column(heading, justify="right" if heading == "recent" else "left", overflow="fold")
    alive = found.prepared.liveness
    for name in sorted(name for name in alive if alive[name].active):
        live = alive[name]
        days = (live.open_result, live.external_result, live.open_release)
        shown.add_row(name, *map(partial(_day, live), _DATES, days), str(live.recent))
    out.print(shown)
    out.print(
        "The newest run of an open model, run of another, and release of an open one that has a result; * keeps the "
        "benchmark. recent: results run within the days that count.\n"
    )
    for name in sorted(name for name in alive if not alive[name].active):
        out.print(f"Out: {name}. {alive[name].left_out or ''}".rstrip())
    counts = _counts(facts, found)
    out.print(
        f"\n{counts['results_that_count']} results of {counts['models_with_such']} models on "
        f"{counts['benchmarks_that_count']} of {len(alive)} benchmarks count; {counts['models_passing']} models pass "
        f"the gate, {counts['open_models_passing']} of them open."
    )
    for change in found.changes:
        out.print(
            f"By {change.rule}: {change.benchmarks} benchmarks and {change.passing} models; "
            f"{_named('leave', change.leave)}{_named('; enter', change.enter) if change.enter else ''}."
        )


def _day(live: Liveness, heading: str, day: date | None) -> str:
    return f"{day or ''}{' *' if _DATES[heading] in live.kept_by else ''}"


def _named(verb: str, names: tuple[str, ...]) -> str:
    return f"{verb} {len(names)}" + (f" ({', '.join(names)})" if names else "")
