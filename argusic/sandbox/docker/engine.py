"""The container engine, as far as sandboxes need one. The only place that knows the Docker SDK.

Whatever speaks the same language will do: Podman's service, named by `DOCKER_HOST`, or an engine without root.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

_SECONDS = 60
_REMOVALS = 10
_REMOVAL_SECONDS = 0.2
_SOCKET = "unix:///var/run/docker.sock"


class EngineError(OSError):
    """The engine did not do what it was asked to.

    Attributes:
        status: The status of its answer; None where none came.
    """

    def __init__(self, sentence: str, status: int | None = None, number: int | None = None) -> None:
        full = "no space left on device" in sentence.lower() or "disk quota exceeded" in sentence.lower()
        super().__init__(errno.ENOSPC if full else number or errno.EIO, sentence)
        self.status = status

    def __str__(self) -> str:
        return str(self.strerror)


@dataclass(frozen=True)
class EngineFacts:
    """What an engine says of itself.

    Attributes:
        name: Which it is, and its version.
        folder: Where it keeps containers on its machine.
        machine: The name of the kernel that it runs on.
        limits: The limits that it cannot hold, by their names.
        runtimes: The programs that it can run containers with.
    """

    name: str
    folder: Path
    machine: str
    limits: tuple[str, ...]
    runtimes: tuple[str, ...]

    @property
    def reads_profiles(self) -> bool:
        """Whether it reads the profile of refused system calls from a file: Docker is told its content instead."""
        return self.name.startswith("Podman")


@dataclass(frozen=True)
class ImageFacts:
    """An image that an engine has.

    Attributes:
        id: The digest of its configuration.
        digests: The names by digest under which it was pulled.
        variables: The environment variables that it sets.
        labels: Its labels.
    """

    id: str
    digests: tuple[str, ...]
    variables: Mapping[str, str]
    labels: Mapping[str, str]


@dataclass(frozen=True)
class ContainerState:
    """A container as it is now.

    Attributes:
        running: Whether it runs.
        pid: Its first process on the engine's machine; 0 where there is none.
        status: Its exit status.
        out_of_memory: Whether something in it was killed for want of memory.
        layer: Where what was written in it lies on the engine's machine, if the engine says.
    """

    running: bool
    pid: int
    status: int
    out_of_memory: bool
    layer: Path | None


def address(environment: Mapping[str, str] | None = None) -> str:
    """Return where the engine is: what `DOCKER_HOST` names, or its usual socket."""
    return (os.environ if environment is None else environment).get("DOCKER_HOST") or _SOCKET


class Engine:
    """A connection to an engine. To be closed; safe to use from several threads.

    Args:
        at: Its address.
        seconds: How long it may take to answer.

    Raises:
        EngineError: Nothing answers there.
    """

    def __init__(self, at: str | None = None, *, seconds: float = _SECONDS) -> None:
        from docker import APIClient  # type: ignore[import-untyped]  # Loading it takes longer than most commands.
        from docker.tls import TLSConfig  # type: ignore[import-untyped]

        self.at = at or address()
        certificates = os.environ.get("DOCKER_CERT_PATH") if os.environ.get("DOCKER_TLS_VERIFY") else None
        tls: Any = None
        if certificates:
            pair = tuple(str(Path(certificates) / name) for name in ("cert.pem", "key.pem"))
            tls = TLSConfig(client_cert=pair, ca_cert=str(Path(certificates) / "ca.pem"), verify=True)
        with _understood(self.at):
            self._api = APIClient(self.at, version="auto", timeout=seconds, tls=tls or False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the engine."""
        self._api.close()

    @property
    def is_local(self) -> bool:
        """Whether it is reached over a socket of this machine."""
        return self.at.startswith(("unix://", "http+unix://", "/"))

    def facts(self) -> EngineFacts:
        """Return what the engine says of itself."""
        with _understood(self.at):
            said, version = self._api.info(), self._api.version()
        names = {part["Name"] for part in version.get("Components") or []}
        kind = "Podman" if "Podman Engine" in names else "Docker"
        holds = {"memory": "MemoryLimit", "processors": "CpuCfsQuota", "processes": "PidsLimit"}
        return EngineFacts(
            name=f"{kind} {version['Version']}",
            folder=Path(said.get("DockerRootDir") or "/"),
            machine=str(said.get("KernelVersion", "")),
            limits=tuple(name for name, key in holds.items() if not said.get(key)),
            runtimes=tuple(sorted(said.get("Runtimes") or {})),
        )

    def image(self, reference: str) -> ImageFacts | None:
        """Return an image that is there, or None."""
        with _understood(self.at):
            try:
                said = self._api.inspect_image(reference)
            except _api_error() as error:
                if error.response is not None and error.response.status_code == 404:
                    return None
                raise
        config = said.get("Config") or {}
        return ImageFacts(
            id=_digest(said["Id"]),
            digests=tuple(sorted(said.get("RepoDigests") or ())),
            variables=dict(line.split("=", 1) for line in config.get("Env") or () if "=" in line),
            labels=config.get("Labels") or {},
        )

    def pull(self, reference: str) -> None:
        """Fetch an image from where its name says."""
        with _understood(self.at):
            for line in self._api.pull(reference, stream=True, decode=True):
                if "error" in line:
                    raise EngineError(str(line["error"]))

    def commit(self, container: str, tag: str, labels: Mapping[str, str]) -> None:
        """Make an image of what a container has become."""
        name, _, version = tag.partition(":")
        changes = [f"LABEL {key}={value}" for key, value in labels.items()]
        with _understood(self.at):
            self._api.commit(container, name, version, changes=changes)

    def tag(self, image: str, tag: str) -> None:
        """Give an image one more name."""
        name, _, version = tag.partition(":")
        with _understood(self.at):
            self._api.tag(image, name, version)

    def forget_nameless(self, label: str) -> None:
        """Remove the images with a label (`name=value`) that have no name, but for what a container is made from."""
        with _understood(self.at):
            for image in self._api.images(quiet=True, filters={"dangling": True, "label": label}):
                with suppress(_api_error()):
                    self._api.remove_image(image, noprune=True)

    def create(self, image: str, argv: Sequence[str], *, name: str, host: Mapping[str, Any], **details: Any) -> str:
        """Make a container and return its id.

        Args:
            image: From which image.
            argv: Its command.
            name: Its name.
            host: What the host grants it, as the SDK's `create_host_config` takes it.
            details: What else it is, as the SDK's `create_container` takes it.
        """
        with _understood(self.at):
            granted = self._api.create_host_config(**host)
            made = self._api.create_container(
                image, entrypoint=list(argv), command=[], name=name, host_config=granted, **details
            )
        return str(made["Id"])

    def start(self, container: str) -> None:
        """Start a container."""
        with _understood(self.at):
            self._api.start(container)

    def wait(self, container: str, seconds: float) -> int:
        """Wait for a container's end and return its exit status."""
        with _understood(self.at):
            return int(self._api.wait(container, timeout=seconds)["StatusCode"])

    def kill(self, container: str) -> None:
        """Kill a container's first process, and with it all others."""
        with _understood(self.at):
            self._api.kill(container)

    def remove(self, container: str) -> None:
        """Kill a container if it runs, and remove it with everything that was written in it. Gone is fine."""
        for left in reversed(range(_REMOVALS)):
            try:
                with _understood(self.at):
                    self._api.remove_container(container, v=True, force=True)
                return
            except EngineError as error:
                # 409 says that somebody else is removing it at this moment.
                if error.status in (404, 409):
                    return
                # Podman fails on one that has ended at this moment, and Docker where a file is still held.
                if error.status is None or error.status < 500 or not left:
                    raise
            time.sleep(_REMOVAL_SECONDS)

    def said(self, container: str) -> str:
        """Return what a container's first process said."""
        with _understood(self.at):
            return bytes(self._api.logs(container, tail=20)).decode(errors="replace").strip()

    def state(self, container: str) -> ContainerState | None:
        """Return a container as it is now, or None where there is none."""
        try:
            with _understood(self.at):
                said = self._api.inspect_container(container)
        except EngineError as error:
            if error.status == 404:
                return None
            raise
        state = said["State"]
        data = (said.get("GraphDriver") or {}).get("Data") or {}
        layer = data.get("UpperDir") or data.get("Dir")
        return ContainerState(
            running=bool(state["Running"]),
            pid=int(state.get("Pid") or 0),
            status=int(state.get("ExitCode") or 0),
            out_of_memory=bool(state.get("OOMKilled")),
            layer=Path(layer) if layer else None,
        )

    def containers(self, label: str) -> dict[str, Mapping[str, str]]:
        """Return the labels of every container that has a label (`name` or `name=value`), by its id."""
        with _understood(self.at):
            found = self._api.containers(all=True, filters={"label": label})
        return {one["Id"]: one.get("Labels") or {} for one in found}

    def written(self, container: str) -> int:
        """Return how many bytes were written in a container."""
        with _understood(self.at):
            found = self._api.containers(all=True, size=True, filters={"id": container})
        return sum(int(one.get("SizeRw") or 0) for one in found)


def _knock(at: str) -> None:
    """Find out whether anything answers: the SDK leaves a socket open where nothing does."""
    path = at.removeprefix("http+").removeprefix("unix://")
    if not path.startswith("/"):
        return
    with socket.socket(socket.AF_UNIX) as caller:
        try:
            caller.connect(path)
        except OSError as error:
            raise EngineError(f"No container engine answers: {error.strerror or error}", number=error.errno) from error


@contextmanager
def _understood(at: str) -> Iterator[None]:
    """Turn whatever the SDK raises when it asks an engine into one error that says what was the matter."""
    from docker.errors import APIError, DockerException  # type: ignore[import-untyped]
    from requests.exceptions import RequestException

    _knock(at)
    try:
        yield
    except APIError as error:
        status = error.response.status_code if error.response is not None else None
        raise EngineError(_sentence(str(error.explanation or error)), status) from error
    except (DockerException, RequestException, ValueError) as error:
        cause = _cause(error)
        if cause is None:
            raise EngineError(f"No container engine answers: {_sentence(str(error))}") from error
        raise EngineError(f"No container engine answers: {cause.strerror}", number=cause.errno) from error


def _cause(error: BaseException | None) -> OSError | None:
    """Return what the system said, which the SDK wraps several times."""
    while error is not None:
        if isinstance(error, OSError) and isinstance(error.errno, int) and error.strerror:
            return error
        inner = next((arg for arg in error.args if isinstance(arg, BaseException)), None)
        error = inner or error.__cause__ or error.__context__
    return None


def _api_error() -> type[Any]:
    from docker.errors import APIError

    found: type[Any] = APIError
    return found


def _sentence(said: str) -> str:
    return " ".join(said.split())[:500] or "it does not say why"


def _digest(image: str) -> str:
    """Podman leaves out by which function a digest is made."""
    return image if ":" in image else f"sha256:{image}"
