"""Verifying a reel: that its edit list is lawful, and that each picture comes from the recording by these edits."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from argusic.database.codec import parse_record, read_file
from argusic.database.database import Database
from argusic.database.locating import field_name, line_of
from argusic.errors import Finding, Place
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.reel.comparing import difference
from argusic.evidence.reel.lawful import Fault, faults_of_edits, faults_of_result, faults_of_source, pace_of
from argusic.evidence.reel.planning import Plan, map_of
from argusic.evidence.reel.rendering import program, render
from argusic.evidence.reel.source import Source, read_source
from argusic.records.reel import EditList


@dataclass(frozen=True)
class ListedEdits:
    """An edit list as it stands in its file.

    Attributes:
        path: Its file.
        data: The file's bytes.
        edits: What they say.
    """

    path: Path
    data: bytes
    edits: EditList

    def finding(self, fault: Fault) -> Finding:
        """Return a fault with the line and the field it is at."""
        where, what = fault
        return Finding(Place(self.path, line_of(self.data, where), field_name(where)), what)


@dataclass(frozen=True)
class VerifiedReel:
    """What came of verifying a reel.

    Attributes:
        listed: Its edit list.
        findings: Everything that is wrong.
        pictures: How many pictures were rendered again and compared.
        other_program: What the list says it was made by, where that is not what is here.
    """

    listed: ListedEdits
    findings: list[Finding]
    pictures: int = 0
    other_program: str | None = None


def read_list(path: Path) -> ListedEdits:
    """Read an edit list.

    Raises:
        InputError: It is not there, or no edit list.
    """
    data = read_file(path)
    return ListedEdits(path, data, parse_record(data, EditList, file=path))


def lawful_plan(listed: ListedEdits, source: Source) -> tuple[Plan | None, list[Finding]]:
    """Return the edits of a list, or what is unlawful about them."""
    edits = listed.edits
    faults = [*faults_of_source(edits, source), *faults_of_edits(edits, source)]
    if faults:
        return None, [listed.finding(fault) for fault in faults]
    pace = pace_of(edits)
    return Plan(pace, edits.trims, edits.captions, map_of(source, pace, edits.trims)), []


def verify_reel(
    database: Database,
    listed: ListedEdits,
    folder: PurePosixPath,
    progress: Callable[[str], None] = lambda doing: None,
) -> VerifiedReel:
    """Verify a reel: its run's evidence, the list, and the files beside the list, which are rendered again.

    Args:
        database: The database.
        listed: The edit list.
        folder: The folder of the run that it names, from the database's top.
        progress: Told what is being done.

    Raises:
        CheckFailed: The run's evidence does not verify, or its recording cannot be rendered.
        InputError: The recording was withheld or withdrawn.
        EnvironmentLack: A program that is needed is not here.
    """
    progress("verifying the run's evidence")
    source = read_source(database, folder)
    plan, findings = lawful_plan(listed, source)
    findings += [listed.finding(fault) for fault in _faults_of_files(listed)]
    if plan is None or findings:
        return VerifiedReel(listed, findings)
    edits = listed.edits
    here = program()
    with tempfile.TemporaryDirectory(prefix="argusic-reel-") as scratch:
        kinds = {file.kind for file in edits.files}
        again = render(source, plan, Path(scratch), kinds, progress)
        findings += [listed.finding(fault) for fault in faults_of_result(edits, plan.times, again.cast_sha256)]
        for file in edits.files:
            progress(f"comparing {file.name}")
            path = listed.path.parent / file.name
            what = difference(file.kind, path, again.files[file.kind], again.files["gif"])
            if what is not None:
                findings.append(Finding(Place(path), what))
    made_by = edits.program
    other = None if made_by == here else f"Argusic {made_by.argusic} and agg {made_by.agg}"
    return VerifiedReel(listed, findings, again.pictures, other)


def _faults_of_files(listed: ListedEdits) -> Iterator[Fault]:
    files = listed.edits.files
    kinds = Counter(file.kind for file in files)
    for index, file in enumerate(files):
        place = ("files", index)
        if kinds[file.kind] > 1:
            yield (*place, "kind"), f"{kinds[file.kind]} files are listed as {file.kind}"
        path = listed.path.parent / file.name
        try:
            # A file that is far larger than it is said to be is not read.
            size = path.lstat().st_size
            found = fingerprint(path) if size == file.size else None
        except FileNotFoundError:
            yield (*place, "name"), f"{file.name} is not beside the list"
            continue
        except (OSError, ValueError) as error:
            yield (*place, "name"), f"{file.name} {error if isinstance(error, ValueError) else 'cannot be read'}"
            continue
        if found is None:
            yield (*place, "size"), f"{file.name} has {size:,} bytes"
        elif found.sha256 != file.sha256:
            yield (*place, "sha256"), f"{file.name} has the digest {found.sha256}"
