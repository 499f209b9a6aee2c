from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from argusic.sandbox.cgroups import Cgroup, find_hierarchies
from argusic.sandbox.protocol import Limits


@pytest.fixture
def group() -> Cgroup:
    hierarchies = find_hierarchies()
    if hierarchies is None:
        pytest.skip("this user can make no control group on this machine")
    return Cgroup(hierarchies, f"test-{os.getpid()}")


def test_removal_kills_what_is_still_in_the_group(group: Cgroup) -> None:
    group.create(Limits())
    try:
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
            group.join(process.pid)
            assert group.members() == [process.pid]
            group.remove()
            assert process.wait(5) == -9
    finally:
        group.remove()
    assert group.members() == []


def test_memory_beyond_the_limit_is_counted(group: Cgroup) -> None:
    group.create(Limits(memory_mb=100))
    try:
        program = "import sys; sys.stdin.read(); x = bytearray(200_000_000)"
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as process:
            group.join(process.pid)
            process.communicate()
        assert process.returncode == -9
        assert (group.memory_hits(), group.process_hits()) == (1, 0)
    finally:
        group.remove()


def test_a_group_is_made_once(group: Cgroup) -> None:
    group.create(Limits())
    with pytest.raises(FileExistsError):
        group.create(Limits())
    group.remove()
    group.remove()


def test_no_hierarchy_is_found_where_none_is_mounted(tmp_path: Path) -> None:
    mountinfo = tmp_path / "mountinfo"
    assert find_hierarchies(mountinfo) is None
    mountinfo.write_text("21 1 0:20 / /proc rw,nosuid - proc proc rw\n")
    assert find_hierarchies(mountinfo) is None


def unified(folder: Path, controllers: str) -> Path:
    """Lay out what version 2 shows at its top, and a list of mounts that names it."""
    (folder / "top").mkdir()
    (folder / "top" / "cgroup.controllers").write_text(controllers)
    (folder / "top" / "cgroup.subtree_control").write_text("")
    (folder / "mountinfo").write_text(f"30 1 0:26 / {folder}/top rw,nosuid - cgroup2 cgroup2 rw\n")
    return folder / "mountinfo"


def test_version_2_is_used_where_it_has_every_controller(tmp_path: Path) -> None:
    found = find_hierarchies(unified(tmp_path, "cpuset cpu io memory hugetlb pids"))
    assert found is not None and found.version == "cgroup-v2"
    assert set(found.parents.values()) == {tmp_path / "top" / "argusic"}
    assert (tmp_path / "top" / "cgroup.subtree_control").read_text() == "+memory +cpu +pids"
    group = Cgroup(found, "run")
    group.create(Limits(memory_mb=100, cpus=1.5, processes=10))
    made = {path.name: path.read_text() for path in (tmp_path / "top" / "argusic" / "run").iterdir()}
    assert made == {"memory.max": "100000000", "memory.swap.max": "0", "cpu.max": "150000 100000", "pids.max": "11"}


def test_version_2_is_not_used_without_the_controllers(tmp_path: Path) -> None:
    assert find_hierarchies(unified(tmp_path, "hugetlb")) is None
    assert not (tmp_path / "top" / "argusic").exists()
