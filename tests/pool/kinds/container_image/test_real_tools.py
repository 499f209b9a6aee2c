"""Others' tools take what is made and pulled here, and images run under PRoot as their own configuration says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from argusic.pool.images.inside import lay_beside
from argusic.pool.images.layout import blob, lay_out, write
from argusic.pool.kinds.container_image import ContainerImageKind
from argusic.pool.kinds.protocol import PinMismatch, Workshop
from argusic.records.sources.container_image import Pin
from argusic.records.subject import Subject
from tests.image_registry import AnImage, an_image, digest, layer
from tests.pool.kinds.container_image.conftest import a_workshop

pytestmark = pytest.mark.images


def with_libraries(*programs: str) -> list[tuple[str, bytes]]:
    """Return programs of this machine and the libraries that they need, as an image has them."""
    found: dict[str, bytes] = {}
    for program in programs:
        place = shutil.which(program)
        assert place is not None
        said = subprocess.run(["ldd", place], capture_output=True, text=True, check=True).stdout
        for path in (place, *re.findall(r"(/\S+) \(0x", said)):
            found[path[1:]] = Path(path).read_bytes()
    return sorted(found.items())


@pytest.fixture(scope="module")
def image() -> AnImage:
    """A small system of its own: a shell and three programs, and its own list of users."""
    own = layer(
        *with_libraries("dash", "ls", "cat", "id", "sleep"),
        ("etc/passwd", b"root:x:0:0::/root:/bin/sh\nada:x:1000:100::/home/ada:/bin/sh\n"),
        ("etc/birds", b"351\n"),
    )
    settings = {"Entrypoint": ["dash", "-c"], "Env": ["BIRD=albatross"], "WorkingDir": "/work", "User": "ada"}
    return an_image(own, layer(("etc/birds", b"351 cm\n"), ("etc/.wh.nothing", b"")), settings=settings)


def laid(image: AnImage, folder: Path) -> Path:
    """Lay an image into a layout."""
    for part in (image.config, *image.layers):
        file = blob(folder, digest(part))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(part)
    kind = json.loads(image.manifest)["mediaType"]
    write(folder, image.manifest, kind, digest(image.manifest), name="birds")
    return folder


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """Serve a registry of the distribution project, and return its host."""
    settings = tmp_path / "registry.yaml"
    store = tmp_path / "store"
    settings.write_text(
        f"version: 0.1\nlog: {{level: info}}\nstorage: {{filesystem: {{rootdirectory: {store}}}}}\n"
        "http: {addr: '127.0.0.1:0'}\n"
    )
    log = tmp_path / "registry.log"
    with log.open("wb") as out:
        process = subprocess.Popen(["docker-registry", "serve", settings], stdout=out, stderr=out)
    try:
        for _ in range(200):
            at = re.search(r"listening on (127\.0\.0\.1:\d+)", log.read_text())
            if at:
                break
            time.sleep(0.05)
        assert at, log.read_text()
        yield at[1]
    finally:
        process.kill()
        process.wait()


def skopeo(*words: str) -> str:
    done = subprocess.run(["skopeo", "--insecure-policy", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_image_pushed_to_a_real_registry_is_pulled_by_its_digest(
    images: ContainerImageKind, registry: str, image: AnImage, tmp_path: Path
) -> None:
    layout = laid(image, tmp_path / "layout")
    skopeo("copy", "--preserve-digests", "--dest-tls-verify=false", f"oci:{layout}", f"docker://{registry}/lab/birds:1")
    found = images.resolve(f"docker://{registry}/lab/birds:1", a_workshop(tmp_path / "cache"))
    pin = cast(Pin, found.pin)
    assert pin.manifest == digest(image.manifest)
    assert (
        json.loads(skopeo("inspect", "--tls-verify=false", f"docker://{registry}/lab/birds:1"))["Digest"]
        == pin.manifest
    )
    subject = Subject(kind="container-image", slug="birds", name=found.name, source=found.source)
    cached = images.fetch(subject, pin, a_workshop(tmp_path / "another"))
    lay_out(cached, pin, tmp_path / "out", "birds")
    subprocess.run(
        ["umoci", "unpack", "--rootless", "--image", f"{tmp_path}/out:pinned", tmp_path / "bundle"],
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "bundle/rootfs/etc/birds").read_text() == "351 cm\n"
    kept = next((tmp_path / "store").rglob(f"{pin.layers[0].digest[7:]}/data"))
    kept.write_bytes(kept.read_bytes()[:-1] + b" ")
    with pytest.raises(PinMismatch):
        images.fetch(subject, pin, a_workshop(tmp_path / "third"))


RECIPE = """\
schema: 1
source:
  kind: container-image
  repository: birds
  made:
    layers:
      - texts: [{to: etc/birds, text: "351 cm"}]
        links: [{at: birds, leads: etc/birds}]
        folders: [tmp]
    settings: {entrypoint: [/etc/birds], ports: [8080/tcp]}
"""


def test_what_is_made_here_others_take_for_an_image(
    images: ContainerImageKind, workshop: Workshop, tmp_path: Path
) -> None:
    (tmp_path / "birds.yaml").write_text(RECIPE)
    pin = cast(Pin, images.resolve(f"image:{tmp_path / 'birds.yaml'}", workshop).pin)
    lay_out(workshop.cache / "images" / pin.manifest[7:], pin, tmp_path / "out", "birds")
    assert json.loads(skopeo("inspect", f"oci:{tmp_path}/out:pinned"))["Digest"] == pin.manifest
    subprocess.run(
        ["umoci", "unpack", "--rootless", "--image", f"{tmp_path}/out:pinned", tmp_path / "bundle"],
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "bundle/rootfs/birds").readlink() == Path("etc/birds")


class Machine:
    """A machine in which the image was handed in, and its command is typed."""

    def __init__(self, home: Path, image: AnImage) -> None:
        self.home = home
        laid(image, home / "subject/image")
        lay_beside(home / "subject", None)

    def docker(self, *words: str, status: int = 0) -> str:
        """Type a command line, and return what it printed."""
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "WORD": "tern"}
        command = [sys.executable, str(self.home / "subject/docker"), *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.home, timeout=60)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr


@pytest.fixture
def machine(tmp_path: Path, image: AnImage) -> Iterator[Machine]:
    made = Machine(tmp_path, image)
    yield made
    for name in made.docker("ps", "-q").split():
        made.docker("rm", "-f", name)


def test_an_image_runs_in_its_own_root_as_its_own_user(machine: Machine) -> None:
    said = machine.docker("run", "--rm", "birds", "id -u; id -g; pwd; echo $BIRD $HOME; cat /etc/birds; ls /; ls /etc")
    lines = said.splitlines()
    assert lines[:5] == ["1000", "100", "/work", "albatross /home/ada", "351 cm"]
    assert {"home", "work", "proc", "dev"} - {"home"} <= set(lines) and "subject" not in lines
    assert lines[-4:] == ["birds", "hosts", "passwd", "resolv.conf"]
    assert list((machine.home / ".containers/containers").iterdir()) == []


def test_what_new_calls_ask_of_files_is_answered_for_the_image_and_not_for_the_machine(machine: Machine) -> None:
    # `ls` asks with statx, and `test -r` with faccessat2: PRoot knows neither.
    asks = "ls -l /etc/birds; test -r /etc/birds && echo readable; ls /usr/share"
    said = machine.docker("run", "--rm", "birds", asks, status=2)
    assert "ada" in said and "readable" in said and "cannot access '/usr/share'" in said


def test_options_of_the_command_line_are_carried_out(machine: Machine) -> None:
    (machine.home / "own").mkdir()
    line = ["run", "--rm", "-u", "0", "-w", "/x", "-e", "BIRD=gull", "-e", "WORD", "-v", "./own:/own", "birds"]
    said = machine.docker(*line, "id -u; pwd; echo $BIRD $WORD; echo 52 > /own/size")
    assert said.splitlines() == ["0", "/x", "gull tern"]
    assert (machine.home / "own/size").read_text() == "52\n"
    assert machine.docker("run", "--rm", "--entrypoint", "cat", "birds", "/etc/birds") == "351 cm\n"
    machine.docker("run", "--rm", "-v", "kept:/data", "birds", "echo 1 > /data/one")
    assert machine.docker("run", "--rm", "-v", "kept:/data", "birds", "cat /data/one") == "1\n"


def test_a_command_ends_with_the_images_own_status(machine: Machine) -> None:
    assert machine.docker("run", "--rm", "birds", "exit 3", status=3) == ""
    assert "signal 15" in machine.docker("run", "--rm", "birds", "kill -TERM $$", status=255)
    assert "no program" in machine.docker("run", "--rm", "--entrypoint", "fly", "birds", status=127)


def test_what_is_kept_running_can_be_looked_at_entered_and_ended(machine: Machine) -> None:
    assert machine.docker("run", "-d", "--name", "web", "-p", "0:4000", "birds", "echo up; exec sleep 100") == "web\n"
    assert re.search(r"web +birds +Up +0\.0\.0\.0:\d+->4000/tcp", machine.docker("ps"))
    entered = machine.docker("exec", "-e", "A=1", "web", "dash", "-c", "echo $A $BIRD; cat /etc/birds")
    assert entered == "1 albatross\n351 cm\n"
    assert machine.docker("logs", "web") == "up\n"
    assert "there is a container called 'web'" in machine.docker("run", "--name", "web", "birds", "echo", status=125)
    assert "stop it first" in machine.docker("rm", "web", status=1)
    machine.docker("stop", "web")
    assert machine.docker("ps", "-q") == "" and "Exited (255)" in machine.docker("ps", "-a")
    machine.docker("rm", "web")
    assert machine.docker("ps", "-aq") == ""


def test_what_does_not_want_to_end_is_killed_with_all_that_it_started(machine: Machine) -> None:
    deaf = "trap '' TERM; sleep 4321 & while :; do sleep 1; done"
    machine.docker("run", "-d", "--name", "deaf", "birds", deaf)
    machine.docker("rm", "-f", "deaf")
    left = subprocess.run(["pgrep", "-f", str(machine.home / ".containers")], capture_output=True, text=True).stdout
    assert left == ""


SERVER = """
import http.server as h
h.ThreadingHTTPServer(("127.0.0.1", 38471), h.SimpleHTTPRequestHandler).serve_forever()
"""


def test_a_published_port_leads_to_what_the_image_listens_on(machine: Machine) -> None:
    # The image shows this machine's own Python: what it listens on is on the loopback that both share.
    python = Path(os.path.realpath(sys.executable))
    shown = [f"--volume={place}:{place}" for place in (python.parents[1], "/usr", "/lib", "/lib64")]
    line = ["run", "-d", "--name", "web", "-p", "0:38471", "-w", "/etc", *shown, "--entrypoint", str(python)]
    machine.docker(*line, "birds", "-c", SERVER)
    at = re.search(r":(\d+)->38471", machine.docker("ps"))
    assert at is not None, machine.docker("logs", "web")
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    for _ in range(100):
        try:
            assert ask(f"http://127.0.0.1:{at[1]}/birds", timeout=5).read() == b"351 cm\n"
            break
        except OSError:
            time.sleep(0.1)
    else:
        pytest.fail(machine.docker("logs", "web"))
