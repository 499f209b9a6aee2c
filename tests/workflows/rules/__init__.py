"""The fifteen rules that the workflows keep, one module each. `RULES` holds them by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.workflows.repository import Repository
from tests.workflows.rules import (
    r01_permissions,
    r02_pins,
    r03_injection,
    r04_triggers,
    r05_own_machines,
    r06_attempts,
    r07_ladder,
    r08_artifacts,
    r09_one_writer,
    r10_history,
    r11_strangers,
    r12_secrets,
    r13_identity,
    r14_caches,
    r15_logs,
)

RULES: Final[Mapping[int, Callable[[Repository], Iterator[str]]]] = {
    1: r01_permissions.check,
    2: r02_pins.check,
    3: r03_injection.check,
    4: r04_triggers.check,
    5: r05_own_machines.check,
    6: r06_attempts.check,
    7: r07_ladder.check,
    8: r08_artifacts.check,
    9: r09_one_writer.check,
    10: r10_history.check,
    11: r11_strangers.check,
    12: r12_secrets.check,
    13: r13_identity.check,
    14: r14_caches.check,
    15: r15_logs.check,
}
