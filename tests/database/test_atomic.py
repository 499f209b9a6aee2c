"""A crash leaves the old state or the new one; what exists is replaced only when that was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from argusic.database.atomic import (
    TEMPORARY_PREFIX,
    publish_folder,
    sweep_unfinished,
    unfinished_file,
    write_file,
)
from argusic.errors import InputError

WRITE = """
import sys
from pathlib import Path
from argusic.database.atomic import write_file
write_file(Path(sys.argv[1]), b"new" * 100_000, replace=True)
"""
PUBLISH = """
import sys
from pathlib import Path
from argusic.database.atomic import publish_folder
publish_folder(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def _die_at(point: str, program: str, *arguments: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], env={**os.environ, "ARGUSIC_FAULT": point}, check=False
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("point", "after"), [("file-written", b"old"), ("file-renamed", b"new" * 100_000)])
def test_a_write_that_dies_leaves_the_old_file_or_the_new_one(tmp_path: Path, point: str, after: bytes) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"old")
    _die_at(point, WRITE, path)
    assert path.read_bytes() == after
    assert all(entry.name.startswith(TEMPORARY_PREFIX) for entry in tmp_path.iterdir() if entry != path)
    sweep_unfinished(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == [path]
    write_file(path, b"again", replace=True)
    assert path.read_bytes() == b"again"


def test_the_file_of_a_living_writer_is_not_swept_away(tmp_path: Path) -> None:
    with unfinished_file(tmp_path) as (temporary, file):
        sweep_unfinished(tmp_path.iterdir())
        file.write(b"whole")
        file.flush()
        temporary.rename(tmp_path / "x.yaml")
    assert (tmp_path / "x.yaml").read_bytes() == b"whole"


def test_writers_and_sweepers_at_once_lose_nothing(tmp_path: Path) -> None:
    stop = threading.Event()

    def sweep() -> None:
        while not stop.is_set():
            sweep_unfinished(tmp_path.iterdir())

    sweepers = [threading.Thread(target=sweep) for _ in range(2)]
    for sweeper in sweepers:
        sweeper.start()
    try:
        for number in range(300):
            write_file(tmp_path / f"{number}.yaml", b"%d" % number, replace=bool(number % 2))
    finally:
        stop.set()
        for sweeper in sweepers:
            sweeper.join()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        f"{number}.yaml": b"%d" % number for number in range(300)
    }


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").mkdir()
    with pytest.raises(OSError):
        write_file(tmp_path / "x.yaml", b"new", replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["x.yaml"]


@pytest.mark.parametrize(("point", "published"), [("folder-synced", False), ("folder-renamed", True)])
def test_a_folder_that_dies_on_its_way_is_there_whole_or_not_at_all(
    tmp_path: Path, point: str, published: bool
) -> None:
    source, destination = tmp_path / "work", tmp_path / "runs" / "a" / "b"
    (source / "deep").mkdir(parents=True)
    (source / "run.yaml").write_bytes(b"a")
    (source / "deep" / "log").write_bytes(b"b")
    _die_at(point, PUBLISH, source, destination)
    assert destination.exists() is published
    assert source.exists() is not published
    whole = destination if published else source
    assert (whole / "run.yaml").read_bytes() + (whole / "deep" / "log").read_bytes() == b"ab"


def test_a_file_is_not_replaced_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.yaml"
    write_file(path, b"one", replace=False)
    with pytest.raises(InputError, match="never replaced"):
        write_file(path, b"two", replace=False)
    assert path.read_bytes() == b"one"
    write_file(path, b"two", replace=True)
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["x.yaml"]


def test_a_link_in_the_way_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    (tmp_path / "x.yaml").symlink_to(outside)
    with pytest.raises(InputError):
        write_file(tmp_path / "x.yaml", b"theirs", replace=False)
    write_file(tmp_path / "x.yaml", b"theirs", replace=True)
    assert outside.read_bytes() == b"mine"


def test_a_folder_never_replaces_one_even_an_empty_one(tmp_path: Path) -> None:
    for number, content in enumerate((None, "x")):
        source, destination = tmp_path / f"source{number}", tmp_path / f"destination{number}"
        source.mkdir()
        destination.mkdir()
        if content:
            (destination / content).touch()
        with pytest.raises(InputError, match="never replaced"):
            publish_folder(source, destination)
        assert source.is_dir()


def test_of_many_writers_of_one_new_file_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"

    def write(number: int) -> bool:
        try:
            write_file(path, b"%d" % number * 10_000, replace=False)
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(write, range(8)))
    assert won.count(True) == 1
    assert path.read_bytes() == b"%d" % won.index(True) * 10_000
    assert list(tmp_path.iterdir()) == [path]
