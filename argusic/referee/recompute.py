"""Recomputing everything that is derived, and checking that what lies there is what the facts give.

The only writer of `leaderboards/`. Deterministic to the byte, never reads the clock, and leaves alone what is
right. The derivations of a closed cycle are frozen: they may be put back as they were, and are never altered; so is a
ranking of the index that a later one followed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import board_path, close_path, verdicts_path
from argusic.errors import Finding, InputError, Place
from argusic.leaderboards.boards import board
from argusic.leaderboards.gather import Gathered, GroupId
from argusic.leaderboards.kept import Kept, KeptGroup
from argusic.leaderboards.verdicts import verdicts
from argusic.records.cycle import Close
from argusic.referee.differing import differences
from argusic.referee.ranking import KEPT_AS, Rankings, derived_ranking, rankings
from argusic.rules.scored import ScoredRun

#: The folders that hold derived files and nothing else.
DERIVED_FOLDERS = ("leaderboards/boards", "leaderboards/verdicts", "leaderboards/index/derived")
#: Files of these folders that are prose.
_PROSE = ("README.md", ".gitkeep")


@dataclass
class Recomputed:
    """What a recomputation did.

    Attributes:
        written: The files written, by path from the top.
        removed: The derived files removed because nothing derives them.
        unchanged: How many files were right already.
        findings: What it refused to alter.
    """

    written: list[PurePosixPath] = field(default_factory=list)
    removed: list[PurePosixPath] = field(default_factory=list)
    unchanged: int = 0
    findings: list[Finding] = field(default_factory=list)


def recompute(database: Database) -> Recomputed:
    """Bring every derived file up to date, deriving only the cycles and kinds, and the ranking, whose inputs changed.

    Raises:
        InputError: A record that derivations need cannot be used; nothing more is written then.
    """
    gathered = Gathered(database)
    done = Recomputed()
    expected: set[str] = set()
    lying_there = _derived_files(database)
    for group, inputs in sorted(gathered.digests().items()):
        kept = KeptGroup(database.cache_folder, *group)
        last = kept.last()
        if last is not None and last.inputs == inputs and _as_kept(database, last):
            expected |= set(last.outputs)
            done.unchanged += len(last.outputs)
            continue
        runs = gathered.score_runs(group, kept.scored(gathered.edition_blobs()))
        derived = derive(gathered, group, runs)
        expected |= {str(path) for path in derived}
        close = gathered.close(group[0])
        for path, data in derived.items():
            _bring_up_to_date(database, path, data, close, done)
        outputs = {str(path): _sha256(data) for path, data in derived.items()}
        kept.keep(Kept(inputs, outputs), gathered.edition_blobs(), runs)
    ranked = rankings(database)
    if ranked is not None:
        expected |= {str(path) for path in (ranked.path, *ranked.older)}
        _recompute_ranking(database, ranked, done)
    for path in lying_there:
        if str(path) not in expected:
            _remove(database, path, gathered, done)
    return done


def check_derived(database: Database) -> list[Finding]:
    """Say where the derived files are not what the facts give, trusting no earlier derivation.

    Raises:
        InputError: A record that derivations need cannot be used.
    """
    gathered = Gathered(database)
    findings: list[Finding] = []
    expected: set[str] = set()
    for group in sorted(gathered.runs):
        derived = derive(gathered, group, gathered.score_runs(group, {}))
        for path, data in derived.items():
            expected.add(str(path))
            if database.holds(path):
                findings += differences(path, database.read_bytes(path), data)
            else:
                findings.append(Finding(Place(path), "is missing; `argusic recompute` writes it."))
    ranked = rankings(database)
    if ranked is not None:
        expected |= {str(path) for path in (ranked.path, *ranked.older)}
        findings += _check_ranking(database, ranked)
    for path in _derived_files(database):
        if str(path) not in expected:
            what = "no ranking was opened for it" if path.parts[1] == KEPT_AS else "no run gives rise to it"
            findings.append(Finding(Place(path), f"should not be there: {what}."))
    for cycle in gathered.closed():
        close = gathered.close(cycle)
        if close is not None:
            findings += _against_close(database, gathered, close)
    return findings


def _recompute_ranking(database: Database, ranked: Rankings, done: Recomputed) -> None:
    kept = KeptGroup(database.cache_folder, KEPT_AS, ranked.newest)
    last = kept.last()
    if last is not None and last.inputs == ranked.inputs and _as_kept(database, last):
        done.unchanged += 1
        return
    data = derived_ranking(database, ranked)
    _bring_up_to_date(database, ranked.path, data, None, done)
    kept.keep(Kept(ranked.inputs, {str(ranked.path): _sha256(data)}), {}, {})


def _check_ranking(database: Database, ranked: Rankings) -> Iterator[Finding]:
    for path in sorted(ranked.older):
        if not database.holds(path):
            what = "is missing: a ranking that a later one followed stays as it was published. Put it back from git."
            yield Finding(Place(path), what)
    data = derived_ranking(database, ranked)
    if database.holds(ranked.path):
        yield from differences(ranked.path, database.read_bytes(ranked.path), data)
    else:
        yield Finding(Place(ranked.path), "is missing; `argusic recompute` writes it.")


def derive(gathered: Gathered, group: GroupId, runs: dict[str, ScoredRun]) -> dict[PurePosixPath, bytes]:
    """Return the derived files of one cycle and kind. None before an agent that is no control has run."""
    made = gathered.group(group, runs)
    if not made.runs:
        return {}
    derived = {verdicts_path(*group): dump(verdicts(made))}
    if made.board_agents:
        derived[board_path(*group)] = dump(board(made))
    return derived


def _bring_up_to_date(
    database: Database, path: PurePosixPath, data: bytes, close: Close | None, done: Recomputed
) -> None:
    if database.holds(path) and database.read_bytes(path) == data:
        done.unchanged += 1
    elif close is not None and close.derived.get(str(path)) != _sha256(data):
        what = f"would change, but cycle {close.cycle} is closed; it was left as it is."
        done.findings.append(Finding(Place(path), what))
    else:
        database.write_bytes(path, data, replace=True)
        done.written.append(path)


def _remove(database: Database, path: PurePosixPath, gathered: Gathered, done: Recomputed) -> None:
    close = gathered.close(path.parts[2]) if len(path.parts) == 4 else None
    if close is not None and str(path) in close.derived:
        what = f"is no longer derived from anything, but cycle {close.cycle} is closed; it was left as it is."
        done.findings.append(Finding(Place(path), what))
    else:
        database.remove(path)
        done.removed.append(path)


def _against_close(database: Database, gathered: Gathered, close: Close) -> Iterator[Finding]:
    """Compare what lies there with what was written down when the cycle closed."""
    path = close_path(close.cycle)
    runs = sum(len(found) for (cycle, _), found in gathered.runs.items() if cycle == close.cycle)
    if runs != close.runs:
        yield Finding(Place(path, field="runs"), f"says {close.runs} runs, but the cycle holds {runs}.")
    for name, digest in sorted(close.derived.items()):
        derived = PurePosixPath(name)
        if not database.holds(derived):
            yield Finding(Place(derived), f"is missing, though cycle {close.cycle} was closed with it.")
        elif _sha256(database.read_bytes(derived)) != digest:
            yield Finding(Place(derived), f"is not what it was when cycle {close.cycle} was closed ({path}).")


def _as_kept(database: Database, last: Kept) -> bool:
    """Whether the files that the last derivation made lie there untouched."""
    return all(
        database.holds(PurePosixPath(path)) and _sha256(database.read_bytes(PurePosixPath(path))) == digest
        for path, digest in last.outputs.items()
    )


def _derived_files(database: Database) -> list[PurePosixPath]:
    """Return what lies in the folders of derived files.

    Raises:
        InputError: A link stands where a folder should: what lies behind it is not ours to write or remove.
    """
    found = []
    for folder in map(PurePosixPath, DERIVED_FOLDERS):
        inside = sorted((database.root / folder).rglob("*"))
        above = [database.root / part for part in (*reversed(folder.parents), folder)][1:]
        for path in (*above, *inside):
            if path.is_symlink() and path.is_dir():
                what = "is a symbolic link to a folder; derived files are never kept behind one."
                raise InputError(what, place=Place(path.relative_to(database.root)))
        found += [path for path in inside if (path.is_file() or path.is_symlink()) and path.name not in _PROSE]
    return [PurePosixPath(path.relative_to(database.root).as_posix()) for path in found]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
