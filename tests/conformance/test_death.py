"""After destroy, and after the death of whoever owned it, nothing of a sandbox lives or is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.sandbox.docker.engine import Engine, EngineError
from argusic.sandbox.protocol import Provider, Sandbox, SandboxGone, SandboxSpec
from tests.docker_image import an_image

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]
GoneWithin = Callable[[str, float], bool]
Plant = Callable[[Sandbox, str], None]
DEATH_SECONDS = 5.0

OWNER = """
import sys, time
from pathlib import Path
from argusic.sandbox.protocol import SandboxSpec
from argusic.sandbox.docker import Docker
from argusic.sandbox.registry import provider
provider_name, image, name, work, tree, marker = sys.argv[1:]
a_provider = Docker([image]) if provider_name == "docker" else provider(provider_name)
a_provider.lack()
print("begins", flush=True)
box = a_provider.start(SandboxSpec(name, Path(work)))
box.run(["sh", "-c", "echo x > /tmp/file; echo x > /dev/shm/file"])
box.run(["python3", "-c", tree, marker])
print("ready", flush=True)
time.sleep(600)
"""


def traces(name: str, work: Path) -> list[str]:
    """Return what is left of a sandbox on the host: processes, mounts, control groups, folders, containers."""
    found = [str(path) for path in (*work.iterdir(), *Path(tempfile.gettempdir()).glob(f"*{name}*"))]
    found += [str(path) for path in Path("/var/tmp").glob(f"*{name}*")]
    found += [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if name in line]
    for parent, folders, _ in os.walk("/sys/fs/cgroup"):
        found += [f"{parent}/{folder}" for folder in folders if name in folder]
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if f"argusic-sandbox:{name}".encode() in (folder / "cmdline").read_bytes():
                    found.append(str(folder))
            except OSError:
                continue
    return found + containers(name)


def containers(name: str) -> list[str]:
    """Return what an engine, where there is one, still keeps of a sandbox."""
    try:
        with Engine() as engine:
            return [*engine.containers(f"argusic.run={name}")]
    except EngineError:
        return []


@pytest.fixture(params=["reachable", "private"])
def work(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder for the sandbox, once where any user can get, once where only this user can."""
    if request.param == "private":
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="argusic-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_stubborn_tree_is_dead_after_destroy(
    box: Sandbox, marker: str, plant_tree: Plant, gone_within: GoneWithin
) -> None:
    plant_tree(box, marker)
    began = time.monotonic()
    box.destroy()
    assert gone_within(marker, DEATH_SECONDS - (time.monotonic() - began))


def test_the_stubborn_tree_lives_on_where_nothing_kills_it(
    box: Sandbox, marker: str, plant_tree: Plant, gone_within: GoneWithin
) -> None:
    """The test above would fail without the kill: this tree outlives terminate, hang-up and its own parents."""
    plant_tree(box, marker)
    assert not gone_within(marker, DEATH_SECONDS)


def test_a_stubborn_tree_on_a_terminal_is_dead_after_destroy(
    box: Sandbox, marker: str, marked: Callable[[str], list[int]], gone_within: GoneWithin
) -> None:
    process = box.spawn(["bash", "-c", "trap '' TERM HUP INT; setsid sleep 600 & while :; do sleep 600; done", marker])
    time.sleep(0.3)
    assert marked(marker)
    box.destroy()
    assert gone_within(marker, DEATH_SECONDS)
    assert process.wait(5) == 137
    process.close()


def test_destroy_leaves_nothing(
    a_provider: Provider, work: Path, fresh_name: Callable[[], str], marker: str, plant_tree: Plant
) -> None:
    name = fresh_name()
    box = a_provider.start(SandboxSpec(name, work))
    plant_tree(box, marker)
    deep = "import os\nfor n in range(1100):\n os.mkdir('deeper'); os.chdir('deeper')\nos.chmod('.', 0)"
    assert box.run(["python3", "-c", deep]).exit_status == 0
    box.run(
        ["sh", "-c", "mkdir -p a/b; ln -s / a/rest; mkfifo a/fifo; chmod 0 a/b a; echo x > /tmp/x; echo x > /etc/x"]
    )
    assert traces(name, work) != []
    box.destroy()
    assert traces(name, work) == []
    box.destroy()


def own_resources() -> tuple[int, int]:
    """Return how many descriptors and threads this process has."""
    return len(list(Path("/proc/self/fd").iterdir())), len(list(Path("/proc/self/task").iterdir()))


def test_destroy_leaves_no_thread_and_no_descriptor_here(start: Start) -> None:
    start().destroy()
    before = own_resources()
    for _ in range(3):
        box = start()
        box.run(["true"])
        process = box.spawn(["true"])
        process.wait(5)
        process.close()
        box.destroy()
    assert own_resources() == before


def test_a_destroyed_sandbox_says_that_it_is_gone(box: Sandbox, tmp_path: Path) -> None:
    process = box.spawn(["sleep", "60"])
    box.destroy()
    assert process.wait(1) == 137
    process.close()
    (tmp_path / "file").write_text("x")
    for use in (
        lambda: box.run(["true"]),
        lambda: box.spawn(["true"]),
        lambda: box.get("/etc/passwd", max_bytes=1000),
        lambda: box.put(tmp_path / "file", "/root/file"),
    ):
        with pytest.raises(SandboxGone):
            use()
    assert box.ended() is None


def own(a_provider: Provider, name: str, work: Path, tree: str, marker: str) -> subprocess.Popen[str]:
    """Start a process that starts a sandbox, plants a tree in it, and says so."""
    image = an_image() if a_provider.name == "docker" else ""
    argv = [sys.executable, "-c", OWNER, a_provider.name, image, name, str(work), tree, marker]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def test_nothing_outlives_the_kill_of_its_owner_and_reap_removes_the_rest(
    a_provider: Provider,
    work: Path,
    fresh_name: Callable[[], str],
    marker: str,
    stubborn_tree: str,
    gone_within: GoneWithin,
) -> None:
    name = fresh_name()
    with own(a_provider, name, work, stubborn_tree, marker) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "begins\n"
        assert owner.stdout.readline() == "ready\n"
        owner.kill()
    assert gone_within(marker, DEATH_SECONDS)
    assert traces(name, work) != []
    a_provider.reap(name, work)
    assert traces(name, work) == []


@pytest.mark.parametrize("seed", range(12))
def test_an_owner_may_be_killed_at_any_moment_of_the_start(
    a_provider: Provider,
    tmp_path: Path,
    fresh_name: Callable[[], str],
    marker: str,
    stubborn_tree: str,
    gone_within: GoneWithin,
    seed: int,
) -> None:
    name = fresh_name()
    with own(a_provider, name, tmp_path, stubborn_tree, marker) as owner:
        assert owner.stdout is not None and owner.stdout.readline() == "begins\n"
        time.sleep(random.Random(seed).uniform(0, 0.3 if a_provider.name == "docker" else 0.15))
        os.kill(owner.pid, signal.SIGKILL)
    assert gone_within(f"argusic-sandbox:{name}", DEATH_SECONDS) and gone_within(marker, DEATH_SECONDS)
    a_provider.reap(name, tmp_path)
    assert traces(name, tmp_path) == []


def test_reap_finds_nothing_where_nothing_is(a_provider: Provider, work: Path, fresh_name: Callable[[], str]) -> None:
    a_provider.reap(fresh_name(), work)
    assert list(work.iterdir()) == []
