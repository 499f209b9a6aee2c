"""An engine of a test's own, on a disk of its own: it can be killed, restarted and filled without harm to any other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from argusic.sandbox.docker.engine import Engine, EngineError
from tests.docker_image import a_small_image

_SECONDS = 40.0
#: Where an engine keeps layers, and writes down which it has.
_LAYERS = ("overlay2/*", "image/*/layerdb/*/*")


class OwnEngine:
    """A Docker engine without any network.

    Args:
        folder: Where it keeps everything.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.at = f"unix://{folder}/socket"
        self._group = folder.name

    def start(self) -> None:
        """Start it where it does not run, and wait until it answers."""
        if self._process is not None and self._process.poll() is None:
            return
        places = {"data-root": "data", "exec-root": "exec", "pidfile": "pid"}
        # Without a bridge of its own it would take away that of the machine's engine.
        argv = ["unshare", "--net", "dockerd", "--host", self.at]
        argv += ["--bridge=none", "--iptables=false", "--ip6tables=false"]
        argv += [f"--{option}={self.folder / name}" for option, name in places.items()]
        argv += [f"--cgroup-parent=/{self._group}"]
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(argv, stdout=log, stderr=log, env=environment, start_new_session=True)
        deadline = time.monotonic() + _SECONDS
        while True:
            try:
                Engine(self.at).close()
                return
            except EngineError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    said = (self.folder / "log").read_text(errors="replace")
                    raise AssertionError(f"the engine does not start: {said[-2000:]}") from None
                time.sleep(0.1)

    def load(self, image: str) -> None:
        """Copy an image over from the machine's own engine."""
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saved:
            subprocess.run(["docker", "--host", self.at, "load"], stdin=saved.stdout, check=True, capture_output=True)

    def keeps(self) -> dict[str, frozenset[str]]:
        """Return everything that there is of its containers and images: with it, on its disk, and in the kernel."""
        asked = {
            "containers": ["ps", "--all", "--quiet"],
            "images": ["images", "--all", "--quiet"],
            "networks": ["network", "ls", "--quiet"],
            "volumes": ["volume", "ls", "--quiet"],
        }
        found = {
            what: subprocess.check_output(["docker", "--host", self.at, *words], text=True).split()
            for what, words in asked.items()
        }
        mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        found |= {
            "layers": [str(path) for pattern in _LAYERS for path in (self.folder / "data").glob(pattern)],
            "mounts": [mount for mount in mounts if mount.startswith(f"{self.folder}/")],
            "groups": [str(path) for parent in self._groups() for path in parent.iterdir() if path.is_dir()],
            "processes": [str(pid) for pid in self._running("")],
        }
        return {what: frozenset(things) for what, things in found.items()}

    def kill(self) -> None:
        """Kill it, as the kernel does where memory runs out: its containers live on."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        # What it has started for itself would keep the next one from starting.
        for pid in self._running("containerd "):
            os.kill(pid, signal.SIGKILL)
        (self.folder / "exec" / "containerd" / "containerd.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """End it, as a restart of the service does: its containers end with it."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(_SECONDS)

    def remove(self) -> None:
        """End it and whatever it has started, and remove what it kept."""
        with suppress(subprocess.TimeoutExpired):
            self.stop()
        for pid in self._running(""):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        mounted = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        for place in sorted((path for path in mounted if path.startswith(f"{self.folder}/")), reverse=True):
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
        for group in self._groups():
            with suppress(OSError):
                group.rmdir()

    def _groups(self) -> list[Path]:
        """Return the control groups that its containers' groups are made in: one, or one of each controller."""
        return [*Path("/sys/fs/cgroup").glob(self._group), *Path("/sys/fs/cgroup").glob(f"*/{self._group}")]

    def _running(self, program: str) -> list[int]:
        """Return the processes of this engine that run a program, by the folder in their command lines."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                with suppress(OSError):
                    line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if f"{self.folder}/" in line and line.startswith(program):
                        found.append(int(folder.name))
        return found


@contextmanager
def an_own_engine() -> Iterator[OwnEngine]:
    """Give an engine that runs and has the small image; all of it is gone afterwards."""
    engine = OwnEngine(Path(tempfile.mkdtemp(prefix="argusic-engine-")))
    try:
        engine.start()
        engine.load(a_small_image())
        yield engine
    finally:
        engine.remove()
