"""Compares the methodology page with the newest edition and with what is really configured.

The page is prose that people write and its tables are written out, so that it can be read where it lies. Nothing fills
them in: they are read back. A figure that was changed on the page alone, in an edition, a cycle, a workflow or the
program alone, is found, with the file and line of both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import cycle_path, edition_path
from argusic.errors import Finding, InputError, Place
from argusic.records.edition import Edition
from argusic.referee.checks.survey import Survey
from argusic.referee.methodology.configured import (
    WORKFLOWS,
    Configured,
    Job,
    jobs,
    of_cycle,
    of_edition,
    of_program,
)
from argusic.referee.methodology.page import PAGE, ReadPage, read_page
from argusic.referee.methodology.reading import reads
from argusic.rules.editions import newest

#: What the table of editions leaves out: a digest is as wide as a page.
_NOT_TABLED = "instructions_sha256"
_EDITIONS, _CYCLES = edition_path("v0.0").parent, cycle_path("any").parent
_CONDITIONS = "argusic/records/cycle.py#Conditions/"


def check_methodology(database: Database, made: Survey) -> Iterator[Finding]:
    """Yield every disagreement between the page and what is configured; nothing where there is no page.

    A copy of a database for trying things out has the page and neither workflows nor all cycles: what is not there is
    not compared.
    """
    if not database.holds(PAGE) or not made.editions or _an_edition_is_unread(made):
        return
    try:
        page = read_page(database.read_bytes(PAGE).decode("utf-8"))
        found = list(jobs(database))
    except UnicodeDecodeError:
        yield Finding(Place(PAGE), "is no text in UTF-8.")
        return
    except InputError as error:
        yield Finding(error.place or Place(WORKFLOWS), error.what)
        return
    for fault in page.faults:
        yield Finding(Place(PAGE, fault.line), fault.what)
    editions = sorted(made.editions.values(), key=lambda edition: edition.order)
    yield from _Comparison(database, page, editions, made, found).findings()


def _an_edition_is_unread(made: Survey) -> bool:
    """Whether an edition is there that cannot be read. It is named by itself, and which is the newest is not known."""
    there = {PurePosixPath(path) for path in made.listing.blobs if PurePosixPath(path).parent == _EDITIONS}
    return bool(there - {edition_path(edition) for edition in made.editions})


class _Comparison:
    def __init__(
        self,
        database: Database,
        page: ReadPage,
        editions: Sequence[Edition],
        made: Survey,
        found: Sequence[Job],
    ) -> None:
        self._page, self._jobs = page, found
        self._newest = newest(editions)
        self._under_way = [
            cycle.cycle
            for cycle in made.cycles.values()
            if cycle.cycle not in made.closes and cycle.edition == self._newest.edition
        ]
        self._rules = {edition.edition: of_edition(database, edition) for edition in editions}
        on_page = {one.address.path for one in page.stated}
        self._limits = {
            cycle.cycle: of_cycle(database, cycle)
            for cycle in made.cycles.values()
            if cycle.cycle in self._under_way or cycle_path(cycle.cycle) in on_page
        }
        self._program = of_program()
        self._workflows = {job.limit.address: job.limit for job in found}
        self._has_workflows = (database.root / WORKFLOWS).is_dir()

    def findings(self) -> Iterator[Finding]:
        """Yield what disagrees."""
        known: dict[str, Configured] = {**self._program, **self._workflows}
        for group in (*self._rules.values(), *self._limits.values()):
            known |= group
        yield from self._stated(known)
        yield from self._missing()
        yield from self._cycles_agree()
        yield from self._limits_outlast()

    def _stated(self, known: Mapping[str, Configured]) -> Iterator[Finding]:
        for one in self._page.stated:
            place = Place(PAGE, one.line)
            configured = known.get(str(one.address))
            if configured is None:
                if self._is_elsewhere(one.address.path):
                    continue
                yield Finding(place, f"takes {one.text!r} from {one.address}, where nothing is stated.")
                continue
            newest_alone = not one.bare and one.address.path.parent == _EDITIONS
            if newest_alone and one.address.path != edition_path(self._newest.edition):
                what = f"takes {one.text!r} from {one.address.path.stem}; the newest edition is {self._newest.edition}."
                yield Finding(place, what)
            should = reads(configured.figure, configured.value, bare=one.bare)
            if one.text != should:
                yield Finding(place, f"says {one.text!r}; {configured.place} ({_name(configured)}) says {should!r}.")

    def _is_elsewhere(self, path: PurePosixPath) -> bool:
        """Whether a file is one that copies of a database do without."""
        return path.parent in (WORKFLOWS, _CYCLES) and not self._has_workflows

    def _missing(self) -> Iterator[Finding]:
        """Yield what is configured and stands in no table."""
        single = {str(one.address) for one in self._page.stated if not one.bare}
        tabled = {str(one.address) for one in self._page.stated if one.bare}
        rules = self._rules[self._newest.edition]
        needed = [*rules.values(), *self._program.values(), *self._workflows.values()]
        for one in needed:
            if one.address not in single:
                yield Finding(Place(one.file, one.line), f"{_name(one)} stands in no table of {PAGE}.")
        for group in self._rules.values():
            for one in group.values():
                if one.figure != _NOT_TABLED and one.address not in tabled:
                    what = f"{_name(one)} does not stand in the table of editions of {PAGE}."
                    yield Finding(Place(one.file, one.line), what)

    def _cycles_agree(self) -> Iterator[Finding]:
        """A cycle under way has the page's limits, or a row of its own on the page for the limit that differs."""
        single = {str(one.address) for one in self._page.stated}
        for cycle in self._under_way:
            for one in self._limits[cycle].values():
                usual = self._program[_CONDITIONS + one.figure.split("/")[-1]]
                if one.value != usual.value and one.address not in single:
                    what = (
                        f"{_name(one)} is {one.value}; {PAGE} says {reads(usual.figure, usual.value)} and has no row "
                        f"for {one.address}."
                    )
                    yield Finding(Place(one.file, one.line), what)

    def _limits_outlast(self) -> Iterator[Finding]:
        """Every job has a time limit, and one that makes attempts has more time than the longest budget."""
        budgets = self._newest.budgets_minutes
        longest = max(budgets.standard, budgets.heavy or 0, budgets.gpu)
        for job in self._jobs:
            place = Place(job.limit.file, job.limit.line)
            if not isinstance(job.limit.value, int) or isinstance(job.limit.value, bool):
                yield Finding(place, f"{_name(job.limit)} is missing or is no number of minutes.")
            elif job.makes_attempts and job.limit.value <= longest:
                what = f"{_name(job.limit)} is {job.limit.value}, and a budget of {longest} minutes would not fit."
                yield Finding(place, what)


def _name(one: Configured) -> str:
    """Return what a value is called in its file: by field names, as other findings call it."""
    return one.figure.replace("/", ".")
