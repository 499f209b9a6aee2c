"""What this machine can run: every probe at once, and whether an attempt can run here at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from argusic.referee.probes import machine, registries, sandboxes, screens
from argusic.referee.probes.probe import Probe
from argusic.sandbox.docker import Docker
from argusic.sandbox.protocol import Provider


def examine(
    store: Path,
    providers: Sequence[Provider],
    environment: Mapping[str, str],
    further: Sequence[Callable[[], Probe]] = (),
) -> tuple[Probe, ...]:
    """Look at everything, side by side because most of the time goes by waiting for answers.

    Args:
        store: The folder of the evidence store.
        providers: The kinds of sandbox that this version has.
        environment: Environment variables, of which names alone are looked at.
        further: Looks at what depends on the database.
    """
    looks: list[Callable[[], Probe]] = [
        machine.python,
        machine.git,
        sandboxes.user_namespaces,
        *(lambda provider=provider: _sandbox(provider) for provider in providers),
        sandboxes.docker,
        sandboxes.control_groups,
        registries.certificates,
        registries.python_packages,
        registries.node_packages,
        lambda: machine.evidence_store(store),
        lambda: machine.disk(store),
        machine.memory,
        screens.display,
        screens.gpu,
        lambda: machine.model_key(environment),
        machine.browser,
        *further,
    ]
    with ThreadPoolExecutor(max_workers=len(looks)) as pool:
        return tuple(pool.map(lambda look: look(), looks))


def _sandbox(provider: Provider) -> Probe:
    """Start a sandbox for real, but for those that would have a large image fetched first."""
    return sandboxes.docker_sandbox(provider) if isinstance(provider, Docker) else sandboxes.sandbox(provider)


def missing(probes: Sequence[Probe]) -> tuple[Probe, ...]:
    """Return the lacks that no attempt can run with. There are none where an attempt can run."""
    return tuple(probe for probe in probes if probe.needed and not probe.ok)
