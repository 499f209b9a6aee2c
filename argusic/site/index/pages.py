"""Writes the pages of the index: those of the navigation as Markdown, one for each model and benchmark as plain HTML.

Hundreds of pages would cost the Markdown reader and the theme many seconds, and their names come from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment
from markupsafe import Markup

from argusic.leaderboards.index.comparing.glance import at_a_glance
from argusic.leaderboards.index.facts import DOMAINS, Benchmark, Result, Source
from argusic.leaderboards.index.fitting import ORIGIN, UNIT
from argusic.leaderboards.index.gate import LEAST_BENCHMARKS, LEAST_CATEGORIES, ONE_OF
from argusic.leaderboards.index.neighbours import KNOWN
from argusic.leaderboards.index.ranges import LEVEL
from argusic.leaderboards.index.standing import LEAST_IN_DOMAIN
from argusic.leaderboards.index.standings import Index, Rank
from argusic.site.index import numbers
from argusic.site.index.addresses import IndexAddresses
from argusic.site.index.assets import write_index_assets
from argusic.site.index.benchmarks import KEPT_BY, SHORT, rows_of, shown_benchmark
from argusic.site.index.contents import Contents
from argusic.site.index.drawing import Box, axis_of
from argusic.site.index.environment import here, index_environment
from argusic.site.index.leaderboard import board_rows, ranges
from argusic.site.index.models import shown_model
from argusic.site.index.naming import BENCHMARKS, MODELS, benchmark_page, model_page, slugs
from argusic.site.index.payload import script
from argusic.site.page import Page

#: The pages that the navigation has: what each is called, and its file among the sources of the site.
NAVIGATION: Final = (
    ("Leaderboard", f"{MODELS}/index.md"),
    ("Benchmarks", f"{BENCHMARKS}/index.md"),
    ("Item curves", f"{MODELS}/curves.md"),
    ("Drop a benchmark", f"{MODELS}/drop.md"),
    ("Other ways", f"{MODELS}/compare.md"),
    ("Preference", f"{MODELS}/preference.md"),
    ("Method", f"{MODELS}/method.md"),
    ("Changes", f"{MODELS}/changes.md"),
)
#: What the browser refits with.
DATA: Final = f"{MODELS}/data.js"
_KINDS: Final = {"conditional": "the benchmarks' parameters held", "joint": "the benchmarks' parameters uncertain too"}
_FIELDS: Final = (("open", "the models with open weights"), ("all", "all models"))
#: The share of a range, as it reads.
_LEVEL: Final = f"{LEVEL:.0%}".replace("%", " %")
_SPARK: Final = (120.0, 30.0)

Progress = Callable[[str, int, int], None]


class IndexPages:
    """The pages of one index.

    Args:
        contents: What they show.
        tabs: The other parts of the site, for the header of the pages that the theme does not make.
    """

    def __init__(self, contents: Contents, tabs: Iterable[tuple[str, str]] = ()) -> None:
        self._tabs = [(title, _built(path)) for title, path in tabs]
        self._contents = contents
        self._axis = axis_of(contents.index)
        self._at = IndexAddresses(contents)
        self._templates = _templates(self._at)

    def write(self, docs: Path, progress: Progress) -> None:
        """Write all of them, with what they load.

        Args:
            docs: The top of the site's sources.
            progress: Told how far the work is.
        """
        write_index_assets(docs)
        for path, text in (*self._front(), *self._of_benchmarks()):
            _write(docs / path, text)
        _write(docs / DATA, script(self._contents))
        names = list(self._contents.model_slugs)
        for number, name in enumerate(names):
            if number % 50 == 0:
                progress("Models", number, len(names))
            _write(docs / model_page(self._contents.model_slugs[name]), self.model(name))
        progress("Models", len(names), len(names))

    def model(self, name: str) -> str:
        """Return the page of a model."""
        contents = self._contents
        slug = contents.model_slugs[name]
        shown = shown_model(contents, name)
        published, other = ranges(contents, shown.standing) if shown.standing is not None else (None, None)
        return self._render(
            "model.html.j2",
            Page(model_page(slug), name),
            section=f"{MODELS}/index.html",
            shown=shown,
            model=contents.facts.models.get(name),
            published=published,
            other=other,
            kinds=_kinds(contents.index),
            fields=_FIELDS,
            sizes=contents.group_sizes,
        )

    def _front(self) -> Iterator[tuple[str, str]]:
        more: dict[str, dict[str, Any]] = {
            "index": self._leaderboard(),
            "benchmarks": self._benchmarks(),
            "curves": self._curves(),
            "drop": {},
            "compare": self._compare(),
            "preference": {"boards": [*self._boards()]},
            "method": self._method(),
            "changes": {},
        }
        templates = {"index": "leaderboard"}
        for (title, path), (name, given) in zip(NAVIGATION, more.items(), strict=True):
            page = Page(path, "Models" if name == "index" else title)
            yield path, self._render(f"{templates.get(name, name)}.md.j2", page, **given)

    def _leaderboard(self) -> dict[str, Any]:
        contents = self._contents
        rows = board_rows(contents, self._axis)
        published, other = _kinds(contents.index)
        return {
            "rows": rows,
            "open_count": sum(row.standing.model.open_weights is True for row in rows),
            "domains": DOMAINS,
            "categories": sorted({standing.benchmark.category for standing in contents.active}),
            "kind": published,
            "other_kind": other,
        }

    def _benchmarks(self) -> dict[str, Any]:
        box = Box(self._axis, *_SPARK)
        return {"active": self._with_curves(box, 24), "spark": box, "kept_by": SHORT}

    def _curves(self) -> dict[str, Any]:
        box = Box(self._axis)
        categories = sorted({standing.benchmark.category for standing in self._contents.active})
        return {"curves": self._with_curves(box, 64), "box": box, "categories": categories}

    def _with_curves(self, box: Box, steps: int) -> list[tuple[Any, str]]:
        return [
            (standing, box.curve(standing.difficulty, standing.discrimination, steps))
            for standing in self._contents.active
            if standing.difficulty is not None and standing.discrimination is not None
        ]

    def _compare(self) -> dict[str, Any]:
        comparison = self._contents.comparison
        agreements = {}
        if comparison is not None:
            first = comparison.rankings[0].name
            agreements = {one.other: one for one in comparison.agreements if one.one == first}
        return {"comparison": comparison, "agreements": agreements, "glance": at_a_glance()}

    def _boards(self) -> Iterator[tuple[Benchmark, Source, list[Result]]]:
        contents = self._contents
        for board in contents.relative:
            rows = [result for result in contents.used if result.benchmark == board.benchmark]
            if rows:
                rows.sort(key=lambda result: (-result.score, result.model, result.row))
                yield board, contents.facts.sources[board.source], rows

    def _method(self) -> dict[str, Any]:
        contents = self._contents
        sources = sorted({result.source for result in contents.used})
        return {
            "inputs": contents.inputs,
            "sources": [(contents.facts.sources[source], self._at.file(source)) for source in sources],
            "origin": numbers.raw(ORIGIN),
            "unit": numbers.raw(UNIT),
            "gate": (LEAST_BENCHMARKS, LEAST_CATEGORIES, ONE_OF),
            "known": KNOWN,
            "least_in_domain": numbers.raw(LEAST_IN_DOMAIN),
            "kinds": _kinds(contents.index),
            "dates": tuple(KEPT_BY.values()),
            "hanging": sum(standing.counted == 1 for standing in contents.index.models),
            "low": sum(standing.clipped_low for standing in contents.index.benchmarks),
            "high": sum(standing.clipped_high for standing in contents.index.benchmarks),
            "guessed": sum(standing.model.open_weights is None for standing in contents.index.models),
        }

    def _of_benchmarks(self) -> Iterator[tuple[str, str]]:
        contents = self._contents
        rows = rows_of(contents)
        for benchmark, standing in contents.by_benchmark.items():
            page = Page(benchmark_page(contents.benchmark_slugs[benchmark]), standing.benchmark.name)
            shown = shown_benchmark(contents, standing, rows[benchmark])
            here = self._at.benchmark(benchmark)
            yield (
                page.path,
                self._render("benchmark.html.j2", page, section=f"{BENCHMARKS}/index.html", shown=shown, here_at=here),
            )

    def _render(self, template: str, page: Page, **more: Any) -> str:
        contents = self._contents
        return self._templates.get_template(f"index/{template}").render(
            page=page,
            pages=[(title, _built(path)) for title, path in NAVIGATION],
            tabs=self._tabs,
            contents=contents,
            index=contents.index,
            axis=self._axis,
            slugs=contents.model_slugs,
            benchmark_slugs=contents.benchmark_slugs,
            **more,
        )


def _templates(at: IndexAddresses) -> Environment:
    made = index_environment()
    made.globals["at"] = at
    made.globals["level"] = Markup("<span {}>{}</span>").format(at.whole("published"), _LEVEL)
    made.filters["slug"] = lambda name: Markup(slugs([name])[name])
    made.filters["places_in_words"] = _places
    made.filters["here_of"] = lambda text, figure: Markup("<span {}>{}</span>").format(at.whole(figure), here(text))
    return made


def _places(rank: Rank) -> str:
    where = f"place {rank.low}" if rank.low == rank.high else f"places {rank.low} to {rank.high}"
    return f"{where} in {_LEVEL} of the draws of benchmarks"


def _kinds(index: Index) -> tuple[str, str]:
    both = (_KINDS["conditional"], _KINDS["joint"])
    return both if index.published == "conditional" else both[::-1]


def _built(path: str) -> str:
    """Return where a page lies once it is built."""
    return path.removesuffix(".md") + ".html"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
