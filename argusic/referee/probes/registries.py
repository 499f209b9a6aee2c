"""Probes of the package registries, asked through their ordinary clients as this user has them configured."""

from __future__ import annotations

import os
import ssl
import sys
import tempfile
from pathlib import Path

from argusic.referee.probes.probe import Probe, ask, installing, last_line

#: Small packages that have been there for years.
PYTHON_PACKAGE = "iniconfig"
NODE_PACKAGE = "cowsay"


def python_packages(*, seconds: float = 60) -> Probe:
    """Download one small package with pip."""
    with tempfile.TemporaryDirectory() as folder:
        answer = ask(
            [sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "download",
             "--no-deps", "--no-cache-dir", "--retries", "1", "--dest", folder, PYTHON_PACKAGE],
            seconds=seconds,
        )  # fmt: skip
        arrived = any(Path(folder).iterdir())
    if answer.ok and arrived:
        return Probe("python packages", True, f"pip downloaded {PYTHON_PACKAGE}.")
    return Probe(
        "python packages",
        False,
        f"pip could not download {PYTHON_PACKAGE}: {last_line(answer.words)}",
        mend="python3 -m pip config debug",
        without="Attempts on packages, and on anything that installs from the Python package index.",
    )


def node_packages(*, seconds: float = 60) -> Probe:
    """Ask npm for the version of one small package."""
    without = "Subjects that install from the npm registry."
    # npm ends with a notice of its own newest release, now and then.
    answer = ask(["npm", "view", "--loglevel=error", NODE_PACKAGE, "version"], seconds=seconds)
    if answer.ok:
        return Probe("node packages", True, f"npm found {NODE_PACKAGE} {last_line(answer.words)}.")
    if answer.status is None and "No such file" in answer.words:
        return Probe("node packages", False, "npm is not here.", mend=installing("npm"), without=without)
    reason = f"npm could not find {NODE_PACKAGE}: {last_line(answer.words)}"
    return Probe("node packages", False, reason, mend="npm ping", without=without)


def certificates() -> Probe:
    """Look at the certificates that secure connections are checked against."""
    paths = ssl.get_default_verify_paths()
    context = ssl.create_default_context()
    count = context.cert_store_stats()["x509_ca"]
    folder = Path(paths.capath) if paths.capath else None
    if count == 0 and folder is not None and folder.is_dir():
        # A folder of certificates is read as they are needed, so the context does not count it.
        count = sum(1 for _ in folder.glob("*.0"))
    if count:
        return Probe("certificates", True, f"{count} certificate authorities ({paths.cafile or paths.capath}).")
    named = os.environ.get(paths.openssl_cafile_env)
    return Probe(
        "certificates",
        False,
        f"No certificate authorities ({named or paths.openssl_cafile}).",
        mend="unset SSL_CERT_FILE SSL_CERT_DIR" if named else installing("ca-certificates"),
        without="Every secure connection: package registries, git over https.",
    )
