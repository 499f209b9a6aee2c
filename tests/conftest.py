"""What a test may need of the machine: a sandbox, the network, a browser, a Docker engine.

A test says so with a marker. Where the need is absent it is skipped with the reason; where the environment
variable ARGUSIC_REQUIRE names the need (`sandbox,network,browser`), absence is an error instead.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from argusic.referee.probes import machine, registries, sandboxes
from argusic.referee.probes.probe import Probe


def _network() -> Probe:
    """Ask the package index up to three times: one lost packet is no missing network."""
    for pause in (1, 5, 0):
        probe = registries.python_packages()
        if probe.ok:
            break
        time.sleep(pause)
    return probe


def _sandbox() -> Probe:
    """Start a sandbox for real. Imported here so that tests without one collect where the sandbox does not load."""
    from argusic.sandbox.registry import provider

    return sandboxes.sandbox(provider("bubblewrap"))


NEEDS: dict[str, Callable[[], Probe]] = {
    "sandbox": _sandbox,
    "network": _network,
    "browser": machine.browser,
    "docker": sandboxes.docker,
}


@cache
def lack(need: str) -> str | None:
    """Return why this machine does not meet a need, or None where it does. Asked once a process."""
    probe = NEEDS[need]()
    return None if probe.ok else f"{probe.name}: {probe.found}"


def required() -> frozenset[str]:
    """Return the needs whose absence is an error.

    Raises:
        pytest.UsageError: ARGUSIC_REQUIRE names something that is no need.
    """
    names = frozenset(filter(None, os.environ.get("ARGUSIC_REQUIRE", "").replace(" ", "").split(",")))
    if unknown := names - NEEDS.keys():
        raise pytest.UsageError(f"ARGUSIC_REQUIRE names {', '.join(sorted(unknown))}; needs are {', '.join(NEEDS)}.")
    return names


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a wrong ARGUSIC_REQUIRE before the first test."""
    required()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail, a test that needs what is not here."""
    for need in NEEDS:
        if item.get_closest_marker(need) is not None and (reason := lack(need)) is not None:
            if need in required():
                pytest.fail(f"ARGUSIC_REQUIRE names {need}, and it is not here. {reason}", pytrace=False)
            pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Path:
    """Return the headless browser; for tests marked `browser`."""
    return next(Path(found) for name in machine.BROWSERS if (found := shutil.which(name)))
