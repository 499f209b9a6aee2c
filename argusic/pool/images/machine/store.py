"""The containers of this machine: a folder each, with its root, what it printed, and how it is."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from .ports import Published
from .prepared import Prepared
from .wrong import Wrong

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,99}")


class Store:
    """Where containers are kept.

    Args:
        folder: The folder, made when it is needed.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.volumes = os.path.join(folder, "volumes")

    def new(self, name: str | None) -> Container:
        """Make a new container's folder.

        Raises:
            Wrong: There is one of that name, or the name cannot be one.
        """
        chosen = name or secrets.token_hex(6)
        if not _NAME.fullmatch(chosen):
            raise Wrong(f"{chosen!r} is no container's name.")
        container = Container(os.path.join(self.folder, "containers", chosen))
        try:
            os.makedirs(container.folder)
        except FileExistsError as error:
            raise Wrong(f"there is a container called {chosen!r}: remove it with `docker rm -f {chosen}`.") from error
        return container

    def all(self) -> list[Container]:
        """Return every container, the oldest first."""
        parent = os.path.join(self.folder, "containers")
        names = os.listdir(parent) if os.path.isdir(parent) else []
        found = [Container(os.path.join(parent, name)) for name in names]
        return sorted((one for one in found if one.state), key=lambda one: one.state["began"])

    def get(self, name: str) -> Container:
        """Return a container by its name.

        Raises:
            Wrong: There is none.
        """
        found = [one for one in self.all() if one.name == name]
        if not found:
            raise Wrong(f"there is no container called {name!r}.", 1)
        return found[0]


class Container:
    """One container.

    Args:
        folder: Its folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(folder)
        self.root = os.path.join(folder, "root")
        self.log = os.path.join(folder, "log")
        self._file = os.path.join(folder, "state.json")

    @property
    def state(self) -> dict[str, Any]:
        """How it is; empty where it never began."""
        try:
            with open(self._file, encoding="utf-8") as file:
                says = json.load(file)
        except (OSError, ValueError):
            return {}
        return says if isinstance(says, dict) else {}

    @property
    def runs(self) -> bool:
        """Whether what keeps it is still there."""
        state = self.state
        return state.get("exit") is None and os.path.isdir(f"/proc/{state.get('keeper', 0)}")

    def note(self, **values: Any) -> None:
        """Write down how it is."""
        whole = {"began": time.time(), "exit": None, **self.state, **values}
        temporary = f"{self._file}.new"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(whole, file)
        os.replace(temporary, self._file)

    def keep(self, prepared: Prepared, image: str) -> None:
        """Write down what it is to run."""
        self.note(image=image, prepared=asdict(prepared))

    def prepared(self) -> Prepared:
        """Return what it runs."""
        says = self.state["prepared"]
        return Prepared(
            root=says["root"],
            words=tuple(says["words"]),
            environment=says["environment"],
            folder=says["folder"],
            user=(says["user"][0], says["user"][1]),
            shown=tuple((one[0], one[1]) for one in says["shown"]),
            ports=tuple(Published(*one) for one in says["ports"]),
        )

    def remove(self) -> None:
        """Throw it away, with all that it wrote outside of volumes."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.folder)
