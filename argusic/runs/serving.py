"""From raw evidence to what is served: redacted and proven, the raw form sealed wherever the two differ.

It happens on the machine of the attempt, outside of the sandbox, before anything leaves it. What cannot be proven free
of a live credential is withheld: nothing of it is served, and all of it is sealed.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from argusic.database.database import Database
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import (
    COMMANDS_NAME,
    EXCHANGES_NAME,
    LOG_NAME,
    RECORDING_NAME,
    REPORT_NAME,
    TRAJECTORY_NAME,
    VIDEO_NAME,
)
from argusic.evidence.redaction.banners import BANNERS_FILE
from argusic.evidence.redaction.known import KnownSecret
from argusic.evidence.redaction.redact import redact
from argusic.evidence.redaction.redacted import Redacted
from argusic.evidence.redaction.rules import RULES_FILE
from argusic.evidence.sealing.keys import ensure_recipients
from argusic.evidence.sealing.sealing import seal
from argusic.evidence.stores.configured import store_of
from argusic.records.agent import Agent
from argusic.records.manifest import FileRole, Redaction, SealedFile, Transform

#: The files that an attempt leaves, and what each is.
ROLES: Mapping[str, FileRole] = {
    RECORDING_NAME: "recording",
    LOG_NAME: "log",
    COMMANDS_NAME: "commands",
    REPORT_NAME: "report",
    TRAJECTORY_NAME: "trajectory",
    EXCHANGES_NAME: "exchanges",
}
#: The files that are sealed whatever they show: credentials are searched for in text, and these are pictures.
UNSEARCHED: Mapping[str, FileRole] = {VIDEO_NAME: "video"}
_WHAT: Mapping[str, Literal["live_credential", "secret_shape", "generated_key"]] = {
    "known": "live_credential",
    "shape": "secret_shape",
    "key": "generated_key",
}


@dataclass(frozen=True)
class Served:
    """What may be shown of an attempt's evidence.

    Attributes:
        folder: Holds the served copies; empty where everything is withheld.
        redaction: How they came about, for the manifest; None where the attempt left nothing.
        sealed: The raw files that are kept encrypted.
    """

    folder: Path
    redaction: Redaction | None
    sealed: tuple[SealedFile, ...]

    def file(self, name: str) -> Path | None:
        """Return the served copy of a file, or None where there is none."""
        path = self.folder / name
        return path if path.is_file() else None


def hidden_files(agent: Agent) -> tuple[str, ...]:
    """Return the files of a run that would tell who a sealed agent is: they are sealed, whatever they hold."""
    return (EXCHANGES_NAME,) if agent.identity == "sealed" else ()


def serve(
    database: Database,
    cycle: str,
    raw: Path,
    folder: Path,
    known: Sequence[KnownSecret] = (),
    *,
    hidden: Collection[str] = (),
    program: str | None = None,
    withhold: str | None = None,
) -> Served:
    """Make the served copies of an attempt's evidence, and seal what they differ from.

    Args:
        database: Where the run is published.
        cycle: Its cycle, whose keys the raw files are sealed to.
        raw: The attempt's evidence as it was recorded. It is never changed.
        folder: Where the copies go. It is made anew.
        known: The credentials that the attempt held.
        hidden: Files that are sealed and not served, whatever they hold.
        program: The agent's own program, where its start-up banner is known.
        withhold: Why nothing may be served, whatever is found.

    Raises:
        InputError: A raw file must be sealed and the folder of private keys cannot be used.
        OSError: The disk is full or fails.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if not any((raw / name).is_file() for name in ROLES):
        return Served(folder, None, ())
    redacted = Redacted((), withhold) if withhold else _redacted(raw, folder, known, program)
    if redacted.withheld is not None:
        shutil.rmtree(folder)
        folder.mkdir()
        private = [name for name in ROLES if (raw / name).is_file()]
    else:
        private = [file.name for file in redacted.files if file.changed or file.name in hidden]
        for name in hidden:
            (folder / name).unlink(missing_ok=True)
    private += [name for name in UNSEARCHED if (raw / name).is_file()]
    sealed: list[SealedFile] = []
    if private:
        recipients = ensure_recipients(database, cycle, KeyFolder.of_user())
        store = store_of(database)
        roles = {**ROLES, **UNSEARCHED}
        sealed = [seal(raw / name, roles[name], store, recipients) for name in sorted(private)]
    redaction = Redaction(
        rules_sha256=_rules_digest(),
        transforms=() if redacted.withheld else tuple(_transforms(redacted, hidden)),
        withheld=redacted.withheld,
    )
    return Served(folder, redaction, tuple(sealed))


def _transforms(redacted: Redacted, hidden: Collection[str]) -> Iterator[Transform]:
    for file in redacted.files:
        if file.name in hidden:
            continue
        for masked in file.masked:
            yield Transform(file=file.name, what=_WHAT[masked.what], rule=masked.rule, count=masked.count)
        if file.banner:
            yield Transform(file=file.name, what="banner", rule="banner", count=1)


def _redacted(raw: Path, folder: Path, known: Sequence[KnownSecret], program: str | None) -> Redacted:
    """Redact, and fail closed: where the search itself fails, nothing is proven, so nothing is served."""
    try:
        return redact(raw, folder, known, program=program)
    except OSError:
        raise
    except Exception as error:
        return Redacted(files=(), withheld=f"the search for credentials failed: {type(error).__name__}")


def _rules_digest() -> str:
    """Return the digest of everything that redaction goes by."""
    data = files("argusic.evidence.redaction")
    return hashlib.sha256(b"".join(data.joinpath(name).read_bytes() for name in (RULES_FILE, BANNERS_FILE))).hexdigest()
