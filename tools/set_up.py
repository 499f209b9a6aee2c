"""Make `.venv` agree with `requirements.lock`: nothing to do in a moment where it already does.

Standard library alone, because it runs before anything is installed. Safe to interrupt and to run twice at once.

ARGUSIC_VENV may name the `.venv` of another checkout that was made from the same lock: then nothing is installed a
second time. Its packages are used where they lie, and `argusic` is this checkout's own all the same. A machine that
makes many checkouts keeps one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ENVIRONMENT = TOP / ".venv"
LOCK = TOP / "requirements.lock"
PYTHON = ENVIRONMENT / "bin" / "python"
#: Says for what the environment was made. Gone while it is being changed.
READY = ENVIRONMENT / "argusic-ready"
#: There while the environment is being changed: an interrupted change is started afresh, never trusted.
CHANGING = ENVIRONMENT / "argusic-changing"
#: What starts the program in an environment whose packages are lent.
PROGRAM = """#!{python}
import sys
from argusic.cli.start import run
sys.exit(run())
"""


class SetUpFailed(Exception):
    """What went wrong, in words for the user."""


def wanted_state(place: Path = TOP) -> str:
    """Return what the environment of a checkout must have been made for: lock, project, place and Python."""
    digest = hashlib.sha256()
    for file in (LOCK, TOP / "pyproject.toml", Path(__file__)):
        digest.update(file.read_bytes())
    python = ".".join(map(str, sys.version_info[:2]))
    return f"python {python}\nplace {place}\nsha256 {digest.hexdigest()}\n"


def is_ready(state: str) -> bool:
    """Return whether the environment is the wanted one and its Python still starts."""
    try:
        if READY.read_text(encoding="utf-8") != state:
            return False
    except OSError:
        return False
    return subprocess.run([PYTHON, "-c", ""], capture_output=True).returncode == 0


def has_pip() -> bool:
    """Return whether an environment is there that can be changed."""
    version = f"import pip, sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    return PYTHON.exists() and subprocess.run([PYTHON, "-I", "-c", version], capture_output=True).returncode == 0


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Hold the lock under which the environment is changed. A killed holder lets go of it by dying."""
    folder = TOP / ".argusic"
    folder.mkdir(exist_ok=True)
    with (folder / "set-up.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is running here: waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Tell the user what happens, apart from what commands print as their result."""
    print(text, file=sys.stderr, flush=True)


def pip(*arguments: str, expected: int = 0) -> None:
    """Run the environment's pip under the user's own index configuration, showing only how far it is.

    Raises:
        SetUpFailed: It failed; with the last lines that it printed.
    """
    command = [str(PYTHON), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check",
               "--progress-bar", "off", "--no-warn-script-location", *arguments]  # fmt: skip
    lines: list[str] = []
    count = 0
    moving = sys.stderr.isatty()
    with subprocess.Popen(
        command, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            found = re.match(r"(?:Collecting|Requirement already satisfied:) *([A-Za-z0-9._-]+)", line)
            if moving and found and expected:
                count += 1
                print(f"\r\x1b[K  {min(count, expected)}/{expected} {found[1]}", end="", file=sys.stderr, flush=True)
            elif moving and line.startswith("Installing collected"):
                print("\r\x1b[K  unpacking", end="", file=sys.stderr, flush=True)
    if moving:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if process.returncode:
        raise SetUpFailed("pip could not install the locked packages:\n" + "".join(lines[-15:]).rstrip())


def lender() -> Path | None:
    """Return the environment that is lent, where one is and was made for the same lock, project and Python."""
    named = os.environ.get("ARGUSIC_VENV")
    if not named:
        return None
    lent = Path(named).absolute()
    try:
        if (lent / READY.name).read_text(encoding="utf-8") == wanted_state(lent.parent):
            return lent
    except OSError:
        pass
    say(f"{lent}, which ARGUSIC_VENV names, was not made from this requirements.lock: packages are installed here.")
    return None


def borrow(lent: Path, state: str) -> None:
    """Make an environment that has a lender's packages, and this checkout's own program."""
    venv.create(ENVIRONMENT, clear=True, with_pip=False, symlinks=True)
    packages = Path("lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
    # This checkout comes first: the lender's own program is among what it lends.
    (ENVIRONMENT / packages / "argusic.pth").write_text(f"{TOP}\n{lent / packages}\n", encoding="utf-8")
    for script in (lent / "bin").iterdir():
        here = ENVIRONMENT / "bin" / script.name
        if script.name != "argusic" and not os.path.lexists(here):
            here.symlink_to(script)
    program = ENVIRONMENT / "bin" / "argusic"
    program.write_text(PROGRAM.format(python=PYTHON), encoding="utf-8")
    program.chmod(0o755)
    READY.write_text(state, encoding="utf-8")


def change(state: str) -> None:
    """Bring the environment to `state`."""
    started = time.monotonic()
    packages = len(re.findall(r"(?m)^[a-z0-9]", LOCK.read_text(encoding="utf-8")))
    say(f"Setting up .venv with {packages} locked packages.")
    if CHANGING.exists() or not has_pip():
        venv.create(ENVIRONMENT, clear=True, with_pip=True, symlinks=True)
    CHANGING.touch()
    READY.unlink(missing_ok=True)
    pip("--require-hashes", "--requirement", str(LOCK), expected=packages)
    pip("--no-deps", "--no-build-isolation", "--editable", ".")
    CHANGING.unlink()
    READY.write_text(state, encoding="utf-8")
    say(f"Ready in {time.monotonic() - started:.0f} s.")


def main() -> int:
    """Set up, and return the exit status: 3 where this machine cannot."""
    state = wanted_state()
    try:
        if is_ready(state):
            return 0
        with alone():
            if not is_ready(state):
                lent = lender()
                if lent is None:
                    change(state)
                else:
                    borrow(lent, state)
    except SetUpFailed as failure:
        say(f"argusic: {failure}")
        return 3
    except OSError as error:
        say(f"argusic: .venv cannot be made here: {error}")
        return 3
    except subprocess.CalledProcessError as error:
        say(f"argusic: {sys.executable} could not make .venv: {error}")
        return 3
    except KeyboardInterrupt:
        say("argusic: interrupted; the next run starts the set-up afresh.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
