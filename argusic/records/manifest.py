"""The manifest of a run's evidence: every file's fingerprint, and the conditions the run was measured under."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from argusic.records.base import AgeRecipient, CommitId, EditionId, Items, Part, Record, RunId, Sha256, Slug, Text

#: What an evidence file is.
FileRole = Literal["run", "recording", "log", "commands", "report", "trajectory", "exchanges", "environment", "video"]


class EvidenceFile(Part):
    """One file of evidence."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """Its file name."""
    role: FileRole
    """What it is."""
    media_type: Text
    """Its media type."""
    size: Annotated[int, Field(ge=0)]
    """Its size in bytes."""
    sha256: Sha256
    """Its digest."""
    place: Literal["run", "store"]
    """Where it lies: in the run's own folder, or in the evidence store under its digest."""


class SealedFile(Part):
    """One raw file that is kept encrypted in the evidence store."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """The name of the served file whose raw content it is."""
    role: FileRole
    """What it is."""
    media_type: Text
    """The media type of what is inside."""
    size: Annotated[int, Field(ge=0)]
    """The size of what is inside, in bytes."""
    sha256: Sha256
    """The digest of what is inside: who opens it can tell that it is the file that was recorded."""
    sealed_size: Annotated[int, Field(ge=0)]
    """The size of the encrypted file."""
    sealed_sha256: Sha256
    """The digest of the encrypted file, under which the evidence store has it."""
    recipients: Annotated[Items[AgeRecipient], Field(min_length=2)]
    """The public keys that it was encrypted to; any one of their private keys opens it."""


class Coverage(Part):
    """How much of the agent's phase the recording covers. Completeness is coverage, not presence."""

    agent_seconds: Annotated[float, Field(ge=0)]
    """Length of the agent's phase."""
    recorded_seconds: Annotated[float, Field(ge=0)]
    """Time of the recording's last event."""
    events: Annotated[int, Field(ge=0)]
    """Events in the recording."""
    commands: Annotated[int, Field(ge=0)]
    """Commands in the command table."""
    commands_seen: Annotated[int, Field(ge=0)]
    """Commands of the table whose marker is in the recording, at the place that the table names."""
    end_marked: bool
    """Whether the recording carries the mark of its regular end."""
    complete: bool
    """Whether the recording proves the whole attempt, by `argusic.evidence.coverage`."""
    lacks: Items[Text] = ()
    """What is missing, where anything is."""
    inner: Annotated[int, Field(ge=0)] | None = None
    """Commands that the agent's own program ran, as the table lists them; absent where there is no such program."""
    inner_seen: Literal["observed", "self_reported"] | None = None
    """Who saw those: the host from outside, or a shell inside, which proves less."""


class DisplayFacts(Part):
    """The display of an attempt on a desktop application. It runs in a sandbox of its own."""

    server: Text
    """The X server and its version."""
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]
    """Its size in dots."""


class GpuFacts(Part):
    """One GPU that a sandbox was given."""

    name: Text
    """What its maker calls it."""
    memory_mb: Annotated[int, Field(ge=0)]
    """Its memory in MB of 1,048,576 bytes, as its driver counts."""
    driver: Text
    """The version of its driver."""


class SandboxFacts(Part):
    """The sandbox as it really was, with what it could not offer."""

    kind: Literal["bubblewrap", "docker"]
    """Which implementation."""
    version: Text
    """The version of the program behind it."""
    image: Text | None = None
    """The image by digest, where there is one."""
    host_user: Literal["root", "ordinary"]
    """Whether Argusic ran as root."""
    memory_mb: Annotated[int, Field(gt=0)]
    cpus: Annotated[float, Field(gt=0)]
    processes: Annotated[int, Field(gt=0)]
    disk_mb: Annotated[int, Field(gt=0)]
    limits_by: Literal["cgroup-v1", "cgroup-v2", "container", "watchdog"]
    """What holds memory, CPU and processes. `watchdog` looks from outside and is weaker."""
    disk_by: Literal["quota", "watchdog"]
    """What holds the disk limit."""
    network: Literal["none", "http_proxy", "bridge"]
    """How the outside is reached."""
    lacks: Items[Text] = ()
    """What it could not offer, such as raw TCP."""
    display: DisplayFacts | None = None
    """The display beside it; absent where the subject is no desktop application."""
    gpus: Annotated[Items[GpuFacts], Field(min_length=1)] | None = None
    """The GPUs that it was given; absent where it was given none."""


class VideoFacts(Part):
    """How much of the agent's phase the video of the display covers. The video itself is sealed."""

    began: Annotated[float, Field(ge=0)]
    """The second of the recording at which its first picture was taken: from there on both go at the same pace."""
    seconds: Annotated[float, Field(ge=0)]
    """How long it is."""
    per_second: Annotated[int, Field(gt=0)]
    """Pictures a second."""
    pictures: Annotated[int, Field(ge=0)]
    """How many pictures it has."""
    repeated: Annotated[int, Field(ge=0)] = 0
    """How many of them stand for one that could not be taken in time, and repeat the one before."""
    complete: bool
    """Whether it covers the agent's whole phase."""
    lacks: Items[Text] = ()
    """What is missing, where anything is."""


class EnvironmentFacts(Part):
    """The machine inside, as an agent meets it."""

    os: Text
    """Name and version of the system."""
    kernel: Text
    """Kernel release."""
    machine: Text
    """Processor architecture."""
    tools: dict[str, str]
    """Versions of the interpreters and build tools found, by name."""
    digest: Sha256
    """Digest of the fields above: two runs with the same digest had the same environment."""


class ArgusicFacts(Part):
    """The program that measured."""

    version: Text
    """Its version."""
    commit: CommitId | None
    """Its commit, where it ran from a checkout."""
    dirty: bool
    """Whether that checkout had uncommitted changes, or was none."""


class Fingerprinted(Part):
    """A rule file by id and digest."""

    id: Text
    """Its id."""
    sha256: Sha256
    """The digest of the file."""


class EditionUsed(Part):
    """The edition by id and digest."""

    id: EditionId
    """Its id."""
    sha256: Sha256
    """The digest of its file."""


class Transform(Part):
    """What was changed in the served copy of one file."""

    file: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """The file's name."""
    what: Literal["live_credential", "secret_shape", "generated_key", "banner"]
    """The run's own credential; a secret by its shape; the body of a private key that the project generated; or the
    start-up banner of an agent's program, for neutral branding."""
    rule: Text
    """The credential's name, or the rule that found it."""
    count: Annotated[int, Field(ge=1)]
    """How often."""


class Redaction(Part):
    """How the served copies came about. The raw files were never changed."""

    rules_sha256: Sha256
    """The digest of the rules of redaction."""
    transforms: Items[Transform] = ()
    """What was changed, by file; nothing where every file is served as it was recorded."""
    withheld: Text | None = None
    """Why recording, log and all else of the run are not served, where they are not."""


class Manifest(Record):
    """Everything a stranger needs to check the run's files and to know its conditions."""

    run: RunId
    """The run."""
    cycle: Slug
    """Its cycle."""
    edition: EditionUsed
    """The rules."""
    instructions: Fingerprinted
    """The standard instructions that the agent was given."""
    agent: Fingerprinted
    """The agent's record."""
    sandbox: SandboxFacts | None = None
    """The sandbox; absent for an attempt that ended before one stood."""
    environment: EnvironmentFacts | None = None
    """What was inside; absent likewise."""
    key: Literal["none", "per_run", "shared"]
    """How the agent reached its model."""
    argusic: ArgusicFacts
    """The program."""
    coverage: Coverage
    """How complete the recording is."""
    files: Items[EvidenceFile]
    """Every file, sorted by name."""
    redaction: Redaction | None = None
    """How the served copies came about; absent for an attempt that left nothing to serve."""
    sealed: Items[SealedFile] | None = None
    """The raw files that are kept encrypted, sorted by name; absent where none needed it."""
    video: VideoFacts | None = None
    """What the video of the display covers; absent where there was no display."""
