"""Making a manifest: the fingerprints of a run's files beside the conditions that the run was measured under."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from argusic.evidence.fingerprint import fingerprint
from argusic.evidence.layout import MEDIA_TYPES
from argusic.records.manifest import (
    ArgusicFacts,
    Coverage,
    EditionUsed,
    EnvironmentFacts,
    EvidenceFile,
    FileRole,
    Fingerprinted,
    Manifest,
    Redaction,
    SandboxFacts,
    SealedFile,
    VideoFacts,
)
from argusic.records.run import Run


@dataclass(frozen=True)
class Conditions:
    """The conditions of a run, as the manifest states them."""

    edition: EditionUsed
    instructions: Fingerprinted
    agent: Fingerprinted
    sandbox: SandboxFacts | None
    environment: EnvironmentFacts | None
    key: Literal["none", "per_run", "shared"]
    argusic: ArgusicFacts


def describe(path: Path, role: FileRole, place: Literal["run", "store"]) -> EvidenceFile:
    """Fingerprint one finished file.

    Args:
        path: The file; its name becomes the entry's name.
        role: What it is.
        place: Where it is kept.

    Raises:
        OSError: It cannot be read.
    """
    found = fingerprint(path)
    return EvidenceFile(
        name=path.name,
        role=role,
        media_type=MEDIA_TYPES[role],
        size=found.size,
        sha256=found.sha256,
        place=place,
    )


def build(
    run: Run,
    conditions: Conditions,
    coverage: Coverage,
    files: Iterable[EvidenceFile],
    redaction: Redaction | None = None,
    sealed: Iterable[SealedFile] = (),
    video: VideoFacts | None = None,
) -> Manifest:
    """Return the manifest of a run.

    Args:
        run: The run's record; its file is one of `files`.
        conditions: What it was measured under.
        coverage: What `argusic.evidence.coverage` measured.
        files: Every file of the run but the manifest itself.
        redaction: How the served files came about.
        sealed: The raw files that are kept encrypted.
        video: What the video of the display covers, where there was a display.

    Raises:
        ValueError: Two files have one name.
    """
    ordered = sorted(files, key=lambda file: file.name)
    names = [file.name for file in ordered]
    if len(set(names)) != len(names):
        raise ValueError(f"two files of run {run.run} have one name: {names}")
    return Manifest(
        run=run.run,
        cycle=run.cycle,
        edition=conditions.edition,
        instructions=conditions.instructions,
        agent=conditions.agent,
        sandbox=conditions.sandbox,
        environment=conditions.environment,
        key=conditions.key,
        argusic=conditions.argusic,
        coverage=coverage,
        files=tuple(ordered),
        redaction=redaction,
        sealed=tuple(sorted(sealed, key=lambda file: file.name)) or None,
        video=video,
    )
