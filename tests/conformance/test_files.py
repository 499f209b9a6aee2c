"""Files go in and out as they are, and no link leads out of the sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argusic.sandbox.protocol import SUBJECT_FOLDER, Sandbox

pytestmark = pytest.mark.sandbox


def test_a_folder_goes_in_with_its_modes_links_and_bytes(box: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner" / "empty").mkdir(parents=True)
    content = os.urandom(3_000_000)
    (folder / "inner" / "file with spaces\nand a line").write_bytes(content)
    (folder / "run").write_text("#!/bin/sh\necho ran\n")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("inner/file with spaces\nand a line")
    (folder / "out").symlink_to("/etc/hostname")
    os.link(folder / "run", folder / "same")
    (folder / "inner").chmod(0o555)
    box.put(folder, SUBJECT_FOLDER)
    (folder / "inner").chmod(0o755)
    assert box.get(f"{SUBJECT_FOLDER}/link", max_bytes=4_000_000) == content
    assert box.run([f"{SUBJECT_FOLDER}/run"]).output == b"ran\n"
    assert box.run([f"{SUBJECT_FOLDER}/same"]).output == b"ran\n"
    listed = box.run(["stat", "-c", "%a %U %F", "inner", "inner/empty", "run", "out"], folder=SUBJECT_FOLDER).output
    assert listed.decode().splitlines() == [
        "555 root directory",
        "755 root directory",
        "755 root regular file",
        "777 root symbolic link",
    ]
    assert box.run(["readlink", f"{SUBJECT_FOLDER}/out"]).output == b"/etc/hostname\n"


def test_a_file_goes_in_under_the_name_given(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"\0\xff")
    box.put(tmp_path / "source", "/root/new/place/target")
    assert box.get("/root/new/place/target", max_bytes=2) == b"\0\xff"
    (tmp_path / "source").write_bytes(b"again")
    box.put(tmp_path / "source", "/root/new/place/target")
    assert box.get("/root/new/place/target", max_bytes=5) == b"again"


def test_what_cannot_be_put_is_said(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"x" * 1_000_000)
    with pytest.raises(OSError, match="could not be put"):
        box.put(tmp_path / "source", "/usr/bin/target")


def test_get_returns_nothing_where_there_is_no_regular_file(box: Sandbox) -> None:
    box.run(["sh", "-c", "mkfifo fifo; ln -s loop loop; mkdir folder; ln -s /no/where dangling"])
    for path in ("/root/none", "fifo", "loop", "folder", "dangling", "/dev/tty", "/dev/zero", "/root/none/deeper", ""):
        assert box.get(path, max_bytes=100) is None


def test_get_refuses_a_file_that_is_too_large(box: Sandbox) -> None:
    box.run(["sh", "-c", "head -c 101 /dev/zero > large; truncate -s 5G huge"])
    assert box.get("/root/large", max_bytes=101) == bytes(101)
    for name in ("large", "huge"):
        with pytest.raises(ValueError, match="larger"):
            box.get(f"/root/{name}", max_bytes=100)


def test_get_resolves_links_inside(box: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    box.run(["sh", "-c", f"ln -s {secret} report; ln -s /etc/passwd users; ln -s / rest"])
    assert box.get("/root/report", max_bytes=100) is None
    assert box.get(f"/root/rest{secret}", max_bytes=100) is None
    users = box.get("/root/users", max_bytes=10_000)
    assert users is not None and users != Path("/etc/passwd").read_bytes() and users.startswith(b"root:x:0:0:")


def test_get_does_not_read_what_the_kernel_makes_up(box: Sandbox) -> None:
    box.run(["ln", "-s", "/proc/self/environ", "report"])
    assert box.get("/root/report", max_bytes=100_000) is None


def test_put_follows_no_link_to_the_host(box: Sandbox, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (tmp_path / "source").write_text("new")
    box.run(["ln", "-s", str(victim), "subject"])
    box.run(["mkdir", "-p", str(victim)])
    box.put(tmp_path / "source", "/root/subject/file")
    assert list(victim.iterdir()) == []
    assert box.get(f"{victim}/file", max_bytes=10) == b"new"


def test_a_file_may_be_read_while_it_is_being_written(box: Sandbox) -> None:
    process = box.spawn(["sh", "-c", "while :; do echo x >> /root/growing; done"])
    box.run(["sh", "-c", "until test -s /root/growing; do sleep 0.01; done"])
    content = box.get("/root/growing", max_bytes=100_000_000)
    assert content and set(content) == set(b"x\n")
    process.kill()
    process.close()
