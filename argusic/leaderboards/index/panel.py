"""Which benchmarks count at a date: those that today's models are still run on, by three dates that are reported."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from argusic.leaderboards.index.facts import Model, Result
from argusic.leaderboards.index.standings import Liveness

#: How old the newest of the three dates may be, in days. One that is exactly so old counts.
DAYS: Final = 365

Kept = Literal["open result", "external result", "open release"]
#: The three dates by what they are called, as fields of `Liveness`.
DATES: Final[Mapping[Kept, Literal["open_result", "external_result", "open_release"]]] = {
    "open result": "open_result",
    "external result": "external_result",
    "open release": "open_release",
}


@dataclass(frozen=True)
class PanelRule:
    """Which benchmarks count.

    Attributes:
        date: The panel's date, which is recorded and not today's.
        days: How old the newest of the three dates may be; None for a panel of everything.
        run_dates_only: Whether the release of an open model keeps no benchmark alive: days of runs alone do.
        least_recent: How many models need a result run within those days.
    """

    date: dt.date
    days: int | None = DAYS
    run_dates_only: bool = False
    least_recent: int = 0

    def __post_init__(self) -> None:
        if (self.days is not None and self.days < 0) or self.least_recent < 0:
            raise ValueError("days and least_recent are not below 0")

    @classmethod
    def everything(cls, date: dt.date) -> PanelRule:
        """Return the rule by which every benchmark counts, however old its results."""
        return cls(date, days=None)


def liveness(results: Collection[Result], models: Mapping[str, Model], rule: PanelRule) -> Liveness:
    """Return why a benchmark counts or not, by every published result on it.

    An external result is one of a model that is not known to be open: all results here were published by others.
    """
    days = rule.days if rule.days is not None else DAYS
    since = _before(rule.date, days)
    openly = [result for result in results if models[result.model].open_weights]
    others = [result for result in results if not models[result.model].open_weights]
    found = Liveness(
        open_result=_newest((result.as_of for result in openly), rule.date),
        external_result=_newest((result.as_of for result in others), rule.date),
        open_release=_newest((models[result.model].released for result in openly), rule.date),
        kept_by=(),
        recent=len({one.model for one in results if one.as_of is not None and since <= one.as_of <= rule.date}),
        active=True,
        left_out=None,
    )
    newest = {name: getattr(found, field) for name, field in DATES.items()}
    kept = tuple(name for name, day in newest.items() if day is not None and day >= since)
    why = None if rule.days is None else _left_out(found, kept, rule, since)
    return replace(found, kept_by=kept, active=why is None, left_out=why)


def _left_out(found: Liveness, kept: tuple[Kept, ...], rule: PanelRule, since: dt.date) -> str | None:
    counted = [name for name in kept if not (rule.run_dates_only and name == "open release")]
    if not counted:
        dates = [found.open_result, found.external_result, None if rule.run_dates_only else found.open_release]
        newest = max((day for day in dates if day is not None), default=None)
        if newest is None:
            return "No date of a run is known." if rule.run_dates_only else "No date of a run or a release is known."
        age = (rule.date - newest).days
        return f"Its newest date, {newest}, is {age} days before the panel's; {rule.days} is the most."
    if found.recent < rule.least_recent:
        return f"It has results of {found.recent} models since {since}; {rule.least_recent} are needed."
    return None


def _newest(days: Iterable[dt.date | None], until: dt.date) -> dt.date | None:
    known = [day for day in days if day is not None and day <= until]
    return max(known, default=None)


def _before(day: dt.date, days: int) -> dt.date:
    try:
        return day - dt.timedelta(days=days)
    except OverflowError:
        return dt.date.min
