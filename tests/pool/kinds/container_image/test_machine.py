"""What carries out `docker` in a sandbox: command lines mean what they mean to an engine, or it is said."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from argusic.pool.images.inside import lay_beside
from argusic.pool.images.machine import asked, image, ports, prepared
from argusic.pool.images.machine.unpacking import unpack, within
from argusic.pool.images.machine.wrong import Wrong
from tests.image_registry import entry, layer
from tests.loopback import OnLoopback


@pytest.mark.parametrize(
    "line",
    [
        "run -d -p 8080:80 --name web -e A=1 -v /x:/y birds sing loud",
        "run -dp 8080:80 --name=web --env A=1 --volume=/x:/y birds sing loud",
        "run --detach=true --publish 8080:80 --name web -eA=1 -v/x:/y -- birds sing loud",
    ],
)
def test_a_command_line_means_the_same_however_it_is_spelt(line: str) -> None:
    found = asked.read(line.split()[1:])
    assert (found.image, found.words) == ("birds", ["sing", "loud"])
    assert found.flags == {"detach"} and found.idle == []
    assert found.values == {"publish": ["8080:80"], "name": ["web"], "env": ["A=1"], "volume": ["/x:/y"]}


def test_what_stands_behind_the_image_is_the_images() -> None:
    assert asked.read(["--rm", "birds", "-d", "--name", "x"]).words == ["-d", "--name", "x"]


def test_an_option_without_bearing_is_named_and_not_dropped_in_silence() -> None:
    found = asked.read(["--restart", "always", "-m", "1g", "--init", "-it", "--network", "host", "birds"])
    assert found.idle == ["--restart", "--memory", "--init", "--network"] and found.flags == {"interactive", "tty"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--gpus all birds", "--gpus asks for what is not done"),
        ("--privileged birds", "--privileged asks for what is not done"),
        ("--device /dev/kvm birds", "--device asks for what is not done"),
        ("--pid host birds", "--pid asks for what is not done"),
        ("--network other birds", "no network 'other'"),
        ("-x birds", "-x is not known"),
        ("-d", "which image"),
        ("--name", "needs a value"),
        ("--rm=maybe birds", "takes no value"),
    ],
)
def test_what_is_not_done_is_refused_in_words(line: str, says: str) -> None:
    with pytest.raises(Wrong, match=says):
        asked.read(line.split())


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("8080:80", ("0.0.0.0", 8080, 80)),
        ("127.0.0.1:8080:80/tcp", ("127.0.0.1", 8080, 80)),
        ("80", ("0.0.0.0", 0, 80)),
        ("127.0.0.1::80", ("127.0.0.1", 0, 80)),
    ],
)
def test_a_port_is_read_as_an_engine_reads_it(said: str, means: tuple[str, int, int]) -> None:
    assert ports.read(said) == means


@pytest.mark.parametrize("said", ["53:53/udp", "a:b", "8000-8010:80-90", "1:99999", "", "²:80", f"{'9' * 5000}:80"])
def test_a_port_that_cannot_be_led_on_is_refused(said: str) -> None:
    with pytest.raises(Wrong):
        ports.read(said)


def test_a_published_port_leads_to_the_one_that_the_image_listens_on() -> None:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"351")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with OnLoopback(ThreadingHTTPServer(("127.0.0.1", 0), Answers)) as served:
        forwarder = ports.Forwarder(ports.Published("127.0.0.1", 0, served.port))
        forwarder.begin()
        ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        assert ask(f"http://127.0.0.1:{forwarder.outside}/", timeout=10).read() == b"351"


def test_a_port_that_is_taken_is_said() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        with pytest.raises(Wrong, match="cannot be had"):
            ports.Forwarder(ports.Published("127.0.0.1", held.getsockname()[1], 80))


def unpacked(tmp_path: Path, *layers: bytes) -> Path:
    files = []
    for number, one in enumerate(layers):
        (tmp_path / f"layer-{number}").write_bytes(one)
        files.append(str(tmp_path / f"layer-{number}"))
    unpack(tuple(files), str(tmp_path / "root"))
    return tmp_path / "root"


def test_layers_lie_over_each_other_and_what_one_hides_is_gone(tmp_path: Path) -> None:
    root = unpacked(
        tmp_path,
        layer(("a/one", b"1"), ("a/two", b"2"), ("b/old", b"x"), ("d/e/f", b"y")),
        layer(("a/.wh.one", b""), ("a/two", b"22"), ("b/new", b"n"), ("b/.wh..wh..opq", b"")),
        layer((".wh.d", b""), entry("e", tarfile.LNKTYPE, "a/two"), entry("s", tarfile.SYMTYPE, "/a/two")),
    )
    held = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
    assert held == {"a/two", "b/new", "e", "s"}
    assert (root / "e").read_bytes() == b"22" and (root / "s").readlink() == Path("/a/two")
    assert within(str(root), "/s") == str(root / "a/two")


def test_no_link_leads_out_of_an_images_root(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = unpacked(
        tmp_path,
        layer(entry("up", tarfile.SYMTYPE, "../../../.."), entry("abs", tarfile.SYMTYPE, str(outside))),
        layer(("up/one", b"1"), ("abs/two", b"2"), ("../three", b"3")),
    )
    assert list(outside.iterdir()) == []
    assert (root / "one").read_bytes() == b"1" and (root / "three").read_bytes() == b"3"
    assert (root / str(outside)[1:] / "two").read_bytes() == b"2"
    with pytest.raises(Wrong, match="in a circle"):
        within(str(unpacked_circle(tmp_path)), "x/y")


def unpacked_circle(tmp_path: Path) -> Path:
    root = tmp_path / "circle"
    root.mkdir()
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    return root


def an_image_of(**settings: object) -> image.Image:
    return image.Image("registry.invalid/lab/birds", f"sha256:{'ab' * 32}", dict(settings), "linux/amd64", ())


@pytest.mark.parametrize("said", ["registry.invalid/lab/birds", "registry.invalid/lab/birds:7", "abababab"])
def test_the_image_is_known_by_its_name_and_any_tag(said: str) -> None:
    assert image.is_meant(an_image_of(), said)
    assert image.is_meant(an_image_of(), f"registry.invalid/lab/birds@sha256:{'ab' * 32}")
    assert not image.is_meant(an_image_of(), f"registry.invalid/lab/birds@sha256:{'cd' * 32}")
    assert not image.is_meant(an_image_of(), "birds") and not image.is_meant(an_image_of(), "fish")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = unpacked(
        tmp_path,
        layer(
            ("bin/birds", b"#!/bin/sh\n"),
            ("etc/passwd", b"root:x:0:0::/root:/bin/sh\nada:x:1000:100::/home/ada:/bin/sh\n"),
            ("etc/group", b"root:x:0:\nbirds:x:77:\n"),
            ("data/seed", b"351\n"),
        ),
    )
    (folder / "etc/passwd").chmod(0o644)
    return folder


def prepare(root: Path, line: str, **settings: object) -> prepared.Prepared:
    volumes = str(root.parent / "volumes")
    told = {"https_proxy": "http://127.0.0.1:1", "SECRET": "s", "TERM": "xterm"}
    return prepared.prepare(an_image_of(**settings), asked.read(line.split()), str(root), volumes, told, "c1")


def test_a_container_runs_as_its_image_says(root: Path) -> None:
    settings = {"Entrypoint": ["birds"], "Cmd": ["sing"], "Env": ["A=1", "B=2"], "WorkingDir": "/work", "User": "ada"}
    found = prepare(root, "-e B=3 -e SECRET birds", **settings)
    assert found.words == ("birds", "sing") and found.folder == "/work" and found.user == (1000, 100)
    assert found.environment == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOSTNAME": "c1",
        "HOME": "/home/ada",
        "https_proxy": "http://127.0.0.1:1",
        "A": "1",
        "B": "3",
        "SECRET": "s",
    }
    assert (root / "work").is_dir() and (root / "etc/hosts").exists() and (root / "proc").is_dir()
    command = found.command("/usr/bin/proot")
    assert command[:7] == ["/usr/bin/proot", "-r", str(root), "-w", "/work", "-i", "1000:100"]


def test_the_command_line_outweighs_the_image(root: Path) -> None:
    settings = {"Entrypoint": ["nothing"], "Cmd": ["sing"], "User": "ada"}
    found = prepare(root, "--entrypoint birds -u 0:birds -w /x birds loud", **settings)
    assert (found.words, found.user, found.folder) == (("birds", "loud"), (0, 77), "/x")
    assert prepare(root, "--entrypoint /bin/birds birds", **settings).words == ("/bin/birds",)


def test_volumes_are_shown_and_a_new_one_begins_with_what_the_image_has_there(root: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    found = prepare(root, f"-v {own}:/own:ro -v kept:/data --mount type=bind,src={own},dst=/two birds", Cmd=["birds"])
    assert (str(own), "/own") in found.shown and (str(own), "/two") in found.shown and own.is_dir()
    assert (tmp_path / "volumes/kept/seed").read_bytes() == b"351\n"
    assert (root / "own").is_dir() and (str(tmp_path / "volumes/kept"), "/data") in found.shown


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("birds", 125, "says no command"),
        ("birds fly", 127, "no program 'fly'"),
        ("birds /etc/passwd", 126, "it is no program"),
        ("-u eve birds birds", 126, "no user 'eve'"),
        ("-u 0:eve birds birds", 126, "no group 'eve'"),
        ("-v a:b birds birds", 125, "at no whole path"),
        ("--mount type=npipe,dst=/x birds birds", 125, "type npipe"),
        ("--env-file nothing birds birds", 125, "cannot be read"),
        ("birds -r / birds", 126, "begins with a dash"),
        ("-u 9999999999999999999999 birds birds", 126, "no user"),
        ("-u ² birds birds", 126, "no user"),
        ("-e A=\0 birds birds", 125, "no program can be given"),
        ("-e =1 birds birds", 125, "no program can be given"),
        ("birds birds \0", 125, "no program can be given"),
    ],
)
def test_what_cannot_be_run_ends_as_with_an_engine(root: Path, line: str, status: int, says: str) -> None:
    with pytest.raises(Wrong, match=says) as raised:
        prepare(root, line)
    assert raised.value.status == status


REFUSED = """
import ctypes, os
from argusic.pool.images.machine import kernel
kernel.apply(kernel.call_filter(os.uname().machine))
call = ctypes.CDLL(None, use_errno=True).syscall
def gives(number):
    ctypes.set_errno(0)
    call(number, -1, 0, 0, 0, 0)
    return ctypes.get_errno()
single = {"x86_64": 332, "aarch64": 291}[os.uname().machine]
print([os.strerror(gives(number)) for number in (single, 437, 439, 425, 434)])
os.stat("/"); os.access("/", os.R_OK, effective_ids=True)
"""


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="its system calls are not known here")
def test_the_kernel_keeps_programs_from_calls_that_would_see_the_machines_own_files() -> None:
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True)
    absent = "Function not implemented"
    # statx, openat2, faccessat2 and io_uring's are absent; that for a process's descriptor is not.
    assert done.stdout.strip() == str([absent, absent, absent, absent, "Invalid argument"])


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    """A subject's folder as it is handed in, with an image of no layers."""
    folder = tmp_path / "subject"
    blobs = folder / "image/blobs/sha256"
    blobs.mkdir(parents=True)
    config, manifest = "c" * 64, "a" * 64
    (blobs / config).write_text(json.dumps({"os": "linux", "architecture": "amd64", "config": {"Cmd": ["birds"]}}))
    (blobs / manifest).write_text(json.dumps({"config": {"digest": f"sha256:{config}"}, "layers": []}))
    index = {"digest": f"sha256:{manifest}", "annotations": {"io.containerd.image.name": "birds"}}
    (folder / "image/index.json").write_text(json.dumps({"manifests": [index]}))
    lay_beside(folder, "Birds.\n")
    return folder


def docker(subject: Path, *words: str, path: str = "/nothing") -> subprocess.CompletedProcess[str]:
    """Run the command by itself, as a sandbox without PRoot has it."""
    environment = {"HOME": str(subject.parent), "PATH": path}
    command = [sys.executable, str(subject / "docker"), *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=subject.parent)


def test_the_command_stands_by_itself_and_says_what_it_is(subject: Path) -> None:
    assert "There is no container engine in this machine" in docker(subject, "--help").stdout
    assert docker(subject, "images").stdout == f"birds  sha256:{'a' * 64}  linux/amd64\n"
    assert docker(subject, "pull", "birds:9").stdout.startswith("birds is here, as it was pinned.")
    assert docker(subject, "ps").stdout.startswith("NAME")
    assert json.loads(docker(subject, "inspect", "birds").stdout)[0]["Config"] == {"Cmd": ["birds"]}


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["run", "birds"], 125, "this machine has no PRoot, with which images are run here"),
        (["run", "fish"], 125, "there is no image 'fish' in this machine; the one here is birds"),
        (["pull", "fish"], 1, "nothing can be pulled here"),
        (["build", "."], 125, "`docker build` is not done here"),
        (["logs", "x"], 1, "no container called 'x'"),
        (["exec", "x", "ls"], 1, "no container called 'x'"),
        (["stop"], 125, "which one"),
    ],
)
def test_what_the_command_does_not_do_it_says_in_one_line(
    subject: Path, words: list[str], status: int, says: str
) -> None:
    done = docker(subject, *words)
    assert done.returncode == status and says in done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("docker: ")


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"Cmd": ["birds"]}, "/dev/null/x:/d"),
        ({"Cmd": ["birds"]}, "/proc/nothing/x:/d"),
        ({"Cmd": ["birds"], "Env": 5}, "/tmp:/d"),
        ({"Cmd": 5}, "/tmp:/d"),
        ({"Cmd": ["birds"], "WorkingDir": "/a\0"}, "/tmp:/d"),
        (["birds"], "/tmp:/d"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line_and_leaves_no_container(
    subject: Path, settings: object, option: str
) -> None:
    (config,) = (subject / "image/blobs/sha256").glob("c*")
    config.write_text(json.dumps({"os": "linux", "architecture": "amd64", "config": settings}))
    (subject.parent / "proot").write_text("#!/bin/sh\n")
    (subject.parent / "proot").chmod(0o755)
    done = docker(subject, "run", "-v", option, "birds", path=str(subject.parent))
    assert done.returncode == 125 and done.stderr.count("\n") == 1 and done.stderr.startswith("docker: ")
    assert list((subject.parent / ".containers").glob("containers/*")) == []


def test_a_layer_that_cannot_be_unpacked_is_said(tmp_path: Path) -> None:
    (tmp_path / "layer").write_bytes(io.BytesIO(b"nothing").getvalue())
    with pytest.raises(Wrong, match="cannot be unpacked"):
        unpack((str(tmp_path / "layer"),), str(tmp_path / "root"))
