"""The GPUs of this machine, as their own driver names them."""

from __future__ import annotations

import csv
import subprocess
from typing import Final

from argusic.records.manifest import GpuFacts

_ASK: Final = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
_SECONDS: Final = 30.0
_MOST: Final = 1000


def gpus() -> tuple[GpuFacts, ...] | str:
    """Return the GPUs that NVIDIA's driver names, or in one sentence why there are none."""
    try:
        done = subprocess.run(
            _ASK, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS
        )
    except FileNotFoundError:
        return "This machine has no GPU, or NVIDIA's driver is not installed: there is no nvidia-smi."
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"This machine's GPU cannot be used: nvidia-smi does not answer ({type(error).__name__})."
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        last = said.rpartition("\n")[2][:200].rstrip(".") or f"it ended with status {done.returncode}"
        return f"This machine's GPU cannot be used: nvidia-smi says: {last}."
    found = []
    for row in csv.reader(said.splitlines()[:_MOST], skipinitialspace=True):
        try:
            name, memory, driver = (field.strip()[:200] for field in row if field.isprintable())
            # A driver that shares its memory with the processor's names no figure.
            found.append(GpuFacts(name=name, memory_mb=int(memory) if memory.isdecimal() else 0, driver=driver))
        except ValueError:
            return "This machine's GPU cannot be used: nvidia-smi does not answer in the form that is known here."
    return tuple(found) or "This machine has no GPU: NVIDIA's driver names none."
