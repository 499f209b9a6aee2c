"""Repositories behind a git server on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

Git = Callable[..., str]


@dataclass
class Server:
    """A git server."""

    folder: Path
    url: str
    git: Git

    def repository(self, name: str, files: Mapping[str, str]) -> Path:
        """Make a repository of one commit."""
        top = self.folder / name
        top.mkdir(parents=True)
        self.git(top, "init", "--quiet", "--initial-branch=main")
        for path, text in files.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)
        self.commit(top)
        return top

    def commit(self, top: Path) -> str:
        """Commit what changed, and return the commit."""
        self.git(top, "add", ".")
        self.git(top, "commit", "--quiet", "--allow-empty", "-m", "more")
        return self.head(top)

    def head(self, top: Path) -> str:
        return self.git(top, "rev-parse", "HEAD")

    def take_in(self, top: Path, path: str, url: str | None, commit: str) -> str:
        """Add a submodule to a repository, and return the repository's commit."""
        if url is not None:
            with (top / ".gitmodules").open("a") as file:
                file.write(f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n')
        self.git(top, "add", ".")
        self.git(top, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
        self.git(top, "commit", "--quiet", "-m", "submodule")
        return self.head(top)


@pytest.fixture
def server(tmp_path: Path, git: Git) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    daemon = subprocess.Popen(
        [
            *("git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"),
            *(f"--base-path={folder}", str(folder)),
        ],
        env={**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"},
        start_new_session=True,
    )
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield Server(folder, f"git://127.0.0.1:{port}", git)
    os.killpg(daemon.pid, 15)
    daemon.wait()
