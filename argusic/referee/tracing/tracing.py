"""Tracing one address: which figures its file has, and the chain of the one that is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath

from argusic.database.database import Database
from argusic.database.paths import RUN_FILE, what_is
from argusic.errors import CheckFailed, InputError, Place
from argusic.records.base import Record
from argusic.records.cycle import Cycle
from argusic.records.findings import Dispute
from argusic.records.subject import Subject
from argusic.referee.tracing import boards, rankings, reproductions, rules, runs, seconds, stated, verdicts
from argusic.referee.tracing.address import CYCLES, RUNS, SUBJECTS, VERDICTS, Address, parse_address
from argusic.referee.tracing.counts import Counts
from argusic.referee.tracing.ground import Ground, Progress
from argusic.referee.tracing.link import Broken, Figures, Link

#: How many addresses an error names.
_MOST_NAMED = 12
#: What the table of paths calls published results of models.
_RESULTS = "results of benchmarks"
_FOLDERS = (RUNS, SUBJECTS, CYCLES, VERDICTS)


class Tracer:
    """Traces figures of one database; what was checked for one is not checked again for the next.

    Args:
        database: The database.
        progress: Told how many runs' evidence has been checked.
        offline: Whether nothing is brought from an evidence store elsewhere.
    """

    def __init__(self, database: Database, progress: Progress = lambda runs: None, *, offline: bool = False) -> None:
        self._ground = Ground(database, progress, offline=offline)
        self._counts = Counts(self._ground)
        self._known: dict[PurePosixPath, Figures] = {}

    def trace(self, text: str) -> Link:
        """Return the chain of a figure, every step of it checked.

        Args:
            text: Its address.

        Raises:
            InputError: It is no address of a figure here.
            Broken: The chain does not hold.
        """
        address = parse_address(text)
        found = self._of_file(address)
        make = found.get(address.figure)
        try:
            if make is None:
                # It may have had the figure before somebody altered it.
                self._must_follow(address.path)
            else:
                return make()
        except (InputError, CheckFailed) as error:
            raise _broken(error, address) from None
        raise self._no_figure(address, found)

    def _must_follow(self, path: PurePosixPath) -> None:
        holding = what_is(path)
        if holding is not None and holding.row.name == "ranking":
            rankings.must_follow(self._ground, path)
        elif holding is not None and holding.row.nature == "derived":
            self._ground.derived(path, (holding.ids["cycle"], holding.ids["kind"]))

    def addresses(self, text: str) -> list[str]:
        """Return the address of every figure of a file.

        Args:
            text: The file, or any address in it.

        Raises:
            InputError: There is no such file, or it has no figures.
            Broken: It cannot be read.
        """
        address = parse_address(text)
        return [str(Address(address.path, figure)) for figure in self._of_file(address)]

    def _of_file(self, address: Address) -> Figures:
        path = address.path
        if path not in self._known:
            self._must_be_there(path)
            try:
                self._known[path] = self._figures(path)
            except (InputError, CheckFailed) as error:
                raise _broken(error, address) from None
        found = self._known[path]
        if not found:
            raise InputError("states no figure.", place=Place(path))
        return found

    def _must_be_there(self, path: PurePosixPath) -> None:
        if path in _FOLDERS:
            return
        holding = what_is(path)
        if holding is not None and holding.row.name == "evidence":
            # It may lie in the evidence store; its run's record says whether it is one of the run's.
            path = path.parent / RUN_FILE
        elif holding is None or (holding.row.model is None and holding.row.name != _RESULTS):
            raise InputError("is no file that states figures.", place=Place(path), advice=_advice())
        if not self._ground.database.holds(path):
            raise InputError("does not exist.", place=Place(path), advice=_advice())

    def _figures(self, path: PurePosixPath) -> Figures:
        """Return the figures of a file, by what the table of paths says that it is."""
        ground, counts = self._ground, self._counts
        if path in _FOLDERS:
            return counts.of_folder(path)
        holding = what_is(path)
        assert holding is not None, "it was looked for"
        match holding.row.name:
            case "board":
                return boards.figures(ground, path)
            case "verdicts":
                return verdicts.figures(ground, path)
            case "ranking":
                return rankings.figures(ground, path)
            case _ if holding.row.name == _RESULTS:
                return rankings.figures_of_results(ground, path)
            case "run" | "manifest" | "evidence":
                return runs.figures(ground, path)
            case "edition":
                return rules.figures(ground, path)
            case "subject":
                subject = ground.record(path, Subject)
                return {**stated.figures(ground, path, subject), **counts.of_subject(subject.ref)}
            case "cycle":
                cycle = ground.record(path, Cycle)
                in_use = {"subjects_in_use": lambda: counts.pool_in_use(path, cycle)}
                reproduced = reproductions.figures_of_cycle(ground, cycle.cycle)
                return {**stated.figures(ground, path, cycle), **in_use, **reproduced}
            case "reproduction":
                return reproductions.figures(ground, path)
            case "kind":
                kind = holding.ids["kind"]
                return {**self._stated(path), "tested": lambda: counts.tested_of_kind(path, kind)}
            case "dispute":
                return self._of_dispute(path)
        return self._stated(path)

    def _stated(self, path: PurePosixPath) -> Figures:
        return stated.figures(self._ground, path, self._record(path))

    def _record(self, path: PurePosixPath) -> Record:
        holding = what_is(path)
        assert holding is not None and holding.row.model is not None, "only files with a record come here"
        return self._ground.record(path, holding.row.model)

    def _of_dispute(self, path: PurePosixPath) -> Figures:
        """Return the figures of a dispute; a moment of its resolution ends in the recording of its run."""
        dispute = self._ground.record(path, Dispute)

        def rest(place: tuple[str | int, ...]) -> tuple[tuple[str, ...], tuple[Link, ...]]:
            proven = self._ground.run_of(dispute.cycle, dispute.run)
            return (), (seconds.whole(self._ground, proven),)

        return stated.figures(self._ground, path, dispute, rest)

    def _no_figure(self, address: Address, found: Iterable[str]) -> InputError:
        known = list(found)
        near = get_close_matches(address.figure, known, n=_MOST_NAMED, cutoff=0.4) if address.figure else []
        named = (near or known)[:_MOST_NAMED]
        more = f", and {len(known) - len(named)} more" if len(known) > len(named) else ""
        what = f"has no figure {address.figure!r}." if address.figure else "is a file; its figures have addresses."
        advice = f"It has {', '.join('#' + name for name in named)}{more}: `argusic trace {address.path}` lists them."
        return InputError(what, place=Place(address.path), advice=advice)


def _broken(error: InputError | CheckFailed, address: Address) -> Broken:
    """Return whatever stopped a chain as a break of it."""
    if isinstance(error, Broken):
        return error
    return Broken(error.place or Place(address.path), error.what)


def _advice() -> str:
    return "Figures are stated by boards, verdicts, rankings, runs, manifests, editions and the records of the pool."
