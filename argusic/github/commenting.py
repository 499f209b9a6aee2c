"""The comment below a pull request: what it would change, out of what its own job reckoned.

That job runs by the pull request's own workflow, so whoever sent it can put anything in its artifact, and the job that
reads it here may write below pull requests. It takes ids, figures and known words from it, by the record's model, and
makes the text itself; and it writes below the pull request whose commit that job ran for, and below no other.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from argusic.database.codec import read_file
from argusic.errors import CheckFailed, InputError, Place
from argusic.github.forge import Artifact, Forge
from argusic.github.proposal import comment
from argusic.records.base import CommitId
from argusic.records.difference import Proposal

#: The artifact's name, and the one file in it.
ARTIFACT: Final = "proposal"
MEMBER: Final = "proposal.json"
#: The most bytes of the artifact and of the file.
MOST_BYTES: Final = 1_000_000
#: The workflow whose runs are commented on.
WORKFLOW: Final = ".github/workflows/pull-request.yml"
#: Of these no more is unpacked than is asked for.
_BOUNDED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MARK: Final = "proposal"


class _Told(BaseModel):
    """Takes the few things that are needed of what GitHub states."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Run(_Told):
    id: Annotated[int, Field(gt=0)]
    event: str
    path: str
    head_sha: CommitId


class _Event(_Told):
    workflow_run: _Run


def say_what_changes(event: Path, forge: Forge, folder: Path) -> str:
    """Comment on the pull request whose workflow run ended, or renew the comment.

    Args:
        event: The `workflow_run` event, in the file that GITHUB_EVENT_PATH names.
        forge: The repository on GitHub.
        folder: An empty folder for what is downloaded.

    Returns:
        What was done, in a sentence.

    Raises:
        InputError: It is no such event, or the artifact holds no proposal.
        CheckFailed: The artifact is too large.
        EnvironmentLack: GitHub cannot be reached.
    """
    run = _read_event(event)
    if run.event != "pull_request" or run.path.partition("@")[0] != WORKFLOW:
        return "Nothing to say: the workflow run is of no pull request."
    found = [one for one in forge.artifacts(run.id) if one.name == ARTIFACT and not one.expired]
    if not found:
        return "Nothing to say: the workflow run left no proposal."
    proposal = _read(_downloaded(forge, max(found, key=lambda one: one.id), folder))
    if proposal.head != run.head_sha:
        raise InputError(f"the proposal is of {proposal.head}, and the workflow run of {run.head_sha}.")
    try:
        newest = forge.pull_head(proposal.number)
    except InputError:
        return f"Nothing to say: pull request {proposal.number} is not open."
    if newest != run.head_sha:
        return f"Nothing to say: pull request {proposal.number} brings another commit by now."
    forge.say(proposal.number, _MARK, comment(proposal))
    return f"Said below pull request {proposal.number}."


def _read_event(path: Path) -> _Run:
    try:
        return _Event.model_validate(json.loads(read_file(path))).workflow_run
    except (ValueError, RecursionError):
        raise InputError("is no event of a workflow run.", place=Place(path)) from None


def _downloaded(forge: Forge, artifact: Artifact, folder: Path) -> Path:
    if artifact.size > MOST_BYTES:
        raise CheckFailed(f"the artifact {ARTIFACT} has {artifact.size:,} bytes; it has {MOST_BYTES:,} at most.")
    target = folder / "proposal.zip"
    forge.download(artifact, target, most_bytes=MOST_BYTES)
    return target


def _read(archive: Path) -> Proposal:
    """Read the one file of an archive, whatever else it was made to be.

    Raises:
        InputError: It holds something else.
    """
    try:
        with zipfile.ZipFile(archive) as held:
            members = held.infolist()
            if [member.filename for member in members] != [MEMBER]:
                raise InputError(f"the artifact {ARTIFACT} holds something else than {MEMBER}.")
            if members[0].compress_type not in _BOUNDED:
                raise InputError(f"{MEMBER} is packed in a way that artifacts are not.")
            with held.open(members[0]) as reading:
                data = reading.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error):
        raise InputError(f"the artifact {ARTIFACT} is no archive that could be read.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{MEMBER} has more than {MOST_BYTES:,} bytes.")
    try:
        return Proposal.model_validate_json(data)
    except ValidationError:
        # What it says instead is not repeated: it may be anything.
        raise InputError(f"{MEMBER} is no proposal.") from None
