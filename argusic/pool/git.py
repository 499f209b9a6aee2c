"""Git, called on repositories that nobody vouches for: no hook, filter, credential, prompt or submodule is reached.

Every call runs under a configuration of our own in a home of its own, so that neither this user's settings nor
a hostile repository's can make git run anything, and each call has a time limit and a limit on the files it writes.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from argusic.errors import EnvironmentLack
from argusic.pool.git_settings import CONFIGURATION, HARMLESS, INHERITED, PROXIES

#: What git says, of its own and not of a server's, where there is no room; and the bytes below which there is none.
_NO_ROOM = re.compile(rb"^(?!remote:).*(No space left on device|Disk quota exceeded)\s*$", re.MULTILINE)
_ROOM = 100_000


class GitFailed(Exception):
    """Git ended with another status than 0. `said` is the last of what it said."""

    def __init__(self, arguments: tuple[str, ...], status: int, said: str) -> None:
        super().__init__(f"git {arguments[0]}: {said or f'status {status}'}")
        self.status = status
        self.said = said


class GitTookTooLong(GitFailed):
    """Git was ended at its time limit."""


class Bounds(NamedTuple):
    """What one call of git may take."""

    seconds: float = 600
    """Time on the wall clock."""
    file_bytes: int = 2_000_000_000
    """Size of any file it writes."""


ORDINARY = Bounds()


class Git:
    """Git under our own configuration. Made by `hardened`."""

    def __init__(self, home: Path, *, protocols: str, bounds: Bounds, inherits: Collection[str] = INHERITED) -> None:
        self._home = home
        self._protocols = protocols
        self._inherits = inherits
        self._bounds = bounds

    def run(
        self, *arguments: str, folder: Path, stdin: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> bytes:
        """Run git in `folder` and return what it printed.

        Raises:
            GitFailed: It ended with another status than 0.
            GitTookTooLong: It was ended at its time limit.
            OSError: There is no room for what it writes.
        """
        process = self._start(arguments, folder, environment)
        try:
            output, errors = process.communicate(stdin, timeout=self._bounds.seconds)
        except subprocess.TimeoutExpired:
            raise GitTookTooLong(arguments, -1, f"no end within {self._bounds.seconds:g} seconds") from None
        finally:
            _end(process)
        _check(arguments, process.returncode, errors, folder)
        return output

    def answers(self, *arguments: str, folder: Path) -> bool:
        """Return git's answer to a question: status 0 is yes, 1 is no. Raises as `run` does for others."""
        try:
            self.run(*arguments, folder=folder)
        except GitFailed as failed:
            if failed.status != 1:
                raise
            return False
        return True

    def feed(self, *arguments: str, folder: Path, stdin: Iterable[bytes]) -> None:
        """Run git in `folder` on a stream of input, piece by piece. Raises as `run` does."""
        process = self._start(arguments, folder, None)
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):
                for piece in stdin:
                    process.stdin.write(piece)
            _, errors = process.communicate(timeout=self._bounds.seconds)
        except subprocess.TimeoutExpired:
            raise GitTookTooLong(arguments, -1, f"no end within {self._bounds.seconds:g} seconds") from None
        finally:
            _end(process)
        _check(arguments, process.returncode, errors, folder)

    @contextmanager
    def lines(self, *arguments: str, folder: Path, end: bytes = b"\0") -> Iterator[Iterator[bytes]]:
        """Run git in `folder` and give what it prints piece by piece; leaving early ends it."""
        process = self._start(arguments, folder, None)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            yield _split(process.stdout, end)
        finally:
            _end(process)

    def _start(
        self, arguments: tuple[str, ...], folder: Path, environment: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        inherited = {name: os.environ[name] for name in self._inherits if name in os.environ}
        try:
            process = subprocess.Popen(
                ["git", *arguments],
                cwd=folder,
                env={
                    **inherited,
                    "HOME": str(self._home),
                    "LC_ALL": "C",
                    "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_CONFIG_GLOBAL": str(self._home / "gitconfig"),
                    "GIT_ATTR_NOSYSTEM": "1",
                    "GIT_TERMINAL_PROMPT": "0",
                    "GIT_ASKPASS": "false",
                    "GIT_NO_LAZY_FETCH": "1",
                    "GIT_NO_REPLACE_OBJECTS": "1",
                    "GIT_OPTIONAL_LOCKS": "0",
                    "GIT_ALLOW_PROTOCOL": self._protocols,
                    "GIT_CEILING_DIRECTORIES": str(folder.parent),
                    **(environment or {}),
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                umask=0o022,  # What is handed in has the same modes for every user of this program.
            )
        except FileNotFoundError:
            raise EnvironmentLack("This machine has no git.", advice="Install it: apt-get install git") from None
        most = self._bounds.file_bytes
        _, allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
        if allowed != resource.RLIM_INFINITY:  # Nobody may raise what the user's own shell allows.
            most = min(most, allowed)
        with suppress(ProcessLookupError):  # It may have ended already.
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
        return process


@contextmanager
def hardened(*, local: Path | None = None, proxy: str | None = None, bounds: Bounds = ORDINARY) -> Iterator[Git]:
    """Give a git that can be let loose on a hostile repository.

    Args:
        local: A repository on this machine that may be fetched from, and then nothing else may. Without one,
            nothing on this machine can be fetched from.
        proxy: The one proxy that everything is fetched through, from the web alone; in the place of this user's.
        bounds: What each call may take.
    """
    with tempfile.TemporaryDirectory(prefix="argusic-git-") as name:
        home = Path(name)
        text = CONFIGURATION + "".join(
            f"[{section}]\n" + "".join(f"\t{fault} = ignore\n" for fault in HARMLESS)
            for section in ("fsck", 'fetch "fsck"')
        )
        if local is not None:
            for trusted in (local, local / ".git"):
                text += f"[safe]\n\tdirectory = {_quoted(str(trusted))}\n"
        if proxy is not None:
            text += f"[http]\n\tproxy = {_quoted(proxy)}\n"
        (home / "gitconfig").write_text(text, encoding="utf-8", errors="surrogateescape")
        protocols = "https:http" if proxy is not None else "https:http:ssh:git" if local is None else "file"
        inherits = [name for name in INHERITED if proxy is None or name not in PROXIES]
        yield Git(home, protocols=protocols, bounds=bounds, inherits=inherits)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _check(arguments: tuple[str, ...], status: int, errors: bytes, folder: Path) -> None:
    """Raise where git failed: an `OSError` where it had no room, which is no fault of what it was to work on."""
    if status != 0:
        if _NO_ROOM.search(errors) or shutil.disk_usage(folder).free < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        said = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
        raise GitFailed(arguments, status, " ".join(said[-3:])[-600:])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill git and its helpers where it has not ended, and let go of its pipes."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _split(stream: IO[bytes], end: bytes) -> Iterator[bytes]:
    rest = b""
    while piece := stream.read(65536):
        *whole, rest = (rest + piece).split(end)
        yield from whole
    if rest:
        yield rest
