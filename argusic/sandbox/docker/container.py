"""What the engine is asked for: one container without network and privileges, and held to its limits. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argusic.sandbox.docker.gpu import requests
from argusic.sandbox.docker.image import USER, own_ulimits
from argusic.sandbox.docker.refused import profile
from argusic.sandbox.docker.traces import owner_labels, title
from argusic.sandbox.protocol import SandboxSpec
from argusic.sandbox.supervised.environment import CA_BUNDLE, USUAL_PATH, environment

#: The Python that images have to have, for the supervisor.
INTERPRETER = Path("/usr/bin/python3")
#: Where the folder of the line to the host is shown inside, read-only.
LINE_FOLDER = "/run/argusic"
#: The name of the machine inside.
HOST_NAME = "sandbox"
#: Size of the shared memory inside, in bytes.
SHARED_MEMORY = 64 * 1024 * 1024
#: The folder of the line: the program that the container begins with, and files that take an image's place.
ENTRY, CERTIFICATES, RESOLVER, PROFILE = "entry.py", "certificates.pem", "resolv.conf", "seccomp.json"


@dataclass(frozen=True)
class Request:
    """One container to ask for.

    Attributes:
        spec: The sandbox.
        image: The id of the image made ready.
        variables: The environment variables that the image sets.
        line: The host's folder of the line.
        certificates: Whether it holds a bundle of certificates.
        profile: Where the profile of refused system calls lies; None for an engine that is told its content.
        runtime: The program to run the container with, where that is not the engine's usual one.
    """

    spec: SandboxSpec
    image: str
    variables: Mapping[str, str]
    line: Path
    certificates: bool
    profile: Path | None = None
    runtime: str | None = None

    @property
    def name(self) -> str:
        """The container's name."""
        return f"argusic-{self.spec.name}"

    @property
    def argv(self) -> list[str]:
        """Its command."""
        return [str(INTERPRETER), "-I", "-S", "-B", f"{LINE_FOLDER}/{ENTRY}", LINE_FOLDER, title(self.spec.name)]

    def host(self) -> dict[str, Any]:
        """Return what the host grants it."""
        limits = self.spec.limits
        memory = limits.memory_mb * 1_000_000
        granted: dict[str, Any] = {
            "network_mode": "none",
            "ipc_mode": "private",
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges", f"seccomp={self.profile or profile()}"],
            "mem_limit": memory,
            "memswap_limit": memory,
            "nano_cpus": int(limits.cpus * 1_000_000_000),
            # The supervisor is the referee's, not the agent's.
            "pids_limit": limits.processes + 1,
            "ulimits": own_ulimits(),
            "shm_size": SHARED_MEMORY,
            "binds": self._binds(),
            # What the first process says where it cannot start; commands write elsewhere.
            "log_config": {"Type": "json-file", "Config": {"max-size": "100k", "max-file": "1"}},
        }
        if self.spec.gpu:
            granted["device_requests"] = requests()
        if self.runtime is not None:
            granted["runtime"] = self.runtime
        return granted

    def _binds(self) -> list[str]:
        binds = [f"{self.line}:{LINE_FOLDER}:ro", f"{self.line / RESOLVER}:/etc/resolv.conf:ro"]
        return binds + ([f"{self.line / CERTIFICATES}:{CA_BUNDLE}:ro"] if self.certificates else [])

    def details(self) -> dict[str, Any]:
        """Return what else it is."""
        path = self.variables.get("PATH", USUAL_PATH)
        node = "npm_config_nodedir" in self.variables
        ours = environment(self.spec, certificates=self.certificates, node=node, path=path)
        return {
            "user": f"{USER}:{USER}",
            "hostname": HOST_NAME,
            "working_dir": "/",
            "environment": {**self.variables, **ours},
            "labels": owner_labels(self.spec.name),
            "healthcheck": {"test": ["NONE"]},
            "stop_signal": "SIGKILL",
        }
