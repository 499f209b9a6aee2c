"""The index as it is published: the record of a date, rounded so that another processor gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.leaderboards.index.connecting import Connectivity
from argusic.leaderboards.index.published import DIGITS, SHOWN, rounded
from argusic.leaderboards.index.standings import DomainScore, Index, ModelStanding, Range, Rank
from argusic.leaderboards.index.validation.halves import Covered
from argusic.records.index_ranking import (
    Connections,
    Coverage,
    CoveredShown,
    Cut,
    DomainShown,
    LeftOut,
    RankedBenchmark,
    RankedModel,
    Ranking,
    RankShown,
    RanksShown,
    Span,
)


def recorded(index: Index) -> Ranking:
    """Return the record of an index."""
    ranked = [one for one in index.models if one.refused is None]
    below = sorted((one for one in index.models if one.refused is not None), key=lambda one: one.model.model)
    return Ranking(
        date=index.date.isoformat(),
        reference=index.reference,
        reference_sha256=index.reference_sha256,
        published=index.published,
        data=index.fit.responses.digest,
        results=len(index.fit.responses),
        open_ranked=sum(bool(one.model.open_weights) for one in ranked),
        ranked=len(ranked),
        rmse=rounded(index.fit.rmse, DIGITS),
        coverage=Coverage(
            settled=_covered(index.halves.frozen),
            conditional=_covered(index.halves.conditional),
            joint=_covered(index.halves.joint),
        ),
        warnings=index.warnings,
        connections=_connections(index.connectivity),
        benchmarks=tuple(_benchmarks(index)),
        left_out=tuple(
            LeftOut(benchmark=one.benchmark.benchmark, reason=one.liveness.left_out)
            for one in index.benchmarks
            if one.liveness.left_out is not None
        ),
        models=tuple(_model(one) for one in (*ranked, *below)),
    )


def _covered(found: Covered) -> CoveredShown | None:
    if not found.pairs:
        return None
    return CoveredShown(share=rounded(found.share, SHOWN), ablest=rounded(found.top, SHOWN), pairs=found.pairs)


def _benchmarks(index: Index) -> Iterator[RankedBenchmark]:
    for one in index.benchmarks:
        if one.difficulty is None or one.discrimination is None or one.rmse is None:
            continue
        yield RankedBenchmark(
            benchmark=one.benchmark.benchmark,
            difficulty=rounded(one.difficulty, DIGITS),
            discrimination=rounded(one.discrimination, DIGITS),
            anchored=one.anchored,
            results=one.results,
            rmse=rounded(one.rmse, DIGITS),
            free_difficulty=rounded(one.free_difficulty or 0.0, DIGITS),
            free_discrimination=rounded(one.free_discrimination or 0.0, DIGITS),
        )


def _model(one: ModelStanding) -> RankedModel:
    results = {placed.result.benchmark: rounded(placed.normalised, DIGITS) for placed in one.results if placed.counts}
    if one.refused is not None:
        return RankedModel(model=one.model.model, refused=one.refused, results=results)
    return RankedModel(
        model=one.model.model,
        theta=rounded(one.theta, DIGITS),
        score=rounded(one.score, SHOWN),
        conditional=_span(one.conditional),
        joint=_span(one.joint),
        ranks=RanksShown(all=_rank(one.ranks["all"]), open=_rank(one.ranks["open"]) if "open" in one.ranks else None),
        domains=tuple(_domain(name, score) for name, score in one.domains.items()),
        results=results,
    )


def _span(found: Range) -> Span:
    return Span(low=rounded(found.low, SHOWN), high=rounded(found.high, SHOWN))


def _rank(found: Rank) -> RankShown:
    ahead = found.ahead_of_next
    return RankShown(
        place=found.place,
        low=found.low,
        high=found.high,
        group=found.group,
        known=found.known,
        ahead_of_next=rounded(ahead, DIGITS) if ahead is not None else None,
    )


def _domain(name: str, found: DomainScore) -> DomainShown:
    return DomainShown.model_validate(
        {
            "category": name,
            "score": rounded(found.score, SHOWN),
            "conditional": _span(found.conditional),
            "benchmarks": found.benchmarks,
        }
    )


def _connections(found: Connectivity) -> Connections:
    cuts = tuple(Cut(benchmark=one.benchmark, model=one.model, cuts_off=one.cuts_off) for one in found.bridges)
    return Connections(components=len(found.components), cuts=cuts, hanging=len(found.hanging))
