"""A start that fails leaves nothing; one that succeeds depends on nothing but the process that made it."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from argusic.sandbox.bubblewrap import Bubblewrap
from argusic.sandbox.bubblewrap.interpreter import Interpreter, find_interpreter
from argusic.sandbox.bubblewrap.program import Program
from argusic.sandbox.bubblewrap.starting import Machine, start
from argusic.sandbox.protocol import Sandbox, SandboxSpec, SandboxStartFailed

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = Bubblewrap().machine
    assert isinstance(found, Machine), found
    return found


@pytest.fixture
def spec(tmp_path: Path) -> SandboxSpec:
    (tmp_path / "work").mkdir()
    return SandboxSpec(f"started-{os.getpid()}", tmp_path / "work")


@pytest.fixture
def nothing_left(spec: SandboxSpec) -> Iterator[Callable[[], None]]:
    before = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    def check() -> None:
        assert list(spec.work.iterdir()) == []
        assert list(Path("/var/tmp").glob(f"argusic-{spec.name}*")) == []
        groups = [name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if name == spec.name]
        assert groups == []
        assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == before

    yield check


def test_a_start_that_fails_in_bubblewrap_says_why_and_leaves_nothing(
    machine: Machine, spec: SandboxSpec, nothing_left: Callable[[], None]
) -> None:
    broken = replace(machine, interpreter=Interpreter(Path("/no/such/python")))
    with pytest.raises(SandboxStartFailed, match="/no/such/python"):
        start(broken, spec)
    nothing_left()


def test_a_start_that_fails_in_the_first_process_leaves_nothing(
    machine: Machine, spec: SandboxSpec, nothing_left: Callable[[], None]
) -> None:
    with pytest.raises(SandboxStartFailed):
        start(replace(machine, interpreter=Interpreter(Path("/usr/bin/false"))), spec)
    nothing_left()


def test_a_program_that_cannot_be_run_leaves_nothing(
    machine: Machine, spec: SandboxSpec, nothing_left: Callable[[], None], tmp_path: Path
) -> None:
    (tmp_path / "bwrap").write_text("no program")
    with pytest.raises(SandboxStartFailed):
        start(replace(machine, program=Program(tmp_path / "bwrap", "0.11.0", ())), spec)
    nothing_left()


def test_the_same_name_twice_is_refused_and_the_first_lives_on(machine: Machine, spec: SandboxSpec) -> None:
    first = start(machine, spec)
    try:
        if machine.hierarchies is not None:
            with pytest.raises(SandboxStartFailed):
                start(machine, spec)
        assert first.run(["true"]).exit_status == 0
    finally:
        first.destroy()


def test_a_sandbox_outlives_the_thread_that_started_it(machine: Machine, spec: SandboxSpec) -> None:
    with ThreadPoolExecutor(1) as pool:
        box: Sandbox = pool.submit(start, machine, spec).result()
    try:
        assert box.run(["sh", "-c", "sleep 0.3; echo alive"]).output == b"alive\n"
        assert box.ended() is None
    finally:
        box.destroy()


def test_several_may_start_at_the_same_time(machine: Machine, spec: SandboxSpec) -> None:
    def one(number: int) -> bytes:
        work = spec.work / str(number)
        work.mkdir()
        box = start(machine, SandboxSpec(f"{spec.name}-{number}", work))
        try:
            return box.run(["sh", "-c", f"echo {number} > file; cat file"]).output
        finally:
            box.destroy()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, range(12))) == [f"{number}\n".encode() for number in range(12)]


def test_a_program_in_a_folder_that_nobody_else_may_enter_works(
    machine: Machine, spec: SandboxSpec, tmp_path: Path
) -> None:
    for path in (machine.program.path, *machine.program.libraries):
        copy = tmp_path / "closed" / Path(*path.parts[-3:])
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (tmp_path / "closed").chmod(0o700)
    moved = replace(
        machine.program,
        path=tmp_path / "closed" / Path(*machine.program.path.parts[-3:]),
        libraries=tuple(tmp_path / "closed" / Path(*path.parts[-3:]) for path in machine.program.libraries),
    )
    box = start(replace(machine, program=moved), spec)
    assert box.run(["true"]).exit_status == 0
    box.destroy()


def test_without_layers_the_local_folder_is_read_only_and_said_so(machine: Machine, spec: SandboxSpec) -> None:
    box = start(replace(machine, layers=False), spec)
    try:
        assert box.run(["touch", "/usr/local/bin/x"]).exit_status != 0
        assert "/usr/local is read-only." in box.facts.lacks
    finally:
        box.destroy()


def test_with_layers_programs_can_be_installed_in_the_local_folder(machine: Machine, spec: SandboxSpec) -> None:
    if not machine.layers:
        pytest.skip("this kernel lets no ordinary user lay one folder over another")
    before = sorted(Path("/usr/local/bin").iterdir())
    box = start(machine, spec)
    try:
        script = "printf '#!/bin/sh\\necho ran\\n' > /usr/local/bin/planted; chmod +x /usr/local/bin/planted; planted"
        assert box.run(["sh", "-c", script]).output == b"ran\n"
        assert box.run(["mkdir", "-p", "/usr/local/share/new/er", "/usr/local/lib/pkgconfig"]).exit_status == 0
    finally:
        box.destroy()
    assert sorted(Path("/usr/local/bin").iterdir()) == before


def test_without_a_system_python_the_supervisor_borrows_the_one_that_runs_this(
    machine: Machine, spec: SandboxSpec, tmp_path: Path
) -> None:
    system = Path("/usr/bin/python3").resolve()
    borrowed = find_interpreter(machine.account, places=(), running=system, home=Path("/usr"))
    assert borrowed is not None and borrowed.path.is_relative_to("/opt")
    box = start(replace(machine, interpreter=borrowed), spec)
    try:
        (tmp_path / "file").write_text("x")
        box.put(tmp_path / "file", "/root/file")
        assert box.get("/root/file", max_bytes=1) == b"x"
    finally:
        box.destroy()


def test_a_python_out_of_the_accounts_reach_is_none(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir(mode=0o000)
    found = find_interpreter(machine.account, places=(), running=tmp_path / "bin" / "python3", home=tmp_path)
    (tmp_path / "bin").chmod(0o700)
    assert found is None
