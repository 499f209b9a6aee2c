"""Preparing collected runs for review: the files of one commit, and nothing in them that is not proven anew.

What is checked out is the main branch; it is laid out in a scratch folder, with the runs that wait for review already,
and everything is tried there first. Only what stands the very checks of the pull request is sent and pushed. Each step
outside of that folder can be repeated, so whoever dies in between leaves something that the next call completes.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.database import Database
from argusic.database.faults import fault_point
from argusic.database.git import Git
from argusic.database.laying_out import Commit
from argusic.database.paths import TRUST_PATH, what_is
from argusic.errors import CheckFailed, Finding, InputError, Place
from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import sealed_name
from argusic.evidence.one_run import CheckedRun, check_run
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.collecting import Collected as Sent
from argusic.evidence.stores.collecting import collect
from argusic.evidence.stores.committed import pack_paths
from argusic.evidence.stores.configured import home_of
from argusic.github.fetching import fetch_results
from argusic.github.ladder.bundles import Signature, must_name_exactly, policy_of, read_bundles, unvouched, verified
from argusic.github.ladder.handed import agreed_sizes, copy_out
from argusic.github.ladder.limits import MOST_OF_A_LIST, Most
from argusic.github.ladder.parcel import FolderParcel
from argusic.github.ladder.proving import needed_by, told
from argusic.github.ladder.writing import COLLECTED_NAME, DIGESTS_NAME
from argusic.records.evidence_home import RepositoryHome
from argusic.records.handing_over import Collected
from argusic.referee.check import against, standing
from argusic.runs.jobs.files import STORE, read_json

#: The rows of the table of paths that collected files may be of.
_ROWS: Final = ("run", "manifest", "evidence", "conditions")
#: Files beside those that are listed, so that the first of them can be named.
_SPARE: Final = 100


@dataclass
class Results:
    """What is brought to review, proven, and pushed nowhere yet.

    Attributes:
        collected: What was collected.
        laid: The main branch as it would be with all that waits for review.
        base: The commit that was checked out.
        new: The folders of the runs that did not wait for review yet.
        files: The files of the commit, from the top.
        signatures: The signatures over the new runs.
        unsigned: The new runs that nobody vouches for.
        sent: What became of the evidence; None where the repository keeps it in no store elsewhere.
    """

    collected: Collected
    laid: Database
    base: str
    new: tuple[PurePosixPath, ...] = ()
    files: list[PurePosixPath] = field(default_factory=list)
    signatures: tuple[Signature, ...] = ()
    unsigned: tuple[PurePosixPath, ...] = ()
    sent: Sent | None = None

    def contents(self) -> dict[PurePosixPath, Path | bytes]:
        """Return what is pushed."""
        return {path: self.laid.root / path for path in sorted(self.files)}


@dataclass(frozen=True)
class Preparing:
    """Prepares the commit.

    Attributes:
        database: The checkout.
        cycle: The cycle.
        scratch: A folder for the time of it, empty.
        remote: The remote's name.
        environment: Where a token may be.
        branch: The branch that results wait on.
    """

    database: Database
    cycle: str
    scratch: Path
    remote: str
    environment: Mapping[str, str]
    branch: str

    def prepare(self, folder: Path, signatures: Path, *, send: bool = True) -> Results:
        """Prove what was collected, as the main branch would have it, and return what is to be pushed.

        Args:
            folder: What was collected.
            signatures: The signatures over it.
            send: Whether evidence goes to a store elsewhere, where the repository has one.

        Raises:
            CheckFailed: Something of it is not what it should be. Nothing was sent.
            InputError: It is no collected folder of this cycle, or the cycle is closed.
            EnvironmentLack: The remote or the store cannot be reached.
        """
        collected = read_collected(folder, self.cycle)
        if self.database.close(self.cycle) is not None:
            raise InputError(f"cycle {self.cycle} is closed: no run is added to it.")
        staged = self.scratch / "collected"
        folders = take_out(folder, collected, staged)
        read = list(read_bundles(signatures, self.cycle))
        results = self._laid_out(collected, "referee")
        laid = results.laid
        self._place(results, staged, folders)
        self._sign(results, read, folders)
        packed = isinstance(home_of(laid), RepositoryHome)
        if packed:
            self._keep(results)
        if found := self._findings(results):
            before = self._findings(self._laid_out(collected, "before"))
            if wrong := [str(finding) for finding in found if finding not in before]:
                raise CheckFailed(f"what was collected cannot be brought to review: {told(wrong)}")
        if send and not packed and home_of(laid) is not None:
            self._keep(results)
            fault_point("evidence-sent")
        return results

    def _laid_out(self, collected: Collected, name: str) -> Results:
        """Lay out the main branch with all that waits for review."""
        commit = Commit(Git.required_around(self.database.root).folder, "HEAD")
        laid = commit.lay_out(self.scratch / name)
        laid.store_folder = self.scratch / f"{name}-store"
        results = Results(collected, laid, commit.id)
        self.renew(results)
        return results

    def renew(self, results: Results) -> str | None:
        """Bring what waits for review by now into what is laid out; return the branch's newest commit."""
        fetched = fetch_results(
            self.database, self.cycle, self.remote, self.environment, into=results.laid, branch=self.branch
        )
        return fetched.commit

    def _findings(self, results: Results) -> list[Finding]:
        return [*standing(results.laid), *against(results.laid, results.base)]

    def _place(self, results: Results, staged: Path, folders: Mapping[str, PurePosixPath]) -> None:
        """Put the files of new runs where they belong."""
        laid = results.laid
        new = {run: path for run, path in folders.items() if not _is_there(laid, staged, path)}
        for path in sorted(needed_by(staged, new)):
            source, target = staged / path, _target(laid, path)
            if not source.exists() or target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, target)
            if not path.startswith(STORE):
                results.files.append(PurePosixPath(path))
        results.new = tuple(sorted(new.values()))

    def _sign(self, results: Results, read: list[Signature], folders: Mapping[str, PurePosixPath]) -> None:
        """Verify the signatures and put those over new runs where they belong."""
        laid, store = results.laid, FolderStore(results.laid.store_folder)
        policy = policy_of(laid)
        checked: dict[str, CheckedRun] = {}
        for path in folders.values():
            new = path in results.new
            # The evidence of one that is there already may lie elsewhere by now.
            looked = check_run(laid.root / path, store, laid.root if new else None)
            if looked.findings and new:
                raise CheckFailed(f"{told([str(one) for one in looked.findings])}.")
            checked[str(path)] = looked
        made = []
        for signature in read:
            must_name_exactly(signature, checked)
            made.append(verified(signature, policy))
        names = {str(path) for path in results.new}
        results.signatures = tuple(one for one in made if one.folders & names)
        results.unsigned = tuple(unvouched(results.new, made))
        if results.unsigned and (policy is not None or made):
            why = f"{TRUST_PATH} states who may sign" if policy is not None else "others of them are signed"
            raise CheckFailed(f"no signature names {results.unsigned[0]}, and {why}.")
        for signature in results.signatures:
            if not laid.holds(signature.path):
                laid.write_bytes(signature.path, signature.data, replace=False)
                results.files.append(signature.path)

    def _keep(self, results: Results) -> None:
        """Bring the new runs' evidence to where the repository keeps it."""
        laid = results.laid
        if not results.new:
            return
        there = set(pack_paths(laid, self.cycle))
        results.sent = collect(laid, self.cycle)
        lacks = [one for one in results.sent.findings if _is_served(PurePosixPath(str(one.place.file)), results.new)]
        if lacks:
            raise CheckFailed(told([str(one) for one in lacks]))
        results.files += [path for path in pack_paths(laid, self.cycle) if path not in there]


def read_collected(folder: Path, cycle: str) -> Collected:
    """Return what a folder says was collected.

    Raises:
        InputError: It is none, or of another cycle.
        CheckFailed: It names a file that no attempt hands over.
    """
    collected = read_json(folder / COLLECTED_NAME, Collected)
    if collected.cycle != cycle:
        raise InputError(f"was collected for cycle {collected.cycle}, not {cycle}.", place=Place(folder))
    return collected


def take_out(folder: Path, collected: Collected, staged: Path) -> dict[str, PurePosixPath]:
    """Copy what was collected into a folder, each file proven; return the folders of its runs, by id.

    Raises:
        CheckFailed: It is not what its list says, or holds what no run of it needs.
        InputError: A run or its manifest is not valid.
    """
    size = sum(file.size for file in collected.files) + 2 * MOST_OF_A_LIST
    parcel = FolderParcel(folder, Most(len(collected.runs), len(collected.files) + _SPARE, size))
    listed = agreed_sizes(collected.files)
    for path in sorted(parcel.entries.keys() - listed.keys() - {COLLECTED_NAME, DIGESTS_NAME}):
        raise CheckFailed(f"holds {path}, which its {COLLECTED_NAME} does not name.", place=Place(folder))
    for path in sorted(listed.keys() - parcel.entries.keys()):
        raise CheckFailed(f"lacks {path}, which its {COLLECTED_NAME} names.", place=Place(folder))
    folders = run_folders(collected)
    copy_out(parcel, collected.files, staged)
    for path in sorted(listed.keys() - needed_by(staged, folders)):
        raise CheckFailed(f"holds {path}, which no run in it needs.", place=Place(folder))
    return folders


def run_folders(collected: Collected) -> dict[str, PurePosixPath]:
    """Return the folder of each collected run.

    Raises:
        CheckFailed: A file is of another cycle, is none that an attempt hands over, or is of no run that is stated.
    """
    folders: dict[str, PurePosixPath] = {}
    for file in collected.files:
        if file.path.startswith(STORE):
            continue
        holding = what_is(file.path)
        if holding is None or holding.row.name not in _ROWS or holding.ids["cycle"] != collected.cycle:
            raise CheckFailed(f"{file.path} was collected, and no attempt of {collected.cycle} hands it over.")
        if holding.row.name == "conditions":
            continue
        path = PurePosixPath(file.path).parent
        if folders.setdefault(holding.ids["run"], path) != path:
            raise CheckFailed(f"run {holding.ids['run']} was collected in two places.")
    if folders.keys() != set(collected.runs) or len(collected.runs) != len(folders):
        raise CheckFailed(f"{COLLECTED_NAME} does not state the runs whose files it names.")
    return folders


def _is_there(laid: Database, staged: Path, folder: PurePosixPath) -> bool:
    """Return whether a run is published or waits for review already, byte for byte.

    Raises:
        CheckFailed: It is there with another content.
    """
    here = laid.root / folder
    if not here.exists():
        return False
    files = ({path.name: fingerprint(path) for path in top.iterdir()} for top in (here, staged / folder))
    if next(files) != next(files):
        raise CheckFailed(f"{folder} is there already with another content.")
    return True


def _is_served(path: PurePosixPath, new: Collection[PurePosixPath]) -> bool:
    """Return whether a file is a served one of a new run. Sealed ones come on another way, or not at all."""
    return path.parent in new and not path.name.endswith(sealed_name(""))


def _target(laid: Database, path: str) -> Path:
    return FolderStore(laid.store_folder).path(Path(path).name) if path.startswith(STORE) else laid.root / path
