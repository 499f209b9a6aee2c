"""The root folder of an image, as one tar archive that is the same to the byte each time: mmdebstrap makes it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from argusic.errors import EnvironmentLack
from argusic.sandbox.environment import keystore
from argusic.sandbox.environment.planning import Plan
from argusic.sandbox.environment.programs import Say, need, run, sealed
from argusic.sandbox.environment.steps import BEFORE, FINISH, LEFT_OUT

_SECONDS = 3000.0
_STOP_SECONDS = 60.0
_BLOCK = 1 << 20
#: How often progress is told while packages are installed, in seconds.
_TELL_EVERY = 30.0
_STEP = re.compile(r"I: (.*?)\.*$")
#: Steps that tell nobody anything.
_UNTOLD = ("chroot architecture", "finding correct", "using ", "running ", "skipping ", "removing tempdir", "done")


class Archive(NamedTuple):
    """A written archive."""

    sha256: str
    size: int


def write_root(
    plan: Plan, repository: Path, archives: list[Path], work: Path, target: BinaryIO, log: Path, say: Say
) -> Archive:
    """Write the root folder of a plan's image to `target` as a tar archive.

    Args:
        plan: What it is made from.
        repository: The repository of its packages.
        archives: Archives to be unpacked in `/usr/local`.
        work: A folder for what is needed beside, which everyone may enter.
        target: Where the archive is written.
        log: The file that everything mmdebstrap says goes to.
        say: Is told of progress.

    Raises:
        EnvironmentLack: mmdebstrap is not here, failed, or did not end in time.
    """
    for name, text in (("before", BEFORE), ("finish", FINISH)):
        (work / name).write_text(text, encoding="utf-8")
        (work / name).chmod(0o755)
    shutil.copyfile(keystore.__file__, work / "keystore.py")
    argv = [need("mmdebstrap"), "--variant=apt"]
    if os.geteuid() == 0:
        # Mounts of its own: whatever becomes of it, nothing of this machine is ever reached below `work`.
        argv = [need("unshare"), "--mount", "--propagation=private", *argv, "--mode=root"]
    else:
        argv.append("--mode=unshare")
    argv += [
        "--format=tar",
        "--skip=cleanup/apt,chroot/policy-rc.d",
        f"--architectures={plan.architecture}",
        f"--include={','.join(plan.asked)}",
    ]
    argv += [f"--dpkgopt={option}" for option in LEFT_OUT]
    argv.append(f"--essential-hook={work / 'before'}")
    argv += [f"--customize-hook=tar-in {shlex.quote(str(archive))} /usr/local" for archive in archives]
    argv += [f"--customize-hook={work / 'finish'}", plan.suite, "-", f"deb [trusted=yes] copy:{repository} ./"]
    environment = sealed({"SOURCE_DATE_EPOCH": str(plan.time), "TMPDIR": str(work), "DPKG_FORCE": "unsafe-io"})
    began = time.monotonic()
    with subprocess.Popen(
        argv,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        listener = threading.Thread(target=_listen, args=(process.stderr, log, say), daemon=True)
        listener.start()
        overdue = threading.Timer(_SECONDS, process.terminate)
        overdue.start()
        try:
            archive = _copy(process.stdout, target)
            status = process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            overdue.cancel()
        listener.join()
    if status and time.monotonic() - began >= _SECONDS:
        raise EnvironmentLack(f"mmdebstrap did not end within {_SECONDS:g} s.")
    if status:
        raise EnvironmentLack(f"mmdebstrap failed: {_reason(log)}", advice=f"All that it said is in {log}.")
    return archive


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End mmdebstrap, and give it time to remove what it made."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _copy(source: IO[bytes], target: BinaryIO) -> Archive:
    digest, size = hashlib.sha256(), 0
    while block := source.read(_BLOCK):
        digest.update(block)
        target.write(block)
        size += len(block)
    return Archive(digest.hexdigest(), size)


def _listen(stream: IO[bytes], log: Path, say: Say) -> None:
    """Keep what mmdebstrap says, and tell its steps; it is silent for minutes while packages are installed."""
    ended, began = threading.Event(), time.monotonic()

    def tick() -> None:
        while not ended.wait(_TELL_EVERY):
            say(f"still at it after {time.monotonic() - began:.0f} s")

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    with log.open("wb") as kept:
        for raw in stream:
            kept.write(raw)
            kept.flush()
            step = _STEP.match(raw.decode("utf-8", "replace").rstrip())
            if step and not step[1].startswith(_UNTOLD):
                say(step[1])
    ended.set()
    clock.join()


def _reason(log: Path) -> str:
    """Return the line of a log that says why: the first error of dpkg's, else the first of any."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for begins in ("dpkg: error", "Errors were encountered", "E: "):
        for line in lines:
            if line.strip().startswith(begins):
                return line.strip()[:300]
    return lines[-1].strip() if lines else "it said nothing"


def program_version() -> str:
    """Return the program and its version, as the record of an image states it."""
    return run(["mmdebstrap", "--version"], seconds=60).strip()
