"""The command: what stands behind `docker`, and what it answers where an engine would do something else."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from . import asked, running
from .image import Image, is_meant
from .image import read as read_image
from .prepared import again, prepare
from .store import Store
from .unpacking import unpack
from .wrong import CLIENT, Wrong

HELP = """\
There is no container engine in this machine. This command runs the one image that was handed in, as the command lines
of an image's description ask for it, with PRoot: its own root folder, entrypoint, environment, user and working folder.

  docker run [OPTIONS] IMAGE [COMMAND...]   -d -e -i -t -u -v -w -p -P --rm --name --entrypoint --env-file --mount ...
  docker exec [OPTIONS] CONTAINER COMMAND   in a container that runs
  docker ps [-a] | logs [-f] CONTAINER | stop | kill | wait | rm [-f] CONTAINER
  docker images | pull IMAGE | inspect IMAGE | version

Where this is not what an engine does:
  - An image shares this machine's own loopback. What it listens on is reached at 127.0.0.1 without -p too, and
    -p 8080:80 is a port 8080 that leads to its port 80. Two that listen on the same port get in each other's way.
  - Its root folder, its users and its processes are its own to look at, and are kept apart by nothing: it can see this
    machine's processes. What keeps it from everything else is the machine's own boundary. Do not rely on :ro.
  - Only one user exists. A program that asks who it is is told what the image says; giving files away does nothing.
  - A program that a signal ends has the status 255, and the signal is said.
  - Limits of memory and processors are the machine's. Options that have no bearing are named and passed over.
  - Its only way out is the machine's own proxy, which it is told of in HTTP_PROXY and the like.
"""


def main(words: Sequence[str], layout: str, folder: str) -> int:
    """Do what a command line asks for, and return the exit status.

    Args:
        words: The command line, from behind `docker` on.
        layout: The OCI layout of the image that was handed in.
        folder: Where containers are kept.
    """
    rest = list(words)
    if rest[:1] in (["container"], ["image"]):
        rest = rest[1:]
    if not rest or rest[0] in ("help", "--help", "-h") or rest[1:2] == ["--help"]:
        sys.stdout.write(HELP)
        return 0
    name = {"ls": "images" if words[0] == "image" else "ps"}.get(rest[0], rest[0])
    try:
        image = read_image(layout)
        store = Store(folder)
        if name not in _COMMANDS:
            raise Wrong(f"`docker {name}` is not done here; `docker --help` says what is.")
        return _COMMANDS[name](image, store, rest[1:])
    except Wrong as wrong:
        sys.stderr.write(f"docker: {wrong}\n")
        return wrong.status
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        sys.stderr.write(f"docker: {error.strerror or error}{where}.\n")
        return CLIENT
    except (ValueError, TypeError, AttributeError) as error:
        # What an image says of itself may be of any shape, and so may what somebody types.
        sys.stderr.write(f"docker: what the image or the command line says cannot be carried out: {error}.\n")
        return CLIENT


def _run(image: Image, store: Store, words: list[str]) -> int:
    wanted = asked.read(words)
    if not is_meant(image, wanted.image):
        raise Wrong(f"there is no image {wanted.image!r} in this machine; the one here is {image.name}.")
    running.proot()
    if wanted.idle:
        running.say(f"{', '.join(dict.fromkeys(wanted.idle))} has no bearing here and is passed over")
    container = store.new(wanted.last("name"))
    try:
        unpack(image.layers, container.root)
        prepared = prepare(image, wanted, container.root, store.volumes, os.environ, container.name)
        forwarders = running.hold(prepared)
    except BaseException:
        container.remove()
        raise
    led = tuple(one._replace(outside=held.outside) for one, held in zip(prepared.ports, forwarders, strict=True))
    container.keep(replace(prepared, ports=led), image.name)
    if "detach" in wanted.flags:
        running.background(container, prepared, forwarders)
        sys.stdout.write(f"{container.name}\n")
        return 0
    container.note(keeper=os.getpid())
    status = running.foreground(prepared, forwarders)
    container.note(exit=status)
    if "rm" in wanted.flags:
        container.remove()
    return status


def _exec(image: Image, store: Store, words: list[str]) -> int:
    wanted = asked.read(words)
    container = store.get(wanted.image)
    if not container.runs:
        raise Wrong(f"the container {container.name} does not run.", 1)
    return running.foreground(again(container.prepared(), wanted, os.environ))


def _ps(image: Image, store: Store, words: list[str]) -> int:
    every = bool({"-a", "--all", "-aq", "-qa"} & set(words))
    shown = [one for one in store.all() if every or one.runs]
    if not {"-q", "--quiet", "-aq", "-qa"} & set(words):
        sys.stdout.write(f"{'NAME':<24} {'IMAGE':<32} {'STATUS':<12} PORTS\n")
    for one in shown:
        if {"-q", "--quiet", "-aq", "-qa"} & set(words):
            sys.stdout.write(f"{one.name}\n")
            continue
        state = "Up" if one.runs else f"Exited ({one.state.get('exit')})"
        led = ", ".join(f"{p.address}:{p.outside}->{p.inside}/tcp" for p in one.prepared().ports)
        sys.stdout.write(f"{one.name:<24} {one.state.get('image', ''):<32} {state:<12} {led}\n")
    return 0


def _logs(image: Image, store: Store, words: list[str]) -> int:
    container = store.get(_one(words))
    follow = bool({"-f", "--follow"} & set(words))
    with open(container.log, "rb") as log:
        while True:
            runs = container.runs
            while piece := log.read(65536):
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            if not (follow and runs):
                return 0
            time.sleep(0.1)


def _stop(image: Image, store: Store, words: list[str]) -> int:
    usual = getattr(signal, str(image.settings.get("StopSignal") or "SIGTERM"), signal.SIGTERM)
    for name in _names(words):
        running.stop(store.get(name), usual)
        sys.stdout.write(f"{name}\n")
    return 0


def _kill(image: Image, store: Store, words: list[str]) -> int:
    for name in _names(words):
        running.stop(store.get(name), signal.SIGKILL)
        sys.stdout.write(f"{name}\n")
    return 0


def _wait(image: Image, store: Store, words: list[str]) -> int:
    container = store.get(_one(words))
    while container.runs:
        time.sleep(0.1)
    sys.stdout.write(f"{container.state.get('exit')}\n")
    return 0


def _rm(image: Image, store: Store, words: list[str]) -> int:
    for name in _names(words):
        container = store.get(name)
        if container.runs and not {"-f", "--force", "-fv", "-vf"} & set(words):
            raise Wrong(f"the container {name} runs: stop it first, or say -f.", 1)
        running.stop(container, signal.SIGKILL)
        container.remove()
        sys.stdout.write(f"{name}\n")
    return 0


def _images(image: Image, store: Store, words: list[str]) -> int:
    sys.stdout.write(f"{image.name}  {image.digest}  {image.platform}\n")
    return 0


def _pull(image: Image, store: Store, words: list[str]) -> int:
    said = _one(words)
    if not is_meant(image, said):
        raise Wrong(f"nothing can be pulled here; the image in this machine is {image.name}, pinned by its digest.", 1)
    sys.stdout.write(f"{image.name} is here, as it was pinned.\nDigest: {image.digest}\n")
    return 0


def _inspect(image: Image, store: Store, words: list[str]) -> int:
    said = _one(words)
    if is_meant(image, said):
        whole = {"Id": image.digest, "Name": image.name, "Platform": image.platform, "Config": image.settings}
    else:
        whole = store.get(said).state
    sys.stdout.write(f"{json.dumps([whole], indent=2, sort_keys=True)}\n")
    return 0


def _version(image: Image, store: Store, words: list[str]) -> int:
    sys.stdout.write("No container engine: images are run with PRoot (docker --help).\n")
    return 0


def _names(words: list[str]) -> list[str]:
    """Return what a command names, without options. The value of a number of seconds is no name."""
    found, before = [], ""
    for word in words:
        if not word.startswith("-") and before not in ("-t", "--time", "-s", "--signal", "-n", "--tail"):
            found.append(word)
        before = word
    if not found:
        raise Wrong("it is not said which one.")
    return found


def _one(words: list[str]) -> str:
    return _names(words)[0]


_COMMANDS: dict[str, Callable[[Image, Store, list[str]], int]] = {
    "run": _run,
    "exec": _exec,
    "ps": _ps,
    "logs": _logs,
    "stop": _stop,
    "kill": _kill,
    "wait": _wait,
    "rm": _rm,
    "images": _images,
    "pull": _pull,
    "inspect": _inspect,
    "version": _version,
}


def begin(subject: str) -> int:
    """Do what this process was started for, with the image in the folder `subject`."""
    home = os.environ.get("HOME") or str(Path.home())
    return main(sys.argv[1:], os.path.join(subject, "image"), os.path.join(home, ".containers"))
