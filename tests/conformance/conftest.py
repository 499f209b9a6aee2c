"""The conformance suite of sandboxes: every provider that works on this machine has to pass every test."""

from __future__ import annotations

import os
import random
import select
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from argusic.sandbox.docker import Docker
from argusic.sandbox.protocol import Limits, Provider, Sandbox, SandboxSpec, TerminalProcess
from argusic.sandbox.registry import provider, providers
from tests.docker_image import an_image

#: How long whatever was killed may take to be gone.
DEATH_SECONDS = 5.0


#: Every provider; what needs more of the machine than the bundled one says so.
PROVIDERS = [pytest.param(name, marks=pytest.mark.docker if name == "docker" else ()) for name in sorted(providers())]


@pytest.fixture(scope="module", params=PROVIDERS)
def a_provider(request: pytest.FixtureRequest) -> Provider:
    name: str = request.param
    return Docker([an_image()]) if name == "docker" else provider(name)


@pytest.fixture
def fresh_name() -> Callable[[], str]:
    return lambda: f"20261130T014500Z-{''.join(random.choices('abcdefghijklmnopqrstuvwxyz234567', k=6))}"


@pytest.fixture
def start(a_provider: Provider, tmp_path: Path, fresh_name: Callable[[], str]) -> Iterator[Callable[..., Sandbox]]:
    started: list[Sandbox] = []

    def begin(
        limits: Limits = Limits(), network: bool = True, name: str | None = None, service: Path | None = None
    ) -> Sandbox:
        name = name or fresh_name()
        (tmp_path / name).mkdir()
        started.append(a_provider.start(SandboxSpec(name, tmp_path / name, limits, network, service=service)))
        return started[-1]

    yield begin
    for sandbox in started:
        sandbox.destroy()


@pytest.fixture
def box(start: Callable[..., Sandbox]) -> Sandbox:
    return start()


@pytest.fixture
def marker() -> str:
    """Return a word that no other process has in its command line."""
    return f"marker{random.getrandbits(64):x}"


@pytest.fixture
def marked() -> Callable[[str], list[int]]:
    """Return a function that finds, on the host, the living processes with a word in their command line."""

    def find(word: str) -> list[int]:
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                with suppress(OSError):
                    if word.encode() in (folder / "cmdline").read_bytes():
                        found.append(int(folder.name))
        return found

    return find


@pytest.fixture
def gone_within(marked: Callable[[str], list[int]]) -> Callable[[str, float], bool]:
    """Return a function that tells whether no marked process is alive at some moment of the seconds given."""

    def wait(word: str, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while marked(word):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    return wait


@pytest.fixture
def read_to_end() -> Callable[[TerminalProcess, float], bytes]:
    """Return a function that reads a terminal until its command has ended and nothing is left to read."""

    def read(process: TerminalProcess, seconds: float) -> bytes:
        parts: list[bytes] = []
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            ended = process.poll() is not None
            ready, _, _ = select.select([process.fileno()], [], [], 0 if ended else 0.05)
            if not ready and ended:
                break
            if ready:
                try:
                    part = os.read(process.fileno(), 1 << 20)
                except OSError:
                    break
                parts.append(part)
        return b"".join(parts)

    return read


#: A tree of processes that does everything to outlive its parent; its argument marks each of them.
STUBBORN_TREE = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
os.fork()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.fork()
        time.sleep(600)
    os._exit(0)
os.setsid() if os.getpid() != os.getsid(0) else None
if os.fork():
    os._exit(0)
os.execvp("bash", ["bash", "-c", "trap '' TERM HUP; sleep 600 & while :; do sleep 600; done", sys.argv[1]])
"""


@pytest.fixture
def stubborn_tree() -> str:
    """Return a program for Python inside; its argument marks the tree that it becomes."""
    return STUBBORN_TREE


@pytest.fixture
def plant_tree(marked: Callable[[str], list[int]]) -> Callable[[Sandbox, str], None]:
    """Return a function that starts the stubborn tree inside, and waits until it stands."""

    def plant(sandbox: Sandbox, word: str) -> None:
        sandbox.run(["python3", "-c", STUBBORN_TREE, word], timeout=10)
        deadline = time.monotonic() + DEATH_SECONDS
        while len(marked(word)) < 4:
            assert time.monotonic() < deadline, "the tree does not grow"
            time.sleep(0.02)

    return plant
