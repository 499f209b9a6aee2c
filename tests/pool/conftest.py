"""What the pool's tests share: a package index on loopback, a stand-in sandbox that can reach it, and git folders.

The real sandbox refuses loopback, so pip and npm are let loose on the local index in a folder of the host. The real
sandbox and the real registry are met in `test_real_packages.py`.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import socket
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

import pytest

from argusic.pool.kinds.protocol import Workshop
from argusic.records.manifest import EnvironmentFacts, SandboxFacts
from argusic.records.run import Ending, LimitHit
from argusic.sandbox.protocol import HOME_FOLDER, Completed, Sandbox, TerminalProcess, TerminalSize


class HostFolder:
    """Runs commands in a folder of the host, for what needs a server on loopback."""

    def __init__(self, folder: Path, index: str) -> None:
        self._folder = folder
        self._index = index
        self.destroyed = False

    @property
    def facts(self) -> SandboxFacts:
        raise NotImplementedError

    def environment(self) -> EnvironmentFacts:
        raise NotImplementedError

    def spawn(
        self,
        argv: Sequence[str],
        *,
        size: TerminalSize = TerminalSize(),
        folder: str = HOME_FOLDER,
        environment: Mapping[str, str] | None = None,
    ) -> TerminalProcess:
        raise NotImplementedError

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        folder: str = HOME_FOLDER,
        timeout: float = 60,
        max_output: int = 64_000_000,
    ) -> Completed:
        done = subprocess.run(
            [part.replace(HOME_FOLDER, str(self._folder)) for part in argv],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._folder,
            timeout=timeout,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self._folder),
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_INDEX_URL": self._index,
                "npm_config_registry": self._index.replace("/simple/", "/npm/"),
                "npm_config_cache": str(self._folder / ".npm"),
            },
        )
        return Completed(done.returncode, done.stdout, False, False)

    def put(self, source: Path, destination: str) -> None:
        raise NotImplementedError

    def get(self, path: str, *, max_bytes: int) -> bytes | None:
        return Path(path.replace(HOME_FOLDER, str(self._folder))).read_bytes()

    def open(self, path: str) -> BinaryIO | None:
        raise NotImplementedError

    def connect(self, path: str) -> socket.socket:
        raise NotImplementedError

    def watch(self) -> None:
        return None

    def limits_hit(self) -> tuple[LimitHit, ...]:
        return ()

    def ended(self) -> Ending | None:
        return None

    def destroy(self) -> None:
        self.destroyed = True


@dataclass
class Index:
    """A package index that holds what a test puts into it."""

    url: str = ""
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    archives: dict[str, dict[str, bytes]] = field(default_factory=dict)
    says: dict[str, str] = field(default_factory=dict)
    hashes: bool = True
    status: int = 200
    failures: int = 0
    asked: list[str] = field(default_factory=list)

    def add(self, project: str, file: str, content: bytes) -> str:
        """Publish a file and return its digest."""
        self.files.setdefault(project, {})[file] = content
        return hashlib.sha256(content).hexdigest()

    def publish(self, name: str, version: str, archive: bytes, *, integrity: str | None = None) -> str:
        """Publish an archive of npm and return the integrity that it has; `integrity` is what the registry claims."""
        self.archives.setdefault(name, {})[version] = archive
        found = f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"
        self.says[f"{name}@{version}"] = integrity or found
        return found

    def packument(self, name: str) -> dict[str, Any]:
        """Return what npm's registry says of a package."""
        top = self.url.replace("/simple/", "/archive/")
        versions = {
            version: {
                "name": name,
                "version": version,
                "dist": {"tarball": f"{top}{name}/{version}.tgz", "integrity": self.says[f"{name}@{version}"]},
            }
            for version in self.archives[name]
        }
        return {"name": name, "dist-tags": {"latest": list(versions)[-1]}, "versions": versions}

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return what the index says to a request."""
        self.asked.append(path)
        if self.failures > 0:
            self.failures -= 1
            return 503, b""
        if self.status != 200:
            return self.status, b""
        match unquote(path).strip("/").split("/"):
            case ["npm", *parts] if "/".join(parts) in self.archives:
                return 200, json.dumps(self.packument("/".join(parts))).encode()
            case ["archive", *parts, file] if file.removesuffix(".tgz") in self.archives.get("/".join(parts), {}):
                return 200, self.archives["/".join(parts)][file.removesuffix(".tgz")]
            case ["simple", project] if project in self.files:
                links = "".join(
                    f'<a href="/file/{project}/{name}{f"#sha256={hashlib.sha256(data).hexdigest()}" * self.hashes}">'
                    f"{name}</a>"
                    for name, data in self.files[project].items()
                )
                return 200, f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
            case ["file", project, name] if name in self.files.get(project, {}):
                return 200, self.files[project][name]
        return 404, b""


@pytest.fixture
def index() -> Iterator[Index]:
    held = Index()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = held.answer(self.path)
            self.send_response(status)
            self.send_header(
                "Content-Type", "text/html" if self.path.startswith("/simple") else "application/octet-stream"
            )
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    held.url = f"http://127.0.0.1:{server.server_address[1]}/simple/"
    yield held
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Said:
    """A workshop and what was said in it."""

    workshop: Workshop
    opened: list[HostFolder]
    said: list[str]


@pytest.fixture
def workshop(tmp_path: Path, index: Index) -> Said:
    """A workshop whose sandboxes are folders of the host and whose registry is the local index."""
    opened: list[HostFolder] = []
    said: list[str] = []

    def open_sandbox() -> Sandbox:
        folder = tmp_path / f"sandbox-{len(opened)}"
        folder.mkdir()
        opened.append(HostFolder(folder, index.url))
        return opened[-1]

    return Said(Workshop(tmp_path / "cache", open_sandbox, said.append), opened, said)


def wheel(name: str, version: str, *, summary: str = "Says a thing.") -> tuple[str, bytes]:
    """Return the file name and content of a small wheel."""
    info = f"{name}-{version}.dist-info"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in {
            f"{name}.py": "SAID = 1\n",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": "",
        }.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{name}-{version}-py3-none-any.whl", data.getvalue()


def node_package(name: str, version: str, files: Mapping[str, str] | None = None, **manifest: object) -> bytes:
    """Return the archive of a package of npm."""
    data = io.BytesIO()
    says = {"name": name, "version": version, "description": "Says a thing.", **manifest}
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, text in {"package.json": json.dumps(says), "README.md": f"# {name}\n", **(files or {})}.items():
            info = tarfile.TarInfo(f"package/{path}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return data.getvalue()


def sdist(name: str, version: str, files: Mapping[str, bytes], *, executable: Sequence[str] = ()) -> tuple[str, bytes]:
    """Return the file name and content of a source distribution."""
    data = io.BytesIO()
    metadata = f"Metadata-Version: 1.0\nName: {name}\nVersion: {version}\nSummary: UNKNOWN\n".encode()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, content in {"PKG-INFO": metadata, **files}.items():
            info = tarfile.TarInfo(f"{name}-{version}/{path}")
            info.size = len(content)
            info.mode = 0o755 if path in executable else 0o644
            archive.addfile(info, io.BytesIO(content))
    return f"{name}-{version}.tar.gz", data.getvalue()


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git as a person would, under settings of no one."""

    def run(folder: Path, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", *arguments],
            cwd=folder,
            input=stdin.encode(),
            capture_output=True,
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace").strip()

    return run


@pytest.fixture
def project(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A small repository with two commits and a tag."""
    folder = tmp_path / "origin" / "project"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=trunk")
    (folder / "README.md").write_text("# project\n")
    (folder / "run.sh").write_text("echo hello\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("README.md")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    (folder / "more").mkdir()
    (folder / "more" / "data").write_bytes(b"\0\xff\r\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "second")
    git(folder, "tag", "v1")
    return folder
