"""Gives each result the one name that the tables know its model by, and tells runs apart that look the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from argusic.errors import InputError
from argusic.leaderboards.index.facts import Model, Source
from argusic.leaderboards.index.importing.raw import Raw
from argusic.leaderboards.index.reading import cells
from argusic.leaderboards.index.reading.tables import names_of


@dataclass(frozen=True)
class Named:
    """A result with its model's name in the tables."""

    model: str
    raw: Raw


def named(raws: Sequence[Raw], models: Mapping[str, Model], *, known_only: bool, unknown: Counter[str]) -> list[Named]:
    """Return the results with the models' names.

    Args:
        raws: The results.
        models: The models by name.
        known_only: Whether results of models that the tables do not know are left out, and not refused.
        unknown: Is told how many results of which version were left out.

    Raises:
        InputError: A model is not known.
    """
    of = names_of(models)
    found = []
    for raw in raws:
        model = of.get(raw.version)
        if model is not None:
            found.append(Named(model, raw))
        elif known_only:
            unknown[raw.version] += 1
        else:
            what = cells.unknown("model", raw.version, sorted(of))
            advice = "Add it to models.csv, as a model or as an alias of one, or leave such rows out with --known-only."
            raise InputError(what, place=replace(raw.place, field="model"), advice=advice)
    return found


def told_apart(rows: Sequence[Named], source: Source) -> tuple[list[Named], int]:
    """Return the results, no two of which look the same, and how many were the same as another in all.

    Results of one version with the same variant and day and other scores are several runs. They are told apart by
    what the source says of them otherwise, and where that does not do, by a number, the lowest score first.

    Raises:
        InputError: A result is from after the day on which the copy was taken.
    """
    alike: dict[tuple[object, ...], list[Named]] = defaultdict(list)
    for row in rows:
        if row.raw.as_of is not None and row.raw.as_of > source.snapshot:
            what = f"{row.raw.as_of} is after the copy was taken, {source.snapshot}."
            raise InputError(what, place=replace(row.raw.place, field="day"))
        alike[_key(row)].append(row)
    found: list[Named] = []
    for group in alike.values():
        first = {(row.raw.score, row.raw.low, row.raw.high): row for row in reversed(group)}
        distinct = sorted(first.values(), key=lambda row: row.raw.score)
        found.extend(_numbered(_described(distinct)) if len(distinct) > 1 else distinct)
    again = Counter(_key(row) for row in found)
    clash = [row for row in found if again[_key(row)] > 1]
    if clash:
        raise InputError("cannot be told from another result of the same model.", place=clash[0].raw.place)
    return found, len(rows) - len(found)


def _key(row: Named) -> tuple[object, ...]:
    return (row.raw.benchmark, row.raw.version, row.raw.variant, row.raw.as_of)


def _described(rows: Sequence[Named]) -> list[Named]:
    """Return the results with the first things in their variants that tell them apart best."""
    most = max(len(row.raw.otherwise) for row in rows)
    helps = [place for place in range(most) if len({_at(row, place) for row in rows}) > 1]
    return [_with(row, "; ".join(filter(None, (_at(row, place) for place in helps)))) for row in rows]


def _numbered(rows: Sequence[Named]) -> list[Named]:
    count = Counter(row.raw.variant for row in rows)
    seen: Counter[str] = Counter()
    found = []
    for row in rows:
        seen[row.raw.variant] += 1
        again = count[row.raw.variant] > 1
        found.append(_with(row, f"run {seen[row.raw.variant]}") if again else row)
    return found


def _at(row: Named, place: int) -> str:
    return row.raw.otherwise[place] if place < len(row.raw.otherwise) else ""


def _with(row: Named, more: str) -> Named:
    variant = "; ".join(filter(None, (row.raw.variant, more)))
    return replace(row, raw=replace(row.raw, variant=variant))
