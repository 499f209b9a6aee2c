"""The figures that count over many files: runs, subjects, cycles and verdicts. What counts is what the site counts.

A control's run counts in nothing but the number of control runs. A kind is in use once a run that is no control's is
of a subject of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import PurePosixPath
from typing import get_args

from argusic.database.database import StoredRun
from argusic.database.paths import cycle_path, subject_path, verdicts_path
from argusic.records.cycle import Cycle
from argusic.records.verdicts import SubjectVerdict, Verdicts
from argusic.referee.tracing import runs, scores, seconds, verdicts
from argusic.referee.tracing.address import CYCLES, RUNS, SUBJECTS, VERDICTS, figure_at
from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Figures, Link
from argusic.referee.tracing.proven import ProvenRun
from argusic.rules.verdict import VerdictWord


class Counts:
    """The counts of one database.

    Args:
        ground: What chains stand on.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    # What counts

    @cached_property
    def attempts(self) -> tuple[StoredRun, ...]:
        """Every run that is no control's, by start."""
        return tuple(stored for stored in self._ground.stored if stored.run.purpose != "control")

    @cached_property
    def _by_subject(self) -> dict[str, list[StoredRun]]:
        found: dict[str, list[StoredRun]] = {}
        for stored in self.attempts:
            found.setdefault(stored.run.subject, []).append(stored)
        return found

    @cached_property
    def kinds_in_use(self) -> frozenset[str]:
        """The kinds of which a subject was tested."""
        return frozenset(subject.split("/")[0] for subject in self._by_subject)

    @cached_property
    def _verdicts(self) -> dict[str, list[tuple[PurePosixPath, SubjectVerdict]]]:
        """The verdicts on each subject of a kind in use, the newest cycle first, with the file of each."""
        found: dict[str, list[tuple[PurePosixPath, SubjectVerdict]]] = {}
        for cycle in self._ground.cycles:
            for kind in sorted(self.kinds_in_use):
                path = verdicts_path(cycle.cycle, kind)
                if self._ground.database.holds(path):
                    for one in self._ground.record(path, Verdicts).subjects:
                        found.setdefault(one.subject, []).append((path, one))
        return found

    @cached_property
    def _listed(self) -> list[str]:
        """The subjects that lists hold: of kinds in use, with a run or a verdict."""
        ran = {stored.run.subject for stored in self._ground.stored} | self._verdicts.keys()
        return sorted(subject for subject in ran if subject.split("/")[0] in self.kinds_in_use)

    def _headline(self, subject: str) -> tuple[PurePosixPath, SubjectVerdict] | None:
        """Return the verdict that a subject is known by: the newest that is settled, else the newest."""
        known = self._verdicts.get(subject, [])
        settled = (item for item in known if item[1].verdict != "not_yet_verified")
        return next(settled, known[0] if known else None)

    # Their chains

    def of_folder(self, path: PurePosixPath) -> Figures:
        """Return the figures that count over a folder; none where nothing is counted in it."""
        invalid = partial(self._outcomes, "invalid")
        words = [str(word) for word in get_args(VerdictWord)]
        known: dict[PurePosixPath, Figures] = {
            RUNS: {
                "attempts": lambda: self._runs("attempts recorded", "attempts", self.attempts, _end),
                "invalid": lambda: self._runs("invalid attempts", "invalid", invalid(), scores.outcome),
                "commands": lambda: self._commands(),
                "controls": lambda: self._runs("control runs", "controls", self._controls, _end),
            },
            SUBJECTS: {
                "tested": lambda: self._subjects("subjects tested", "tested", sorted(self._by_subject), self._first),
                "listed": lambda: self._subjects("subjects listed", "listed", self._listed, self.identity),
            },
            CYCLES: {"count": self._cycles},
            VERDICTS: {word: partial(self._known_as, word) for word in words},
        }
        return known.get(path, {})

    def of_subject(self, subject: str) -> Figures:
        """Return the figures that count over one subject."""
        made: Figures = {"attempts": partial(self._of_subject, subject)}
        if subject in self._by_subject:
            made |= {"last": partial(self._last, subject), "best": partial(self._best, subject)}
        if (known := self._headline(subject)) is not None:
            made["verdict"] = partial(verdicts.verdict_of, self._ground, known[0], subject)
        return made

    def tested_of_kind(self, path: PurePosixPath, kind: str) -> Link:
        """Return the chain of how many subjects of a kind were tested."""
        chosen = sorted(subject for subject in self._by_subject if subject.startswith(f"{kind}/"))
        below = tuple(self._first(subject) for subject in chosen)
        sha256 = self._ground.sha256(path)
        rule = "counted from the subjects with a run that is no control's"
        return Link(
            f"tested {kind} subjects",
            len(chosen),
            str(path),
            sha256,
            figure_at(path, "tested"),
            None,
            None,
            rule,
            below=below,
        )

    def pool_in_use(self, path: PurePosixPath, cycle: Cycle) -> Link:
        """Return the chain of how many subjects of kinds in use a cycle has."""
        chosen = [one.subject for one in cycle.subjects if one.subject.split("/")[0] in self.kinds_in_use]
        below = tuple(self.identity(subject) for subject in chosen)
        line, sha256 = self._ground.line(path, "subjects"), self._ground.sha256(path)
        rule = "counted from its pool; kinds without a run are left out"
        what = f"subjects of cycle {cycle.cycle}"
        return Link(
            what, len(chosen), str(path), sha256, figure_at(path, "subjects_in_use"), line, None, rule, below=below
        )

    def identity(self, subject: str) -> Link:
        """Return the link to a subject's own file."""
        path = subject_path(*subject.split("/"))
        line, sha256 = self._ground.line(path, "name"), self._ground.sha256(path)
        return Link("a subject", subject, str(path), sha256, figure_at(path, "attempts"), line)

    @property
    def _controls(self) -> list[StoredRun]:
        return [stored for stored in self._ground.stored if stored.run.purpose == "control"]

    def _outcomes(self, outcome: str) -> list[StoredRun]:
        proven = ((stored, self._ground.run(stored.path)) for stored in self.attempts)
        return [stored for stored, run in proven if run.score.outcome == outcome]

    def _runs(
        self, what: str, figure: str, chosen: Iterable[StoredRun], chain: Callable[[Ground, ProvenRun], Link]
    ) -> Link:
        kept = list(chosen)
        below = tuple(chain(self._ground, self._ground.run(stored.path)) for stored in kept)
        return self._folder(RUNS, what, len(kept), figure, [stored.path for stored in kept], below)

    def _commands(self) -> Link:
        found = [self._ground.run(stored.path) for stored in self.attempts]
        below = tuple(runs.figures(self._ground, proven.path)["commands"]() for proven in found)
        count = sum(proven.run.commands for proven in found)
        return self._folder(RUNS, "commands of all attempts", count, "commands", [one.path for one in found], below)

    def _subjects(self, what: str, figure: str, chosen: list[str], chain: Callable[[str], Link]) -> Link:
        paths = [subject_path(*subject.split("/")) for subject in chosen]
        return self._folder(SUBJECTS, what, len(chosen), figure, paths, tuple(chain(subject) for subject in chosen))

    def _cycles(self) -> Link:
        paths = [cycle_path(cycle.cycle) for cycle in self._ground.cycles]
        below = tuple(
            Link("a cycle", cycle.title, str(path), self._ground.sha256(path), figure_at(path, "subjects"))
            for cycle, path in zip(self._ground.cycles, paths, strict=True)
        )
        return self._folder(CYCLES, "cycles", len(paths), "count", paths, below)

    def _known_as(self, word: str) -> Link:
        known = ((subject, self._headline(subject)) for subject in self._listed)
        chosen = [(subject, found[0]) for subject, found in known if found is not None and found[1].verdict == word]
        below = tuple(verdicts.verdict_of(self._ground, path, subject) for subject, path in chosen)
        paths = sorted({path for _, path in chosen})
        what = f"subjects whose verdict is {word.replace('_', ' ')}"
        return self._folder(VERDICTS, what, len(chosen), word, paths, below)

    def _folder(
        self,
        folder: PurePosixPath,
        what: str,
        value: int,
        figure: str,
        paths: list[PurePosixPath],
        below: tuple[Link, ...],
    ) -> Link:
        sha256 = self._ground.sha256_of_all(paths)
        rule = "counted from the files below, whose list has the fingerprint"
        return Link(what, value, str(folder), sha256, figure_at(folder, figure), None, None, rule, below=below)

    def _first(self, subject: str) -> Link:
        """Return the link to the first run of a subject that is no control's."""
        return _end(self._ground, self._ground.run(self._by_subject[subject][0].path))

    def _of_subject(self, subject: str) -> Link:
        chosen = self._by_subject.get(subject, [])
        below = tuple(_end(self._ground, self._ground.run(stored.path)) for stored in chosen)
        return self._about(subject, "attempts", len(chosen), "attempts", "counted from these runs", below)

    def _last(self, subject: str) -> Link:
        newest = self._by_subject[subject][-1]
        below = (runs.figures(self._ground, newest.path)["started"](),)
        value = below[0].value
        return self._about(subject, "newest attempt", value, "last", "the start of the newest run", below)

    def _best(self, subject: str) -> Link:
        found = [self._ground.run(stored.path) for stored in self._by_subject[subject]]
        totals = [(one.score.total, one) for one in found if one.score.total is not None]
        below = tuple(scores.total(self._ground, one) for _, one in totals)
        value = scores.number(max(total for total, _ in totals)) if totals else None
        return self._about(subject, "best score", value, "best", "the highest of these runs", below)

    def _about(
        self, subject: str, what: str, value: int | float | str | None, figure: str, rule: str, below: tuple[Link, ...]
    ) -> Link:
        path = subject_path(*subject.split("/"))
        sha256 = self._ground.sha256(path)
        return Link(
            f"{what} of {subject}", value, str(path), sha256, figure_at(path, figure), None, None, rule, below=below
        )


def _end(ground: Ground, proven: ProvenRun) -> Link:
    """Return a run as one of many: its record, and the end of its recording."""
    return Link(
        what="a run",
        value=proven.name,
        file=str(proven.path),
        sha256=proven.sha256,
        address=figure_at(proven.path, "outcome"),
        checked=("every file of the run is the one that its manifest names",),
        below=(seconds.whole(ground, proven),),
    )
