"""Probes of what desktop applications and subjects with a GPU need: a virtual display, a film of it, GPUs."""

from __future__ import annotations

import shutil

from argusic.evidence.reel import video
from argusic.referee.probes.probe import Probe, installing
from argusic.sandbox.bubblewrap import Bubblewrap
from argusic.sandbox.gpus import gpus

#: The programs of NVIDIA's container toolkit, either of which shows that it is here.
_TOOLKIT = ("nvidia-container-runtime-hook", "nvidia-ctk")


def display() -> Probe:
    """Look for what films a display, and for the display of the bubblewrap sandbox; the published image has one."""
    name = "display"
    no_film, no_display = video.lack(), Bubblewrap().lack_of("display")
    lacks = [package for package, lack in (("xvfb", no_display), ("ffmpeg", no_film)) if lack]
    if not lacks:
        return Probe(name, True, "Xvfb shows desktop applications, and ffmpeg films them.")
    found = " ".join(f"{what[:1].upper()}{what[1:].rstrip('.')}." for what in (no_display, no_film) if what)
    without = "Attempts on desktop applications." if no_film else "Attempts on desktop applications under bubblewrap."
    return Probe(name, False, found, mend=installing(" ".join(lacks)), without=without)


def gpu() -> Probe:
    """Look for an NVIDIA GPU, and for what gives it to containers."""
    name, without = "gpu", "The tier `gpu`, and subjects that need a GPU."
    found = gpus()
    if isinstance(found, str):
        return Probe(name, False, found, without=without)
    here = "; ".join(f"{one.name}, {one.memory_mb} MiB, driver {one.driver}" for one in found)
    if any(shutil.which(program) for program in _TOOLKIT):
        return Probe(name, True, f"{here}.")
    lacks = f"{here}. No container gets it: NVIDIA's container toolkit is not here."
    return Probe(name, False, lacks, mend=installing("nvidia-container-toolkit"), without=without)
