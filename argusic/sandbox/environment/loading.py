"""An image handed to what can run it: an engine, through its ordinary client, or a folder as its root."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from argusic.errors import EnvironmentLack, InputError
from argusic.records.environment import Image, Tool
from argusic.sandbox.environment import image as images
from argusic.sandbox.environment.build import Made
from argusic.sandbox.environment.programs import clean, failed, need, run

_INSPECT_SECONDS = 30.0
_LOAD_SECONDS = 900.0
_UNPACK_SECONDS = 900.0
_TOOL_SECONDS = 180.0
#: A tool's own container: no way out, nothing left behind.
_ALONE = ("--rm", "--network=none", "--init", "--security-opt=no-new-privileges", "--pids-limit=512", "--memory=2g")


def engine_answers() -> bool:
    """Return whether a Docker engine answers here."""
    if shutil.which("docker") is None:
        return False
    try:
        run(["docker", "version", "--format", "{{.Server.Version}}"], seconds=_INSPECT_SECONDS)
    except EnvironmentLack:
        return False
    return True


def known(image: Image) -> str | None:
    """Return the digest by which the engine knows an image; None where it does not have it."""
    # An engine with a content store goes by the manifest's digest, any other by the configuration's.
    for digest in (image.image, image.manifest):
        try:
            run(["docker", "image", "inspect", "--format", "{{.Id}}", digest], seconds=_INSPECT_SECONDS)
        except EnvironmentLack:
            continue
        return digest
    return None


def load(made: Made) -> bool:
    """Load an image into the engine where it is not there yet, and return whether it had to be.

    Raises:
        EnvironmentLack: No engine answers, or it refuses the image.
    """
    if known(made.image) is not None:
        return False
    argv = [need("docker"), "load", "--quiet"]
    with subprocess.Popen(
        argv, env=clean(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        try:
            for block in images.stream(made.folder / images.FOLDER):
                process.stdin.write(block)
            process.stdin.close()
        except BrokenPipeError:
            pass  # It has given up; what it says follows.
        try:
            status = process.wait(_LOAD_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise EnvironmentLack(f"docker load did not end within {_LOAD_SECONDS:g} s.") from None
        if status:
            raise failed("docker load", process.stderr.read().decode("utf-8", "replace").splitlines())
    if known(made.image) is None:
        raise EnvironmentLack(f"The engine loaded the image, and does not know it as {made.image.image}.")
    return True


def unpack(made: Made, folder: Path) -> None:
    """Unpack an image's root folder into a new folder.

    Raises:
        InputError: The folder exists and holds something.
        EnvironmentLack: It could not be unpacked.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    layer = images.layer_path(made.folder / images.FOLDER, made.image.layer)
    # Devices are the sandbox's own, and only root could make them.
    argv = [
        "tar",
        "--extract",
        "--numeric-owner",
        "--exclude=./dev/*",
        "--directory",
        str(folder),
        "--file",
        str(layer),
    ]
    run(argv, seconds=_UNPACK_SECONDS)


class Answer(NamedTuple):
    """What a promised program answered."""

    tool: Tool
    ok: bool
    """Whether it ended with 0 and said what it was to say."""
    said: str
    """Its output."""


def ask(digest: str, tool: Tool) -> Answer:
    """Run a promised program's command in a container of its own.

    Args:
        digest: The image, as the engine knows it.
        tool: The program.
    """
    argv = [need("docker"), "run", *_ALONE, digest, "/bin/sh", "-c", tool.command]
    try:
        done = subprocess.run(
            argv,
            env=clean(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TOOL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(tool, False, f"no answer within {_TOOL_SECONDS:g} s")
    said = done.stdout.decode("utf-8", "replace").strip()
    return Answer(tool, done.returncode == 0 and tool.says in said, said)
