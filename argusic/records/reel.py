"""The edit list of a reel: everything that was done to a recording so that it can be watched in a minute.

It lies beside the reel, not in the database. What it may not say at all is refused here; whether it is lawful for the
recording it names is asked in `argusic.evidence.reel.lawful`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from argusic.records.base import Items, Part, Record, RunId, Sha256, Text

#: The longest that a reel may be, in seconds.
LONGEST: Final = 600.0

#: A time in seconds of the recording.
RecordedSecond = Annotated[float, Field(ge=0, le=1e7)]
#: What a viewer is told in the picture, in one line.
Line = Annotated[Text, Field(max_length=400, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Trim(Part):
    """A stretch between commands of which only the outcome is shown: all of its output at one instant."""

    starts: RecordedSecond
    """Where it begins: not before the end of the command before it."""
    ends: RecordedSecond
    """Where it ends: not behind the start of the command behind it."""
    says: Line
    """The mark in the picture, which says what is left out."""


class Caption(Part):
    """What is said of one command in the picture."""

    command: Annotated[int, Field(ge=1)]
    """The command's number."""
    kind: Literal["failed", "again", "reported"]
    """It failed, by the command table; it is a failed one run again, which now succeeds, by the table; or what the
    agent's report says of an error that was met there, in the report's own words."""
    of: Annotated[int, Field(ge=1)] | None = None
    """For `again` the number of the command that had failed; for `reported` the number of the error in the report."""
    says: Line
    """The words."""


class ReelProgram(Part):
    """What made the reel. Another version may draw the same recording otherwise."""

    argusic: Text
    """The version of Argusic."""
    agg: Text
    """The version of agg, which renders terminals."""
    font_sha256: Sha256
    """The digest of the typeface."""


class ReelFile(Part):
    """One file that was made, beside the list."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$")]
    """Its name."""
    kind: Literal["gif", "mp4", "card"]
    """The reel as a GIF or as an MP4, or the still card."""
    size: Annotated[int, Field(ge=1)]
    """Its size in bytes."""
    sha256: Sha256
    """Its digest."""


class EditList(Record):
    """The edits of one reel. None of them changes the order of anything, or what is shown."""

    run: RunId
    """The run."""
    recording: Sha256
    """The digest of its served recording."""
    commands: Sha256
    """The digest of its command table."""
    report: Sha256 | None = None
    """The digest of its report; absent where the run has none."""
    seconds: RecordedSecond
    """How long the recording is."""
    speed: Annotated[float, Field(ge=1, le=100)]
    """How many times faster it runs."""
    pause: Annotated[float, Field(ge=0.1, le=60)]
    """The longest time without output that is kept, in seconds of the recording; a longer one is cut to this and said
    so in the picture."""
    hold: Annotated[float, Field(ge=0.3, le=5)]
    """How long, in seconds of the reel, the picture stands still at each failure, success after one, and trim."""
    beat: Annotated[float, Field(ge=0, le=5)]
    """How long, in seconds of the reel, it stands still where any other command ends."""
    trims: Annotated[Items[Trim], Field(max_length=2500)] = ()
    """What is left out between commands, in order."""
    captions: Annotated[Items[Caption], Field(max_length=5000)] = ()
    """What is said of commands, in order."""
    reel_seconds: Annotated[float, Field(gt=0, le=LONGEST)]
    """How long the reel is, without its last picture's stay."""
    cast_sha256: Sha256
    """The digest of the recording with these edits made, which the pictures are rendered from."""
    program: ReelProgram
    """What made it."""
    files: Annotated[Items[ReelFile], Field(min_length=1, max_length=3)]
    """The files that were made."""
