"""Freezing benchmarks' parameters: a reference that holds the scale, and what enters after it, fitted once.

A benchmark that no result connects with the scale is not frozen: priors alone would have placed it, and once it was
held nothing would say so any more. It is fitted with every ranking, and named in a warning, until a result connects it.
"""

from __future__ import annotations

from collections.abc import Sequence

from argusic.errors import CheckFailed, InputError
from argusic.leaderboards.index.anchoring import anchors
from argusic.leaderboards.index.connecting import connectivity
from argusic.leaderboards.index.derive import options_of, prepared_for
from argusic.leaderboards.index.facts import Facts
from argusic.leaderboards.index.fitting import Fit, Item, fit
from argusic.leaderboards.index.published import DIGITS, rounded
from argusic.leaderboards.index.solving import NotConverged
from argusic.records.index import Addendum, ItemParameters, RankingInputs, Reference


def frozen(facts: Facts, ranking: RankingInputs, reference: str) -> Reference:
    """Return the reference that a free fit of a ranking's results gives, of the largest piece that is connected.

    Args:
        facts: What was published.
        ranking: Date, rule, settings and sources. It holds to no reference.
        reference: The id.

    Raises:
        InputError: No result counts at that date, or a source is not here.
        CheckFailed: The fit came to no end.
    """
    if ranking.reference is not None:
        raise InputError("A reference is a fit that holds to nothing.")
    fitted = _fit(facts, ranking, {})
    return Reference.of(
        reference=reference,
        date=ranking.date,
        panel=ranking.panel,
        options=ranking.options,
        files=ranking.results,
        data=fitted.responses.digest,
        models=len(fitted.responses.models),
        rmse=rounded(fitted.rmse, DIGITS),
        benchmarks=_parameters(facts, fitted, sorted(connectivity(fitted.responses).components[0])),
    )


def addendum(
    facts: Facts, ranking: RankingInputs, reference: Reference, addenda: Sequence[Addendum]
) -> Addendum | None:
    """Return the parameters of the benchmarks of a ranking that nothing holds yet, fitted once with all others held.

    A benchmark that nothing connects with those that are held is not among them.

    Args:
        facts: What was published.
        ranking: What it is made from; it names the reference and the addenda so far.
        reference: The reference.
        addenda: The addenda so far, the oldest first.

    Returns:
        None where every benchmark of the panel that is connected with them is held already.

    Raises:
        InputError: No result counts at that date, a source is not here, or the reference is not the one it names.
        CheckFailed: The fit came to no end.
    """
    held = anchors(ranking, reference, addenda, facts.benchmarks)
    fitted = _fit(facts, ranking, held)
    pieces = [piece for piece in connectivity(fitted.responses).components if not held.keys().isdisjoint(piece)]
    new = sorted(name for piece in pieces for name in piece if name not in held)
    if not new:
        return None
    return Addendum.of(
        reference=reference.reference,
        date=ranking.date,
        panel=ranking.panel,
        options=ranking.options,
        files=ranking.results,
        data=fitted.responses.digest,
        models=len(fitted.responses.models),
        rmse=rounded(fitted.rmse, DIGITS),
        benchmarks=_parameters(facts, fitted, new),
        held=reference.sha256,
    )


def _fit(facts: Facts, ranking: RankingInputs, held: dict[str, Item]) -> Fit:
    try:
        return fit(prepared_for(facts, ranking).responses, options_of(ranking.options), anchors=held)
    except NotConverged as error:
        raise CheckFailed(f"The fit of {ranking.date} came to no end: {error.why}.") from error


def _parameters(facts: Facts, fitted: Fit, names: Sequence[str]) -> tuple[ItemParameters, ...]:
    r = fitted.responses
    made = []
    for name in names:
        item, benchmark = fitted.item(name), facts.benchmarks[name]
        if benchmark.baseline is None or benchmark.ceiling is None:
            raise InputError(f"{name} is relative: it has no parameters.")
        made.append(
            ItemParameters(
                benchmark=name,
                difficulty=rounded(item.difficulty, DIGITS),
                discrimination=rounded(item.discrimination, DIGITS),
                baseline=benchmark.baseline,
                ceiling=benchmark.ceiling,
                results=int((r.benchmark == r.benchmarks.index(name)).sum()),
            )
        )
    return tuple(made)
