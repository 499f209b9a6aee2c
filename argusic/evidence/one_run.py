"""Checking one run against its manifest: every file is the one that it names, and nothing else is there."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argusic.database.codec import parse_record, read_file
from argusic.database.paths import RUN_DEPTH, edition_path, instructions_path, run_folder
from argusic.errors import CheckFailed, Finding, InputError, Place
from argusic.evidence.audit.comparing import ComparedClaims, compare_claims
from argusic.evidence.coverage import measure
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import MANIFEST_NAME, RUN_NAME, VIDEO_NAME, sealed_name
from argusic.evidence.store import EvidenceStore
from argusic.records.manifest import EvidenceFile, FileRole, Manifest
from argusic.records.run import Run

#: Roles that a run has at most one file of.
_SINGLE: tuple[FileRole, ...] = ("run", "recording", "log", "commands", "report", "trajectory")


@dataclass(frozen=True)
class CheckedRun:
    """What was found of one run.

    Attributes:
        folder: Its folder.
        manifest: Its manifest, where it could be read.
        manifest_sha256: The digest of the manifest's own file.
        manifest_size: The size of that file.
        withdrawn: The files that are gone lawfully.
        audited_otherwise: What today's audit contradicts of its report, where the one of its day found otherwise.
        findings: Everything that is wrong.
    """

    folder: Path
    manifest: Manifest | None = None
    manifest_sha256: str = ""
    manifest_size: int = 0
    withdrawn: int = 0
    audited_otherwise: str | None = None
    findings: list[Finding] = dataclasses.field(default_factory=list)

    def digests(self) -> dict[str, str]:
        """Return the digest of every file of the run by name: of the manifest, and of what it lists."""
        if self.manifest is None:
            return {}
        listed = {entry.name: entry.sha256 for entry in self.manifest.files}
        sealed = {sealed_name(entry.name): entry.sealed_sha256 for entry in self.manifest.sealed or ()}
        return {**listed, **sealed, MANIFEST_NAME: self.manifest_sha256}

    def size(self) -> int:
        """Return the bytes of those files."""
        if self.manifest is None:
            return 0
        sealed = sum(entry.sealed_size for entry in self.manifest.sealed or ())
        return self.manifest_size + sum(entry.size for entry in self.manifest.files) + sealed


def check_run(
    folder: Path, store: EvidenceStore, root: Path | None = None, withdrawn: Mapping[str, str] | None = None
) -> CheckedRun:
    """Check one run against its manifest.

    Args:
        folder: The run's folder.
        store: Where its other files lie.
        root: The top of the database; findings then name files from there, and rule files are compared too.
        withdrawn: The fingerprint of every file of the run that a tombstone says is gone, by name.
    """
    shown = folder.relative_to(root) if root is not None else folder
    findings: list[Finding] = []
    try:
        data = read_file(folder / MANIFEST_NAME, shown=shown / MANIFEST_NAME)
        manifest = parse_record(data, Manifest, file=shown / MANIFEST_NAME)
    except InputError as error:
        return CheckedRun(folder, findings=[Finding(error.place or Place(shown), error.what)])
    one = _OneRun(folder, shown, store, manifest, withdrawn or {})
    run, claims = None, ComparedClaims()
    try:
        run = parse_record(read_file(folder / RUN_NAME, shown=shown / RUN_NAME), Run, file=shown / RUN_NAME)
    except InputError as error:
        findings.append(Finding(error.place or Place(shown), error.what))
    findings += [*one.entries(), *one.leftovers(), *one.sealed()]
    whole = {entry.role: path for entry in manifest.files if (path := one.whole(entry, findings)) is not None}
    if run is not None:
        findings += one.identity(run)
        findings += one.coverage(run, whole)
        claims = one.claims(run, whole)
        findings += claims.findings
    if root is not None:
        findings += one.rules(root)
    sha256 = hashlib.sha256(data).hexdigest()
    return CheckedRun(folder, manifest, sha256, len(data), one.count_gone(), claims.otherwise, findings)


class _OneRun:
    """The checks of one run against its manifest."""

    def __init__(
        self, folder: Path, shown: Path, store: EvidenceStore, manifest: Manifest, withdrawn: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._store = store
        self._manifest = manifest
        self._shown = shown
        listed = {entry.name: entry for entry in manifest.files}
        # A tombstone speaks of the very file that the manifest names, and of one that is really gone.
        self._gone = {
            name
            for name, sha256 in withdrawn.items()
            if name in listed.keys() - {RUN_NAME}
            and listed[name].sha256 == sha256
            and not self._path(listed[name]).exists()
        }

    def gone(self, name: str) -> bool:
        """Return whether a file was withdrawn."""
        return name in self._gone

    def count_gone(self) -> int:
        """Return how many files were withdrawn."""
        return len(self._gone)

    def _path(self, entry: EvidenceFile) -> Path:
        return self._folder / entry.name if entry.place == "run" else self._store.path(entry.sha256)

    def _finding(self, name: str, what: str, field: str | None = None) -> Finding:
        return Finding(Place(self._shown / name, field=field), what)

    def entries(self) -> Iterator[Finding]:
        """Check the manifest's list in itself."""
        files = self._manifest.files
        for name, count in Counter(entry.name for entry in files).items():
            if count > 1:
                yield self._finding(MANIFEST_NAME, f"{name} is listed {count} times", "files")
        roles = Counter(entry.role for entry in files)
        for role in _SINGLE:
            if roles[role] > 1:
                yield self._finding(MANIFEST_NAME, f"{roles[role]} files are listed as {role}", "files")
        if not any(entry.name == RUN_NAME and entry.role == "run" and entry.place == "run" for entry in files):
            yield self._finding(MANIFEST_NAME, f"{RUN_NAME} is not listed", "files")

    def leftovers(self) -> Iterator[Finding]:
        """Name whatever lies in the run's folder without being listed."""
        listed = {entry.name for entry in self._manifest.files if entry.place == "run"} | {MANIFEST_NAME}
        for path in sorted(self._folder.iterdir()):
            if path.name not in listed:
                yield self._finding(path.name, "the manifest does not list it")

    def whole(self, entry: EvidenceFile, findings: list[Finding]) -> Path | None:
        """Return where a file lies if it is the one that the manifest names; else add what is wrong."""
        if self.gone(entry.name):
            return None
        path = self._path(entry)
        where = "in the run's folder" if entry.place == "run" else "in the evidence store"
        try:
            if entry.place == "store":
                self._store.bring([entry.sha256])
            found = fingerprint(path)
        except CheckFailed as error:
            findings.append(self._finding(entry.name, error.what))
            return None
        except FileNotFoundError:
            absent = f"it is missing {where}" if entry.place == "run" else self._store.absent
            findings.append(self._finding(entry.name, absent))
            return None
        except ValueError as error:
            findings.append(self._finding(entry.name, f"{where} it {error}"))
            return None
        except OSError as error:
            findings.append(self._finding(entry.name, f"it cannot be read {where}: {error.strerror}"))
            return None
        if found != (entry.sha256, entry.size):
            what = f"it is not the file that the manifest names: {where} lie {found.size:,} bytes with the digest "
            findings.append(self._finding(entry.name, f"{what}{found.sha256}"))
            return None
        return path

    def sealed(self) -> Iterator[Finding]:
        """Check the sealed files that are here. That one is not is no fault: they may lie where few can look."""
        names = Counter(entry.name for entry in self._manifest.sealed or ())
        for name, count in names.items():
            if count > 1:
                yield self._finding(MANIFEST_NAME, f"{name} is listed {count} times", "sealed")
        filmed = self._manifest.video is not None and self._manifest.video.complete
        if filmed and VIDEO_NAME not in names:
            yield self._finding(MANIFEST_NAME, f"it states a whole video, and no {VIDEO_NAME} is sealed", "video")
        for entry in self._manifest.sealed or ():
            try:
                found = fingerprint(self._store.path(entry.sealed_sha256))
            except FileNotFoundError:
                continue
            except ValueError as error:
                yield self._finding(sealed_name(entry.name), f"in the evidence store it {error}")
                continue
            except OSError as error:
                what = f"it cannot be read in the evidence store: {error.strerror}"
                yield self._finding(sealed_name(entry.name), what)
                continue
            if found != (entry.sealed_sha256, entry.sealed_size):
                what = "in the evidence store it is not the sealed file that the manifest names"
                yield self._finding(sealed_name(entry.name), what)

    def identity(self, run: Run) -> Iterator[Finding]:
        """Compare what the run says of itself with what its manifest says."""
        manifest = self._manifest
        for field, own, listed in (
            ("run", run.run, manifest.run),
            ("cycle", run.cycle, manifest.cycle),
            ("edition", run.edition, manifest.edition.id),
            ("agent", run.agent, manifest.agent.id),
        ):
            if own != listed:
                yield self._finding(RUN_NAME, f"it says {own}, the manifest says {listed}", field)
        worker = "gpu" if manifest.sandbox is not None and manifest.sandbox.gpus else "cpu"
        if run.worker != worker:
            yield self._finding(RUN_NAME, f"it says {run.worker}, by the manifest it had a {worker}", "worker")
        own_place = run_folder(run.cycle, run.subject, run.agent, run.run)
        if self._folder.name != run.run:
            yield self._finding(RUN_NAME, f"it says {run.run} in the folder of {self._folder.name}", "run")
        elif self._folder.parts[-RUN_DEPTH:] != own_place.parts:
            yield self._finding(RUN_NAME, f"it belongs in {own_place}")
        if run.commands != manifest.coverage.commands:
            what = f"it says {run.commands}, the manifest says {manifest.coverage.commands}"
            yield self._finding(RUN_NAME, what, "commands")

    def coverage(self, run: Run, whole: dict[FileRole, Path]) -> Iterator[Finding]:
        """Measure the recording again and compare."""
        listed = {entry.role for entry in self._manifest.files}
        needed: tuple[FileRole, ...] = ("recording", "commands", "log")
        if any(role in listed and role not in whole for role in needed):
            return  # A file that is missing or another is named already, and one that is gone measures nothing.
        recording, commands, log = (whole.get(role) for role in needed)
        agent_seconds = sum(phase.seconds for phase in run.phases if phase.name == "agent")
        measured = measure(recording, commands, log, agent_seconds).model_dump()
        claimed = self._manifest.coverage.model_dump()
        for field in claimed:
            if claimed[field] != measured[field]:
                what = f"the manifest says {claimed[field]}, measured again it is {measured[field]}"
                yield self._finding(MANIFEST_NAME, what, f"coverage.{field}")

    def claims(self, run: Run, whole: dict[FileRole, Path]) -> ComparedClaims:
        """Audit the report again and compare with what the run states of it."""
        listed = {entry.role for entry in self._manifest.files}
        needed: tuple[FileRole, ...] = ("commands", "log")
        if any(role in listed and role not in whole for role in needed):
            return ComparedClaims()
        return compare_claims(
            run, whole.get("commands"), whole.get("log"), Place(self._shown / RUN_NAME, field="audit")
        )

    def rules(self, root: Path) -> Iterator[Finding]:
        """Compare the rule files that were measured under with those of the database."""
        edition, instructions = self._manifest.edition, self._manifest.instructions
        for field, path, sha256 in (
            ("edition", edition_path(edition.id), edition.sha256),
            ("instructions", instructions_path(instructions.id), instructions.sha256),
        ):
            try:
                found = hashlib.sha256(read_file(root / path)).hexdigest()
            except InputError:
                yield self._finding(MANIFEST_NAME, f"{path} cannot be read", field)
                continue
            if found != sha256:
                yield self._finding(MANIFEST_NAME, f"{path} now has the digest {found}", f"{field}.sha256")
