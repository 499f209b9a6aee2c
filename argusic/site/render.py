"""From the survey to the text of each page. One function a page; nothing here reads or writes a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from argusic.records.cycle import Cycle
from argusic.referee.reproducing.standing import Standing
from argusic.site import sentences
from argusic.site.figures import counted
from argusic.site.methodology import filled_in, paragraphs
from argusic.site.page import Page, subject_page
from argusic.site.results import CycleBoard, SubjectResults, Survey
from argusic.site.templates import kind_macros
from argusic.site.views import RunView
from argusic.site.wording import VERDICTS

#: How many subjects the home page lists.
LATEST = 8
#: The most commands that a subject's page lists of one run.
MOST_COMMANDS = 300


@dataclass(frozen=True)
class Renderer:
    """Renders the pages of one survey."""

    templates: Environment
    survey: Survey

    def _page(self, template: str, page: Page, **more: Any) -> str:
        return self.templates.get_template(template).render(page=page, survey=self.survey, **more)

    def home(self, *, ranks_models: bool) -> str:
        """Return the first page: what Argusic is, the counts, the newest results and the newest board.

        Args:
            ranks_models: Whether there are pages of models to lead to.
        """
        survey = self.survey
        tested = [row for row in self._rows() if row["last"] is not None]
        # The newest that anything was run in; before there is any, the newest that is planned.
        run_in = {item.run.cycle for item in survey.runs}
        cycles = [cycle for cycle in survey.cycles if cycle.cycle in run_in] or survey.cycles
        return self._page(
            "home.md.j2",
            Page("index.md", "Does it run today?"),
            tested=sum(state.tested for state in survey.kinds),
            invalid=sum(item.score.outcome == "invalid" for item in survey.runs),
            commands=sum(item.run.commands for item in survey.runs),
            verdicts=self._verdicts(),
            latest=sorted(tested, key=lambda row: row["last"], reverse=True)[:LATEST],
            cycle=cycles[0] if cycles else None,
            cycle_kinds=self._pool_in_words(cycles[0]) if cycles else "",
            boards=[item for item in survey.boards if item.cycle == survey.boards[0].cycle],
            ranks_models=ranks_models,
        )

    def subjects(self) -> str:
        """Return the list of subjects."""
        page = Page("subjects/index.md", "Subjects")
        return self._page("subjects.md.j2", page, rows=self._rows(), verdicts=self._verdicts())

    def _rows(self) -> list[dict[str, Any]]:
        """Return what lists say of each subject, by name."""
        kinds = {kind.kind: kind for kind in self.survey.kinds_in_use}
        order = list(VERDICTS)
        rows = []
        for results in self.survey.listed:
            headline = results.headline
            verdict = headline.verdict.verdict if headline is not None else "not_yet_verified"
            totals = [item.score.total for item in results.runs if item.score.total is not None]
            review = headline.verdict.review if headline is not None else None
            rows.append(
                {
                    "subject": results.subject,
                    "name": results.name,
                    "href": subject_page(results.subject.ref),
                    "verdict": verdict,
                    "order": order.index(verdict),
                    "excluded": review is not None and review.excluded,
                    "kind": kinds[results.subject.kind],
                    "attempts": len(results.runs),
                    "best": max(totals, default=None),
                    "last": results.runs[0].run.started if results.runs else None,
                }
            )
        return rows

    def subject(self, results: SubjectResults, runs: Sequence[RunView], controls: Sequence[RunView]) -> str:
        """Return a subject's page, with each of its runs as a section."""
        kind = next((kind for kind in self.survey.kinds_in_use if kind.kind == results.subject.kind), None)
        headline = results.headline if kind is not None else None
        return self._page(
            "subject.md.j2",
            Page(f"subjects/{results.subject.ref}.md", results.name),
            results=results,
            kind=kind,
            shown=kind_macros(self.templates, kind.kind if kind is not None else None),
            headline=headline,
            sentence=sentences.verdict_sentence(results, headline) if headline else "",
            decided=sentences.deciding_run(results, headline) if headline else None,
            reproductions=self.survey.reproductions.of_subject(results.subject.ref),
            titles=self._titles(),
            stops=[_stop(view) for view in reversed(runs) if headline and view.cycle == headline.cycle],
            runs=runs,
            controls=controls,
            disputed=[(run, results.name) for run in (*results.runs, *results.controls) if run.disputes],
            several_cycles=len({view.cycle.cycle for view in runs}) > 1,
            most_commands=MOST_COMMANDS,
        )

    def boards(self) -> str:
        """Return the list of boards."""
        return self._page("boards.md.j2", Page("boards/index.md", "Boards"))

    def board(self, item: CycleBoard) -> str:
        """Return one board."""
        names = self._names()
        page = Page(f"boards/{item.cycle.cycle}/{item.kind.kind}.md", f"{item.cycle.title}: {item.kind.title}")
        disputed = [
            (run, names[run.run.subject])
            for run in self.survey.runs
            if run.run.cycle == item.cycle.cycle and run.run.subject.startswith(f"{item.kind.kind}/") and run.disputes
        ]
        subjects = {entry.subject: entry.subject.split("/")[1] for entry in item.cycle.subjects}
        return self._page("board.md.j2", page, item=item, names=subjects | names, disputed=disputed)

    def reproductions(self) -> str:
        """Return the list of reproductions, and how often each result was reproduced."""
        page = Page("reproductions/index.md", "Reproductions")
        found = self.survey.reproductions
        return self._page("reproductions.md.j2", page, reproductions=found, titles=self._titles(), names=self._names())

    def reproduction(self, found: Standing) -> str:
        """Return the page of one reproduction."""
        record = found.reproduction
        title = self._titles()[record.cycle]
        return self._page(
            "reproduction.md.j2",
            Page(f"reproductions/{record.cycle}/{record.reproduction}.md", f"A reproduction of {title}"),
            standing=found,
            verdicts={one.subject: one for one in found.comparison.verdicts},
            title=title,
            names=self._names(),
            runs=sum(len(cell.runs) for cell in record.cells),
        )

    def _titles(self) -> dict[str, str]:
        return {cycle.cycle: cycle.title for cycle in self.survey.cycles}

    def _names(self) -> dict[str, str]:
        return {results.subject.ref: results.name for results in self.survey.subjects}

    def methodology(self, text: str | None) -> str:
        """Return the rules in words.

        Args:
            text: The page of the documentation; None in a repository that has none.
        """
        page = Page("methodology.md", "Methodology")
        kinds, editions = (Markup(self._page(f"{name}.md.j2", page)) for name in ("kinds", "editions"))
        filled = Markup(filled_in(text, {"kinds": kinds, "changelog": editions})) if text is not None else None
        return self._page("methodology.md.j2", page, text=filled, kinds=kinds)

    def changelog(self) -> str:
        """Return the editions of the rules, each with what it changed and since when it is in force."""
        return self._page("changelog.md.j2", Page("changelog.md", "Changelog of the rules"), paragraphs=paragraphs)

    def evidence(self) -> str:
        """Return the page that says how to check a result."""
        example = None
        if self.survey.runs:
            newest = self.survey.runs[0]
            results = next(item for item in self.survey.subjects if item.subject.ref == newest.run.subject)
            example = {
                "name": results.name,
                "run": newest.run,
                "page": f"subjects/{results.subject.ref}.md",
                "folder": str(newest.folder),
            }
        return self._page("evidence.md.j2", Page("evidence.md", "Check it yourself"), example=example)

    def about(self) -> str:
        """Return the page about the referee and about what it does not print."""
        return self._page(
            "about.md.j2",
            Page("about.md", "About"),
            tested=sum(state.tested for state in self.survey.kinds),
            controls=sum(len(results.controls) for results in self.survey.subjects),
        )

    def _verdicts(self) -> list[tuple[str, int]]:
        counts = self.survey.verdict_counts()
        return [(name, counts[name]) for name in VERDICTS if counts[name]]

    def _pool_in_words(self, cycle: Cycle) -> str:
        in_use = {kind.kind for kind in self.survey.kinds_in_use}
        return counted(sum(entry.subject.split("/")[0] in in_use for entry in cycle.subjects), "subject")


def _stop(view: RunView) -> dict[str, Any]:
    """Say where an attempt stopped: the command, and the line of the log where it begins."""
    row = view.evidence.stopped_at
    shown = row is not None and view.evidence.log is not None
    return {
        "number": view.published.number,
        "agent": view.published.agent.title,
        "run": view.run,
        "row": row.number if row else None,
        "command": row.command if row else None,
        "line": row.log_line if row and shown else None,
        "href": f"{view.href}log.html#L{row.log_line}" if row and shown else None,
    }
