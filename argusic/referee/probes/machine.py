"""Probes of the machine itself: Python, git, memory, disk, GPU, browser, and whether a model key is set."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

from argusic.referee.probes.probe import Probe, ask, installing, last_line
from argusic.sandbox.protocol import Limits

#: Environment variables that a model key may be in. Names are looked at, never values.
KEY_NAMES = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY")
#: What a headless browser may be called.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def python() -> Probe:
    """Look at the Python that runs this."""
    return Probe("python", sys.version_info >= (3, 11), f"Python {platform.python_version()}.", needed=True)


def git() -> Probe:
    """Look for git, which subjects are fetched with and the database lives in."""
    answer = ask(["git", "--version"])
    if answer.ok:
        return Probe("git", True, answer.words.removeprefix("git ").capitalize() + ".", needed=True)
    return Probe(
        "git",
        False,
        "git does not start.",
        mend=installing("git"),
        without="Any attempt, and the database.",
        needed=True,
    )


def memory() -> Probe:
    """Compare the memory that is free with what one sandbox may use."""
    free, wanted = psutil.virtual_memory().available // 1_000_000, Limits().memory_mb
    return Probe(
        "memory",
        free >= wanted,
        f"{free:,} MB free; a sandbox may use {wanted:,} MB.",
        without=None if free >= wanted else "Subjects that use all they may: they would press on this machine.",
    )


def disk(folder: Path) -> Probe:
    """Compare the disk that is free under `folder` with what one sandbox may use."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    free, wanted = shutil.disk_usage(there).free // 1_000_000, Limits().disk_mb
    enough = free >= wanted
    return Probe(
        "disk",
        enough,
        f"{free:,} MB free at {there}; a sandbox may use {wanted:,} MB.",
        without=None if enough else "Attempts that use all they may, and keeping their evidence.",
    )


def browser() -> Probe:
    """Look for a headless browser that starts."""
    for name in BROWSERS:
        answer = ask([name, "--version"])
        if answer.ok:
            return Probe("browser", True, f"{last_line(answer.words)} ({shutil.which(name)}).")
    return Probe(
        "browser",
        False,
        "No Chromium starts.",
        mend=installing("chromium"),
        without="The browser tests of the site.",
    )


def model_key(environment: Mapping[str, str]) -> Probe:
    """Look for a model key among the environment variables, by name alone."""
    names = [name for name in KEY_NAMES if environment.get(name)]
    if names:
        return Probe("model key", True, f"{', '.join(names)} is set.")
    return Probe(
        "model key",
        False,
        f"None of {', '.join(KEY_NAMES)} is set.",
        mend=f"export {KEY_NAMES[-1]}=...",
        without="Agents that call a model. `newcomer` needs none.",
    )


def evidence_store(folder: Path) -> Probe:
    """Try to write a file into the evidence store."""
    trial = folder / f".doctor-{psutil.Process().pid}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.write_bytes(b"")
        trial.unlink()
    except OSError as error:
        return Probe(
            "evidence store",
            False,
            f"{folder} cannot be written: {error.strerror}.",
            mend="export ARGUSIC_EVIDENCE=$HOME/argusic-evidence",
            without="Any attempt: its evidence could not be kept.",
            needed=True,
        )
    return Probe("evidence store", True, f"{folder} can be written.", needed=True)
