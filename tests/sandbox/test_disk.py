from __future__ import annotations

import os
from pathlib import Path

import pytest

from argusic.sandbox.disk import ENTRY_BYTES, measure, remove_folder


def dig(folder: Path, name: str, levels: int) -> None:
    """Make folders in folders, deeper than any path can say."""
    fd = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=fd)
        inner = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    bottom = os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=fd)
    os.write(bottom, bytes(1_000_000))
    os.close(bottom)
    os.close(fd)


def test_files_folders_and_empty_entries_all_count(tmp_path: Path) -> None:
    assert measure(tmp_path).total == 0
    (tmp_path / "file").write_bytes(bytes(1_000_000))
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("/usr")
    assert 1_000_000 + 2 * ENTRY_BYTES <= measure(tmp_path).total < 1_100_000


def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(1_000_000))
    os.link(tmp_path / "file", tmp_path / "again")
    assert measure(tmp_path).total < 1_100_000


def test_a_hole_in_a_file_counts_nothing(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10**12)
    assert measure(tmp_path).total < 100_000


@pytest.mark.parametrize(("name", "levels"), [("d" * 200, 60), ("d", 1500)])
def test_depth_hides_nothing_and_is_removed(tmp_path: Path, name: str, levels: int) -> None:
    top = tmp_path / "top"
    top.mkdir()
    dig(top, name, levels)
    before = len(list(Path("/proc/self/fd").iterdir()))
    assert measure(top).total >= 1_000_000 + levels * ENTRY_BYTES
    remove_folder(top)
    assert not top.exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_removal_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("x")
    top = tmp_path / "top"
    (top / "inner").mkdir(parents=True)
    (top / "link").symlink_to(tmp_path / "outside")
    (top / "inner" / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(top / "inner" / "fifo")
    remove_folder(top)
    assert not top.exists() and (tmp_path / "outside" / "file").read_text() == "x"


def test_a_link_in_the_folders_own_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError):
        remove_folder(tmp_path / "link")
    assert (tmp_path / "real").exists()


def test_folders_without_permissions_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "a" / "b" / "c").mkdir(parents=True)
    (top / "a" / "b" / "c" / "file").write_text("x")
    for folder in (top / "a" / "b" / "c", top / "a" / "b", top / "a", top):
        folder.chmod(0)
    remove_folder(top)
    assert not top.exists()


def test_names_that_moving_up_would_clash_with_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    for outer in ("1", "2", "a"):
        for inner in ("1", "2", "3", "b"):
            (top / outer / inner / "1").mkdir(parents=True)
    remove_folder(top)
    assert not top.exists()


def test_removing_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_folder(tmp_path / "none")
