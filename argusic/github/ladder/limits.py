"""The most that one attempt job may hand over. What goes past it is refused before it is unpacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argusic.database.codec import MAX_BYTES
from argusic.database.paths import MOST_RUN_FILES
from argusic.evidence.stores.committed import MOST_BYTES as MOST_IN_GIT
from argusic.runs.cycle import MAX_INVALID
from argusic.runs.jobs.planning import most_attempts
from argusic.runs.keys.exchanges import MOST_BYTES as MOST_EXCHANGED

#: The most bytes of the list that each hand-over has of itself.
MOST_OF_A_LIST: Final = MAX_BYTES
#: A record's file, a file that git holds, and any other file.
MOST_OF_A_RECORD: Final = MAX_BYTES
MOST_OF_A_RUN_FILE: Final = MOST_IN_GIT
MOST_OF_A_FILE: Final = MOST_EXCHANGED
#: Files of one run that lie in the store: each role's, served and sealed.
_MOST_STORED: Final = 16
#: Bytes of all files of one run, and of everything that one job hands over.
_MOST_OF_A_RUN: Final = 1 << 30
MOST_OF_A_HAND_OVER: Final = 4 << 30
#: Bytes of all artifacts of a workflow run, and of what they unpack to: a runner's disk has 14 GB.
MOST_TOGETHER: Final = 4 << 30
#: Conditions that the runs of one job can name.
_MOST_CONDITIONS: Final = 4


@dataclass(frozen=True)
class Most:
    """The most that one job may hand over.

    Attributes:
        runs: Runs.
        files: Files, its own list included.
        size: Bytes of them, unpacked.
    """

    runs: int
    files: int
    size: int

    @classmethod
    def of(cls, attempts: int) -> Most:
        """Return it for a job that owes so many valid runs. Others may be invalid, also of a job that began twice."""
        runs = most_attempts(attempts) + MAX_INVALID
        files = runs * (MOST_RUN_FILES + _MOST_STORED) + _MOST_CONDITIONS + 1
        return cls(runs, files, min(runs * _MOST_OF_A_RUN, MOST_OF_A_HAND_OVER))
