"""GPUs for containers: asked for in the engine's own words, and tried once: only that shows whether it has them.

An image needs no driver. NVIDIA's container toolkit brings the machine's own into the container.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any, Final

from argusic.records.manifest import GpuFacts
from argusic.sandbox.docker.engine import Engine, EngineError
from argusic.sandbox.docker.image import USER
from argusic.sandbox.docker.traces import owner_labels
from argusic.sandbox.gpus import gpus

#: All of them, to compute with, and with the driver's own tools.
_ALL: Final = {"count": -1, "capabilities": [["gpu", "compute", "utility"]]}
_TRIAL: Final = "argusic-gpu"
_SECONDS: Final = 60.0


def requests() -> list[dict[str, Any]]:
    """Return what a container asks the engine for that is to have the machine's GPUs."""
    return [dict(_ALL)]


def gpus_for(engine: Engine, image: str, runtime: str | None) -> tuple[GpuFacts, ...] | str:
    """Return the GPUs that the engine gives to a container, or in one sentence why it gives none.

    Args:
        engine: The engine.
        image: The id of the image to try with.
        runtime: The program to run the container with, where that is not the engine's usual one.
    """
    found = gpus()
    if isinstance(found, str):
        return found
    host: Mapping[str, Any] = {
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "device_requests": requests(),
        **({"runtime": runtime} if runtime else {}),
    }
    try:
        container = engine.create(
            image,
            ["/bin/sh", "-c", "test -e /dev/nvidiactl || test -e /dev/dxg"],
            name=f"{_TRIAL}-{os.getpid()}-{random.getrandbits(32):x}",
            host=host,
            user=f"{USER}:{USER}",
            labels=owner_labels(_TRIAL),
        )
        try:
            engine.start(container)
            status = engine.wait(container, _SECONDS)
        finally:
            engine.remove(container)
    except EngineError as error:
        return _sentence(str(error).rstrip("."))
    return found if status == 0 else _sentence("a container that asked for them has none")


def _sentence(said: str) -> str:
    return (
        f"The container engine cannot give a container this machine's GPUs: {said}. "
        "NVIDIA's container toolkit lets it: install the package `nvidia-container-toolkit`, then run "
        "`nvidia-ctk runtime configure --runtime=docker` and restart the engine."
    )
