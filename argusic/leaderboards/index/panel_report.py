"""What a panel is made of, who passes the gate with it, and what each stricter rule would change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from argusic.leaderboards.index.facts import Benchmark, Facts
from argusic.leaderboards.index.gate import refused
from argusic.leaderboards.index.preparing import PanelRule, Prepared, prepare

#: How many recent results a stricter rule asks for, where none is named.
LEAST_RECENT: Final = 5


@dataclass(frozen=True)
class Change:
    """What another rule would change.

    Attributes:
        rule: In words.
        benchmarks: How many would count.
        leave: The benchmarks that would not count any more.
        enter: Those that would count beside.
        passing: How many models would pass the gate.
        lose: The models that would not pass it any more.
        win: Those that would pass it beside.
    """

    rule: str
    benchmarks: int
    leave: tuple[str, ...]
    enter: tuple[str, ...]
    passing: int
    lose: tuple[str, ...]
    win: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PanelReport:
    """A panel and its alternatives.

    Attributes:
        prepared: What is fitted.
        refusals: Of every model with a result, why it does not pass the gate, or None where it does.
        changes: What each stricter rule would change.
    """

    prepared: Prepared
    refusals: dict[str, str | None]
    changes: tuple[Change, ...]

    @property
    def passing(self) -> tuple[str, ...]:
        """The models that pass the gate, sorted."""
        return _passing(self.refusals)


def report(facts: Facts, rule: PanelRule, sources: Collection[str] | None = None) -> PanelReport:
    """Return the panel of a rule, with what the stricter ones would change.

    Raises:
        InputError: A named source has no results here.
    """
    prepared = prepare(facts, rule, sources)
    refusals = refusals_of(facts, prepared)
    least = rule.least_recent or LEAST_RECENT
    others = {
        "days of runs alone": replace(rule, run_dates_only=True, least_recent=0),
        f"at least {least} models with a recent result": replace(rule, run_dates_only=False, least_recent=least),
        "both": replace(rule, run_dates_only=True, least_recent=least),
    }
    changes = (
        ()
        if rule.days is None
        else tuple(
            _change(name, facts, prepared, refusals, prepare(facts, other, sources)) for name, other in others.items()
        )
    )
    return PanelReport(prepared, refusals, changes)


def refusals_of(facts: Facts, prepared: Prepared) -> dict[str, str | None]:
    """Return why each model with a result does not pass the gate, or None where it does; sorted by model."""
    counting: dict[str, list[Benchmark]] = {}
    for chosen in prepared.chosen:
        benchmarks = counting.setdefault(chosen.result.model, [])
        if chosen.counts:
            benchmarks.append(facts.benchmarks[chosen.result.benchmark])
    return {model: refused(counting[model]) for model in sorted(counting)}


def _change(name: str, facts: Facts, before: Prepared, refusals: dict[str, str | None], after: Prepared) -> Change:
    had, has = set(before.responses.benchmarks), set(after.responses.benchmarks)
    passed, passes = set(_passing(refusals)), set(_passing(refusals_of(facts, after)))
    return Change(
        rule=name,
        benchmarks=len(has),
        leave=tuple(sorted(had - has)),
        enter=tuple(sorted(has - had)),
        passing=len(passes),
        lose=tuple(sorted(passed - passes)),
        win=tuple(sorted(passes - passed)),
    )


def _passing(refusals: dict[str, str | None]) -> tuple[str, ...]:
    return tuple(model for model, why in refusals.items() if why is None)
