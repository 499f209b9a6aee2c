"""The host's files, environment, home and repository are invisible inside and unchanged afterwards."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.sandbox.protocol import Sandbox

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]
REPOSITORY = Path(__file__).parents[2]


def test_no_file_of_the_host_is_found_by_its_name(box: Sandbox, tmp_path: Path, marker: str) -> None:
    places = [tmp_path, Path("/tmp"), Path("/var/tmp"), Path.home(), REPOSITORY / ".argusic"]
    planted = [place / marker for place in places if place.is_dir() and os.access(place, os.W_OK)]
    assert len(planted) >= 3
    try:
        for path in planted:
            path.write_text("secret")
        find = f"find / -path /proc -prune -o -name {marker} -print 2> /dev/null"
        found = box.run(["sh", "-c", find], timeout=120)
        assert found.output == b""
        for path in (*planted, *(Path("/proc/1/root") / str(path)[1:] for path in planted)):
            assert box.run(["cat", str(path)]).exit_status != 0
    finally:
        for path in planted:
            path.unlink()


def test_home_and_repository_do_not_exist_inside(box: Sandbox) -> None:
    folders = ("/root", "/home", "/tmp", "/var/tmp", "/opt", "/mnt")
    found = box.run(["find", *folders, "-mindepth", "1"])
    assert found.exit_status == 0
    # Debian itself lays these into the home of an image.
    own = {b"/root/.bashrc", b"/root/.profile"} if box.facts.image is not None else set()
    assert set(found.output.split()) <= own
    assert box.run(["ls", str(REPOSITORY)]).exit_status != 0


def test_nothing_of_the_hosts_environment_is_inside(start: Start, monkeypatch: pytest.MonkeyPatch, marker: str) -> None:
    monkeypatch.setenv("ARGUSIC_TEST_SECRET", marker)
    box = start()
    assert marker.encode() not in box.run(["env"]).output
    look = f"cat /proc/[0-9]*/environ 2> /dev/null | grep -c {marker}"
    assert box.run(["sh", "-c", look]).output == b"0\n"
    names = {line.split(b"=")[0].decode() for line in box.run(["env"]).output.splitlines()}
    assert {"HOME", "PATH", "LANG"} <= names and not {name for name in names if name.startswith("ARGUSIC")}


def test_no_configuration_of_the_hosts_package_clients_is_inside(box: Sandbox) -> None:
    if box.facts.image is not None:
        pytest.skip("an image brings its own")
    for name in ("pip.conf", "npmrc", "gitconfig", "apt", "shadow", "ssh", "wgetrc", "environment", "netrc"):
        assert box.run(["test", "-e", f"/etc/{name}"]).exit_status == 1, name


def test_etc_names_no_user_of_the_host(box: Sandbox) -> None:
    if box.facts.image is not None:
        pytest.skip("an image brings its own")
    assert box.run(["cut", "-d:", "-f1", "/etc/passwd"]).output.split() == [b"root", b"nobody"]


def test_system_folders_cannot_be_written(box: Sandbox) -> None:
    before = {path: sorted(Path(path).iterdir()) for path in ("/usr", "/usr/bin", "/usr/lib")}
    for folder in ("/usr", "/usr/bin", "/usr/lib", "/bin", "/lib", "/sbin"):
        assert box.run(["sh", "-c", f"touch {folder}/planted; echo x > {folder}/planted"]).exit_status != 0
    assert before == {path: sorted(Path(path).iterdir()) for path in before}


def test_what_is_done_to_files_inside_leaves_the_host_as_it_was(box: Sandbox, tmp_path: Path) -> None:
    watched = [Path("/etc/passwd"), Path("/etc/hosts"), Path("/etc/ld.so.cache"), Path("/etc/resolv.conf")]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in watched]
    (tmp_path / "mine").write_text("mine")
    script = f"rm -rf /etc/* /root /tmp/* /var/* {tmp_path} 2>/dev/null; echo x > /etc/passwd; chmod 777 / /etc; true"
    assert box.run(["sh", "-c", script]).exit_status == 0
    assert before == [hashlib.sha256(path.read_bytes()).digest() for path in watched]
    assert (tmp_path / "mine").read_text() == "mine"


def test_only_its_own_processes_are_visible(box: Sandbox) -> None:
    script = "import os; print(sum(name.isdigit() for name in os.listdir('/proc')))"
    assert int(box.run(["python3", "-c", script]).output) == 2


#: Settings of the host's kernel that a process with the real root's user id could write.
KERNEL_FILES = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity",
)


def test_settings_of_the_kernel_cannot_be_opened_for_writing(box: Sandbox) -> None:
    # Opened and nothing more: nothing is written even where a sandbox fails this test.
    script = """
import json, os, sys
opened = []
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_WRONLY))
        opened.append(path)
    except OSError:
        pass
print(json.dumps(opened))
"""
    assert json.loads(box.run(["python3", "-c", script, *KERNEL_FILES]).output) == []


def test_no_privilege_is_left_and_none_can_be_had(box: Sandbox) -> None:
    status = box.run(["grep", "-E", "^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)", "/proc/self/status"]).output.split()
    assert set(status[1:8:2]) == {b"0" * 16} and status[-1] == b"1"
    for command in (["unshare", "--user", "true"], ["unshare", "--mount", "true"], ["chroot", "/", "true"]):
        assert box.run(command).exit_status != 0, command
    assert box.run(["mount", "-t", "tmpfs", "none", "/mnt"]).exit_status != 0
    assert box.run(["mknod", "/root/disk", "b", "8", "0"]).exit_status != 0


def test_the_first_process_can_be_neither_signalled_nor_looked_into(box: Sandbox) -> None:
    for number in (1, 2, 3, 9, 11, 15, 17, 19):
        box.run(["sh", "-c", f"kill -{number} 1"])
    assert box.run(["sh", "-c", "echo still here"]).output == b"still here\n"
    for name in ("environ", "mem", "maps", "root/etc/passwd", "fd/0", "fd/2", "fd/3", "fd/4", "cwd/etc/passwd"):
        assert box.run(["cat", f"/proc/1/{name}"]).exit_status != 0, name
    attach = "import ctypes; raise SystemExit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0)"
    assert box.run(["python3", "-c", attach]).exit_status == 0
    assert box.ended() is None


def test_commands_inherit_no_descriptor(box: Sandbox) -> None:
    script = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    assert box.run(["python3", "-c", script]).output == b"['0', '1', '2', '3']\n"  # 3 is that of the listing itself.
    process = box.spawn(["python3", "-c", f"{script}; import sys; sys.exit(0)"])
    assert os.read(process.fileno(), 100) == b"['0', '1', '2', '3']\r\n"
    process.close()


def test_two_at_once_do_not_meet(start: Start, marker: str) -> None:
    one, other = start(), start()
    listen = "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0meeting'); s.listen(); time.sleep(60)"
    process = one.spawn(["python3", "-c", listen])
    one.run(["sh", "-c", f"echo {marker} > /tmp/{marker}; echo {marker} > /dev/shm/{marker}; echo {marker} > {marker}"])
    assert process.poll() is None
    for path in (f"/tmp/{marker}", f"/dev/shm/{marker}", f"/root/{marker}"):
        assert one.get(path, max_bytes=100) is not None
        assert other.get(path, max_bytes=100) is None
    meet = "import socket; socket.socket(socket.AF_UNIX).connect('\\0meeting')"
    # The listener may only just have begun.
    again = f'for _ in $(seq 100); do python3 -c "{meet}" 2>/dev/null && exit 0; sleep 0.1; done; exit 1'
    assert one.run(["sh", "-c", again]).exit_status == 0
    assert other.run(["python3", "-c", meet]).exit_status == 1
    assert b"meeting" not in other.run(["sh", "-c", "cat /proc/net/unix; ps ax -o args | grep -v grep"]).output
    process.kill()
    process.close()


def test_the_environments_facts_say_what_is_inside(box: Sandbox) -> None:
    facts = box.environment()
    assert facts == box.environment()
    version = box.run(["python3", "--version"]).output.split()[1].decode()
    assert facts.tools["python3"] == version and facts.kernel == os.uname().release


#: Joins a keyring of the session (250), and adds a key to it (248), or searches (250) there for one.
_NUMBERS = {"x86_64": (250, 248), "aarch64": (219, 217)}
_KEYS = """
import ctypes, sys
calls = ctypes.CDLL(None, use_errno=True)
keyctl, add_key, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
print(calls.syscall(keyctl, 10, -3, b"user", name, 0), calls.syscall(add_key, b"user", name, b"x", 1, -3))
"""


def test_the_keys_of_the_hosts_session_are_out_of_reach(start: Start, marker: str) -> None:
    numbers = _NUMBERS.get(os.uname().machine)
    if numbers is None:
        pytest.skip("the numbers of the system calls are not known here")
    calls = ctypes.CDLL(None, use_errno=True)
    if calls.syscall(numbers[0], 1, None) < 0:
        pytest.skip("this machine has no keys")
    assert calls.syscall(numbers[1], b"user", marker.encode(), b"secret", 6, -3) > 0
    box = start()
    assert box.run(["python3", "-c", _KEYS, *map(str, numbers), marker]).output == b"-1 -1\n"
