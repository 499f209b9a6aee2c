"""The index at a date: from what was published and what people decided to where every model and benchmark stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from argusic.errors import CheckFailed, InputError
from argusic.leaderboards.index import standing
from argusic.leaderboards.index.anchoring import anchored_fit, anchors
from argusic.leaderboards.index.connecting import connectivity
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.fitting import Fit, fit
from argusic.leaderboards.index.options import Options
from argusic.leaderboards.index.preparing import PanelRule, Prepared, prepare
from argusic.leaderboards.index.solving import NotConverged
from argusic.leaderboards.index.standings import Index
from argusic.leaderboards.index.validation.halves import halves
from argusic.leaderboards.index.warning import warnings
from argusic.records.index import Addendum, FitOptions, Panel, RankingInputs, Reference


def index_at(
    facts: Facts, ranking: RankingInputs, reference: Reference | None, addenda: Sequence[Addendum] = ()
) -> Index:
    """Return the index.

    Args:
        facts: What was published.
        ranking: What the ranking is made from: the date, the rule, the settings, the sources.
        reference: The reference that it names; None where it names none.
        addenda: The addenda that it names, the oldest first.

    Raises:
        InputError: No result counts at that date, a source is not here, or the parameters are not those it names.
        CheckFailed: The fit came to no end.
    """
    prepared = prepared_for(facts, ranking)
    options = options_of(ranking.options)
    held = anchors(ranking, reference, addenda, facts.benchmarks)
    try:
        fitted = anchored_fit(prepared.responses, options, held)
        free = fit(prepared.responses, options) if held else fitted
    except NotConverged as error:
        raise CheckFailed(f"The fit of {ranking.date} came to no end: {error.why}.") from error
    return _index(facts, ranking, reference, prepared, fitted, free)


def prepared_for(facts: Facts, ranking: RankingInputs) -> Prepared:
    """Return the results that count in a ranking.

    Raises:
        InputError: None does, or a source is not here.
    """
    prepared = prepare(facts, rule_of(ranking.panel, ranking.date), [file.source for file in ranking.results])
    if not len(prepared.responses):
        raise InputError(f"No result counts at {ranking.date}: by its rule, the panel is empty.")
    return prepared


def rule_of(panel: Panel, day: str) -> PanelRule:
    """Return the rule that a record states, at a day."""
    return PanelRule(date.fromisoformat(day), panel.days, panel.run_dates_only, panel.least_recent)


def options_of(options: FitOptions) -> Options:
    """Return the settings that a record states."""
    return Options(**options.model_dump())


def _index(
    facts: Facts, ranking: RankingInputs, reference: Reference | None, prepared: Prepared, fitted: Fit, free: Fit
) -> Index:
    models = standing.models(facts, prepared, fitted, ranking.draws)
    connected = connectivity(fitted.responses)
    name = reference.reference if reference is not None else None
    used = {one.result.model for one in prepared.chosen} | {result.model for result in prepared.relative}
    return Index(
        date=date.fromisoformat(ranking.date),
        reference=name,
        reference_sha256=reference.sha256 if reference is not None else None,
        published=ranking.published,
        fit=fitted,
        models=models,
        others=tuple(sorted(used.difference(fitted.responses.models))),
        benchmarks=standing.benchmarks(facts, prepared, fitted, free),
        components=len(connected.components),
        halves=halves(free),
        warnings=tuple(warnings(fitted, models, connected, name)),
        connectivity=connected,
    )
