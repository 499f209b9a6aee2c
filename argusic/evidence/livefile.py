"""A file that is written while something happens: nothing waits in this process, so a kill loses nothing written.

Its last piece may be written again (an unfinished line of the log, the row of a running command).
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self


class WriteFailed(OSError):
    """The disk is full or fails. What had been written stays."""


class LiveFile:
    """A new file, written without buffering.

    Args:
        path: Where. It must not exist.

    Raises:
        FileExistsError: It does.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor: int | None = os.open(path, flags, 0o644)
        self.size = 0

    def append(self, data: bytes) -> None:
        """Write `data` behind everything else.

        Raises:
            WriteFailed: The disk is full or fails.
        """
        self.write_tail(self.size, data)

    def write_tail(self, offset: int, data: bytes) -> None:
        """Make `data` everything from `offset` on.

        Raises:
            WriteFailed: The disk is full or fails. What lies before `offset` stays.
        """
        if self._descriptor is None:
            raise ValueError("the file is closed")
        end = offset + len(data)
        try:
            written = os.pwrite(self._descriptor, data, offset)
            while offset + written < end:
                written += os.pwrite(self._descriptor, data[written:], offset + written)
            if end < self.size:
                os.ftruncate(self._descriptor, end)
        except OSError as error:
            raise WriteFailed(error.errno, error.strerror) from error
        self.size = end

    def close(self) -> None:
        """Close. Safe to call twice. Whoever publishes the file sees to it that it is on the disk."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
