"""`argusic index validate`: whether the index holds, check by check."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from argusic.cli.context import database
from argusic.cli.output import emit
from argusic.cli.progress import watching
from argusic.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from argusic.leaderboards.index.validation.case import Case
    from argusic.leaderboards.index.validation.halves import Covered
    from argusic.leaderboards.index.validation.report import Validation
    from argusic.leaderboards.index.validation.thorough import Thorough

_DIGITS = 6


def validate_command(
    table: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE.csv",
            help="Results: columns model, benchmark, score (0 to 1). Without it: those of the repository's ranking.",
        ),
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="Also your own files of results (.argusic/index/results).")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Count every benchmark of the repository, however old.")
    ] = False,
    likelihood: Annotated[
        Literal["gaussian", "bernoulli"] | None, typer.Option(help="With --input: how a result scatters.")
    ] = None,
    sigma: Annotated[float | None, typer.Option(help="With --input: the standard deviation of that.")] = None,
    deals: Annotated[int, typer.Option(min=1, max=1000, help="How many deals of five folds are predicted.")] = 3,
    splits: Annotated[int, typer.Option(min=1, max=1000, help="How often the benchmarks are dealt into halves.")] = 10,
    deep: Annotated[
        bool, typer.Option("--thorough", help="Also planted truths and wider models: a minute or two more.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, with everything.")] = False,
) -> None:
    """Check the index: what it predicts, what moves it, what its ranges cover, and what it leaves over."""
    # Numbers are loaded by the command that needs them alone: they take longer than most commands.
    from argusic.leaderboards.index.solving import NotConverged
    from argusic.leaderboards.index.validation.report import validated
    from argusic.leaderboards.index.validation.thorough import thorough

    if table is not None and (own or everything):
        raise InputError("--own and --everything go with the repository's results, and not with --input.")
    if table is None and (likelihood is not None or sigma is not None):
        raise InputError("--likelihood and --sigma go with --input; the repository's ranking states its own.")
    with watching() as watcher:
        watcher.now("Reading")
        case = _of_table(table, likelihood, sigma) if table is not None else _of_repository(own, everything)
        if not case.field:
            raise InputError("No model has enough results to be ranked, so that there is no order to check.")
        try:
            found = validated(case, deals=deals, splits=splits, now=watcher.now)
            more = thorough(case, now=watcher.now) if deep else None
        except NotConverged as error:
            raise CheckFailed(f"The fit came to no end: {error.why}.") from error
    data = plain(asdict(found)) | ({"thorough": plain(asdict(more))} if more is not None else {})
    emit(as_json, data, lambda out: _show(out, found, more))


def plain(value: Any) -> Any:
    """Return plain data with its numbers rounded, so that another processor gives the same text; None for no number."""
    if isinstance(value, float):
        # Without a sign on nought, which depends on the last bit.
        return round(value, _DIGITS) + 0.0 if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _of_table(table: Path, likelihood: Literal["gaussian", "bernoulli"] | None, sigma: float | None) -> Case:
    from argusic.leaderboards.index.options import Options
    from argusic.leaderboards.index.tables import read_table
    from argusic.leaderboards.index.validation.case import of_table

    if sigma is not None and not 1e-4 <= sigma <= 10:
        raise InputError(f"--sigma {sigma:g} is not between 0.0001 and 10.")
    return of_table(read_table(table), Options(likelihood=likelihood or "gaussian", sigma=sigma or Options().sigma))


def _of_repository(own: bool, everything: bool) -> Case:
    from argusic.leaderboards.index.derive import options_of, rule_of
    from argusic.leaderboards.index.preparing import PanelRule, prepare
    from argusic.leaderboards.index.stored import facts_of, read_inputs
    from argusic.leaderboards.index.validation.case import of_prepared

    base = database()
    inputs = read_inputs(base)
    if inputs is None:
        raise InputError("This repository has no ranking of models.", advice="Give a table of results with --input.")
    facts, ranking = facts_of(base, own=own), inputs.ranking
    rule = rule_of(ranking.panel, ranking.date)
    if everything:
        rule = PanelRule.everything(rule.date)
    sources = None if own else [file.source for file in ranking.results]
    return of_prepared(facts, prepare(facts, rule, sources), options_of(ranking.options))


def _show(out: Console, found: Validation, more: Thorough | None) -> None:
    noise = f"{found.likelihood} noise" + (f" of {found.sigma:g}" if found.likelihood == "gaussian" else "")
    out.print(
        f"{found.results} results of {found.models} models on {found.benchmarks} benchmarks, {noise}; data "
        f"{found.data[:12]}. Abilities have a standard deviation of {found.theta_sd:.2f}; RMSE {found.rmse:.4f}."
    )
    _title(out, f"What it predicts of results that it has not seen (root mean square error, {found.deals} deals)")
    errors = found.errors
    out.print(
        f"The index {errors.index:.4f}; benchmark's mean and model's offset {errors.offsets:.4f}; benchmark's mean "
        f"{errors.means:.4f}."
    )
    shares = ", ".join(f"{level:.0%} hold {share:.1%}" for level, share in found.calibration.shares)
    out.print(f"Of what it predicts, ranges of {shares}.")
    _ranges(out, found)
    _order(out, found)
    _leftover(out, found)
    _coverage(out, found)
    if more is not None:
        _thorough(out, more)


def _ranges(out: Console, found: Validation) -> None:
    _title(out, "What ranges of 90 % cover, by halves of the data that know nothing of each other")
    halves = found.halves
    rows: list[tuple[str, Covered]] = [
        ("conditional, benchmarks' parameters of all results", halves.frozen),
        ("conditional, everything fitted in each half", halves.conditional),
        ("joint, everything fitted in each half", halves.joint),
        ("joint without the scale's error, on one scale", halves.known_scale),
    ]
    _table(
        out,
        ("range", "covers", "ablest 15 %", "sd of z", "pairs"),
        ((name, _share(c.share), _share(c.top), _spread(c.spread), str(c.pairs)) for name, c in rows),
    )


def _order(out: Console, found: Validation) -> None:
    _title(out, f"The order of {found.ranked} {found.field}")
    near = found.neighbours
    out.print(
        f"{near.draws} draws of the benchmarks: {near.known} of {near.adjacent} are ahead of the next in at least 95 % "
        f"of them; {near.groups} rank groups; the median interval of a rank is {near.median_width:.0f} places wide."
    )
    out.print("Without one benchmark, the first 20 move at most:")
    _table(
        out,
        ("benchmark", "results", "places", "model", "rank", "points"),
        (
            (d.benchmark, str(d.results), str(d.places), d.model, f"{d.came} to {d.went}", f"{d.points:.1f}")
            for d in found.dropped[:5]
        ),
    )
    new = found.renewed
    out.print(
        f"An update ({found.update}: {new.results} results) moves the {new.models} models that have no new result: "
        f"in a free fit by {new.free.size:.2f} points in the mean and {new.free.most:.2f} at most (with abilities "
        f"standardised, {new.standardised.most:.2f}); with the benchmarks frozen by {new.frozen.most:.2g}."
    )


def _leftover(out: Console, found: Validation) -> None:
    _title(out, "What it leaves over")
    _table(
        out,
        ("benchmark", "results", "RMSE", "held out"),
        ((one.benchmark, str(one.results), f"{one.rmse:.3f}", f"{one.held_out:.3f}") for one in found.left[:5]),
    )
    out.print("Results furthest from what a fit without them expects:")
    _table(
        out,
        ("model", "benchmark", "score", "expected", "z"),
        (
            (one.model, one.benchmark, f"{one.score:.2f}", f"{one.expected:.2f}", f"{one.off:+.1f}")
            for one in found.surprises[:5]
        ),
    )
    together = found.dependent[:5]
    end = ":" if together else "."
    out.print(f"Residuals go together in {len(found.dependent)} of {found.pairs} pairs of benchmarks{end}")
    if together:
        _table(
            out,
            ("benchmark", "and", "models", "correlation"),
            ((one.first, one.second, str(one.shared), f"{one.correlation:+.2f}") for one in together),
        )
    screen = found.screen
    out.print(
        f"A benchmark works differently for a family in {len(screen.found)} of {screen.looked} pairs"
        + (
            "; where it is easier, its questions may have been seen in training, or the family was made for that skill:"
            if screen.found
            else "."
        )
    )
    if not screen.found:
        return
    _table(
        out,
        ("family", "benchmark", "results", "more", "chance"),
        (
            (one.family, one.benchmark, str(one.results), f"{one.more:+.3f}", f"{one.chance:.1g}")
            for one in screen.found[:8]
        ),
    )


def _coverage(out: Console, found: Validation) -> None:
    _title(out, "What uneven coverage does")
    c = found.coverage
    out.print(
        f"Rank correlation of ability with the number of results {c.results_and_ability:+.2f}; of ability with "
        f"difficulty over all results {c.ability_and_difficulty:+.2f}."
    )
    weighted = max(c.models, key=lambda one: abs(one.weighted))
    silent = sorted(one.withheld for one in c.models)
    out.print(
        f"Where unlikely results count more, the first {len(c.models)} move by {c.places} places at most, and by "
        f"{abs(weighted.weighted):.1f} points ({weighted.model}). A model that had alone withheld the worst quarter of "
        f"its results would be {silent[0]:.1f} to {silent[-1]:.1f} points too high."
    )


def _thorough(out: Console, more: Thorough) -> None:
    _title(out, "Truths that are known: what the fit makes of them (90 % ranges; errors in points)")
    _table(
        out,
        ("truth", "cond.", "joint", "ablest", "scale", "bias", "ablest", "RMSE"),
        (
            (
                one.name,
                _share(f.conditional.share),
                _share(f.joint.share),
                _share(f.joint.top),
                _share(f.known_scale.share),
                f"{f.bias:+.2f}",
                f"{f.top:+.2f}",
                f"{f.error:.2f}",
            )
            for one in more.scenarios
            for f in (one.found,)
        ),
    )
    ranks = [one.found.ranks for one in more.scenarios if one.found.ranks is not None]
    out.print(
        "Ablest: the ablest 15 % of the models. Scale: the joint range without the scale's own error. Of the true "
        f"ranks {_share(ranks[0])} are within their interval of 90 % ({more.scenarios[0].name})."
    )
    _title(out, f"Wider models against one ability, which errs by {more.one_ability:.4f} on results held out")
    _table(
        out,
        ("kind", "width", "error", "gain", "deals", "same order"),
        (
            (one.kind, f"{one.width:g}", f"{one.error:.4f}", f"{one.gain:+.4f}", str(one.deals), f"{one.agreement:.4f}")
            for one in more.wider
        ),
    )
    second = max((one for one in more.wider if one.kind == "second ability"), key=lambda one: one.gain)
    low, high = second.ends
    out.print(
        f"The second ability of width {second.width:g} has {', '.join(low)} at one end, {', '.join(high)} at the other."
    )


def _title(out: Console, text: str) -> None:
    out.print(f"\n{text}", style="bold")


def _table(out: Console, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        # Where there is no room, words may be broken over lines, and numbers may not.
        words = heading in ("range", "truth", "and", "model", "benchmark", "family", "kind")
        table.add_column(heading, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _spread(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "too few"


def _share(value: float) -> str:
    return f"{value:.1%}" if math.isfinite(value) else "too few"
