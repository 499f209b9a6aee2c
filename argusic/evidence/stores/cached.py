"""A store elsewhere behind the folder on this machine: what is put lies here first, what is asked for is brought here.

The folder is the only thing that anybody reads from. What arrives is proven by its digest before it gets a name here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from pathlib import Path
from threading import Lock

from argusic.errors import CheckFailed, EnvironmentLack
from argusic.evidence.fingerprint import Fingerprint
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.elsewhere import Elsewhere


class CachedStore:
    """A store elsewhere, and the folder here.

    Args:
        here: The folder.
        reach: Gives the place where files are brought from. It is asked when there is something to bring, so that
            whoever only puts files needs neither the library for it nor time to load that.
        offline: Whether nothing is to be brought.
    """

    def __init__(self, here: FolderStore, reach: Callable[[], Elsewhere], *, offline: bool = False) -> None:
        self.here = here
        self._reach = reach
        self._offline = offline
        self._lack: EnvironmentLack | None = None

    @cached_property
    def elsewhere(self) -> Elsewhere:
        """The place elsewhere."""
        return self._reach()

    @property
    def absent(self) -> str:
        """What is said of a file that is not to be had."""
        if self._offline:
            return "it is not on this machine, and nothing is fetched (--offline)"
        return f"it is missing in the evidence store, here and in {self.elsewhere.name}"

    def put(self, source: Path) -> Fingerprint:
        """Keep a copy of a file here. `argusic evidence collect` sends it."""
        return self.here.put(source)

    def path(self, sha256: str) -> Path:
        """Return where the file with this digest lies here, or would lie."""
        return self.here.path(sha256)

    def bring(self, wanted: Collection[str], progress: Callable[[int, int], None] = lambda done, of: None) -> None:
        """Bring those files here that are not here and can be had.

        Raises:
            CheckFailed: What the store elsewhere has under a digest is something else. All others were brought.
            EnvironmentLack: The store cannot be reached. After that it is not asked again.
        """
        missing = [sha256 for sha256 in dict.fromkeys(wanted) if not self.here.path(sha256).exists()]
        if self._offline or not missing:
            return
        if self._lack is not None:
            raise self._lack
        done = 0
        wrong: list[str] = []
        lock = Lock()  # A store may hand over several at a time.

        def keep(sha256: str, content: Iterable[bytes]) -> None:
            nonlocal done
            try:
                self.here.keep(content, expected=sha256)
            except CheckFailed as error:
                wrong.append(error.what)
                return
            with lock:
                done += 1
                progress(done, len(missing))

        progress(0, len(missing))
        try:
            self.elsewhere.fetch(missing, keep)
        except EnvironmentLack as lack:
            self._lack = lack
            raise
        if wrong:
            more = f" ({len(wrong)} such files)" if len(wrong) > 1 else ""
            raise CheckFailed(f"{self.elsewhere.name}: {wrong[0]}{more}")

    def check(self, sha256: str) -> Path:
        """Return the path of a file after bringing it here, if need be, and reading it whole.

        Raises:
            CheckFailed: It is nowhere, or its content has another digest.
            EnvironmentLack: It is not here, and the store cannot be reached.
        """
        self.bring([sha256])
        return self.here.check(sha256)

    def read(self, sha256: str) -> bytes:
        """Return the content of a file. Raises what `check` raises."""
        self.bring([sha256])
        return self.here.read(sha256)
