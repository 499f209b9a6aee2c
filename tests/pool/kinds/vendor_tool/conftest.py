"""A vendor's site and a mirror of Debian on loopback, which speak over real sockets."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from argusic.sandbox.environment.mirror import Mirror
from tests.loopback import OnLoopback


@dataclass
class Site:
    """What a site answers, by path."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    leads: dict[str, str] = field(default_factory=dict)
    status: int = 200
    cut_at: int | None = None
    stall: float = 0.0
    states: bool = True
    asked: list[str] = field(default_factory=list)


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.path = unquote(self.path)
            site.asked.append(self.path)
            if site.status != 200:
                self.send_error(site.status)
                return
            if self.path in site.leads:
                self.send_response(302)
                self.send_header("Location", site.leads[self.path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if self.path not in site.files:
                self.send_error(404)
                return
            content = site.files[self.path]
            self.send_response(200)
            if site.states:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if site.cut_at is None else content[: site.cut_at])
            self.wfile.flush()
            time.sleep(site.stall)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def site() -> Iterator[Site]:
    held = Site()
    with OnLoopback(ThreadingHTTPServer(("127.0.0.1", 0), handler(held))) as server:
        held.url = f"http://127.0.0.1:{server.port}"
        yield held


def archive(files: Mapping[str, bytes], name: str = "wing-2.1") -> bytes:
    """Return a tar archive of a vendor's build, its files executable."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        for path, content in files.items():
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size, info.mode = len(content), 0o755
            made.addfile(info, io.BytesIO(content))
    return data.getvalue()


def deb(folder: Path, name: str, version: str, files: Mapping[str, str], summary: str = "Measures wings") -> bytes:
    """Return a package of Debian."""
    top = folder / f"{name}-{version}".replace(":", "_")
    (top / "DEBIAN").mkdir(parents=True)
    (top / "DEBIAN" / "control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {_architecture()}\nMaintainer: A <a@b.invalid>\n"
        f"Description: {summary}\n Of birds.\n"
    )
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
        (top / path).chmod(0o755 if "/bin/" in path else 0o644)
    made = folder / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", top, made], check=True, capture_output=True)
    return made.read_bytes()


def _architecture() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


class Unsigned(Mirror):
    """A mirror that nobody signed, which only a test believes."""

    def source(self, suite: str) -> str:
        return f"deb [trusted=yes] {self.address} {suite} main\n"


@dataclass
class Archive:
    """A Debian archive of one release on a site."""

    site: Site
    folder: Path
    stanzas: list[str] = field(default_factory=list)

    def mirror(self) -> Mirror:
        return Unsigned(f"{self.site.url}/debian", self.folder / "no-keys")

    def add(self, name: str, version: str, files: Mapping[str, str]) -> str:
        """Publish a package and return its digest."""
        content = deb(self.folder, name, version, files)
        sha256 = hashlib.sha256(content).hexdigest()
        path = f"pool/{name}_{version.rpartition(':')[2]}.deb"
        self.site.files[f"/debian/{path}"] = content
        control = "".join(
            f"{field}: {value}\n"
            for field, value in {
                "Package": name,
                "Version": version,
                "Architecture": _architecture(),
                "Filename": path,
                "Size": len(content),
                "SHA256": sha256,
                "Description": "Measures wings",
            }.items()
        )
        self.stanzas.append(control)
        self.publish()
        return sha256

    def publish(self) -> None:
        """Write the lists anew."""
        lists = "\n".join(self.stanzas).encode()
        place = f"main/binary-{_architecture()}/Packages"
        self.site.files[f"/debian/dists/stable/{place}"] = lists
        self.site.files["/debian/dists/stable/Release"] = (
            f"Origin: Debian\nSuite: stable\nCodename: wing\nVersion: 1.0\nArchitectures: {_architecture()}\n"
            f"Components: main\nDate: Mon, 30 Nov 2026 00:00:00 UTC\n"
            f"SHA256:\n {hashlib.sha256(lists).hexdigest()} {len(lists)} {place}\n"
        ).encode()


@pytest.fixture
def debian(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "no-keys").touch()
    return Archive(site, folder)
