"""Makes sandboxes with a container engine: an image by digest, and of the host nothing but its kernel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from argusic.records.manifest import GpuFacts
from argusic.sandbox.docker.container import ENTRY
from argusic.sandbox.docker.engine import Engine, EngineError, address
from argusic.sandbox.docker.gpu import gpus_for
from argusic.sandbox.docker.image import found, made_ready
from argusic.sandbox.docker.starting import Machine, start
from argusic.sandbox.docker.traces import line_folder, remove_traces, sweep
from argusic.sandbox.protocol import Need, SandboxSpec, SandboxStartFailed
from argusic.sandbox.supervised.sandbox import SupervisedSandbox

#: The environment variable that names the image, in place of the published one.
IMAGE_VARIABLE = "ARGUSIC_IMAGE"
#: The environment variable that names another program to run containers with, such as gVisor's `runsc`.
RUNTIME_VARIABLE = "ARGUSIC_RUNTIME"
_UNNAMED = f"No image is named: there is no published one in this database, and {IMAGE_VARIABLE} names none."


class Docker:
    """The provider `docker`; implements `Provider`.

    Args:
        images: The image, by every digest that an engine may know it by. `ARGUSIC_IMAGE` names another in its place.
        at: The engine's address; None for what `DOCKER_HOST` names, or its usual place.
        runtime: The program to run containers with; None for the engine's usual one.
    """

    name = "docker"

    def __init__(self, images: Sequence[str] = (), at: str | None = None, runtime: str | None = None) -> None:
        named = os.environ.get(IMAGE_VARIABLE)
        self._images = (named,) if named else tuple(images)
        self._at = at or address()
        self._runtime = runtime or os.environ.get(RUNTIME_VARIABLE) or None

    @cached_property
    def machine(self) -> Machine | str:
        """What there is to make containers with, or why there is none and what mends that. Found out once.

        What dead processes have left with the engine is removed.
        """
        try:
            with Engine(self._at) as engine:
                sweep(engine)
                return self._look(engine)
        except EngineError as error:
            return f"{error}.".replace("..", ".")

    def image_lack(self) -> str | None:
        """Return why the image is not with the engine now, or None where it is. Fetches nothing."""
        if not self._images:
            return _UNNAMED
        try:
            with Engine(self._at) as engine:
                there = any(engine.image(reference) is not None for reference in self._images)
        except EngineError as error:
            return f"{error}."
        return None if there else f"The engine does not have the image {self._images[0]}."

    @cached_property
    def gpus(self) -> tuple[GpuFacts, ...] | str:
        """The GPUs that containers are given here, or in one sentence why they are given none. Found out once."""
        machine = self.machine
        if isinstance(machine, str):
            return machine
        try:
            with Engine(self._at) as engine:
                return gpus_for(engine, machine.ready, machine.runtime)
        except EngineError as error:
            return f"{error}."

    def _look(self, engine: Engine) -> Machine | str:
        facts = engine.facts()
        if not engine.is_local or facts.machine != os.uname().release:
            return f"The engine at {self._at} runs on another machine, and sandboxes are watched from this one."
        if self._runtime is not None and self._runtime not in facts.runtimes:
            known = ", ".join(facts.runtimes)
            return f"The engine has no runtime called {self._runtime}; it has {known}."
        if not self._images:
            return _UNNAMED
        image = found(engine, self._images)
        return Machine(self._at, facts, image, made_ready(engine, image), self._runtime)

    def lack(self) -> str | None:
        """Return in one sentence why this machine cannot run it and what mends that, or None where it can."""
        return self.machine if isinstance(self.machine, str) else None

    def lack_of(self, need: Need) -> str | None:
        """Return in one sentence why this machine cannot give a sandbox what some subjects need, or None where it can.

        A display's server is in the image: where it is not, that shows when one is started.
        """
        return self.gpus if need == "gpu" and isinstance(self.gpus, str) else None

    def start(self, spec: SandboxSpec) -> SupervisedSandbox:
        """Start a sandbox.

        Raises:
            SandboxStartFailed: It could not be started; nothing is left behind.
        """
        machine = self.machine
        if isinstance(machine, str):
            raise SandboxStartFailed(machine)
        if not spec.gpu:
            return start(machine, spec)
        if isinstance(self.gpus, str):
            raise SandboxStartFailed(self.gpus)
        return start(machine, spec, self.gpus)

    def reap(self, name: str, work: Path) -> None:
        """Remove whatever a dead process left of the sandbox called `name`, with the engine and on the host."""
        if not line_folder(work).exists():
            return
        try:
            with Engine(self._at) as engine:
                remove_traces(engine, name, work, starting=(line_folder(work) / ENTRY).exists())
        except EngineError:
            # What ran inside died with its owner. The container is removed when an engine answers again.
            remove_traces(None, name, work)
