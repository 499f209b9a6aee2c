"""Fault points: each one in the program is registered, and each one registered is in the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import argusic
from argusic.database.faults import FAULT_POINTS, FAULT_VARIABLE, fault_point


def test_the_register_and_the_program_name_the_same_points() -> None:
    sources = [path.read_text() for path in Path(argusic.__path__[0]).rglob("*.py")]
    placed = {name for source in sources for name in re.findall(r"fault_point\(\s*\"([^\"]+)\"", source)}
    assert placed == set(FAULT_POINTS)


def test_a_point_that_is_not_asked_for_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAULT_VARIABLE, "another")
    for name in FAULT_POINTS:
        fault_point(name)


def test_an_unregistered_point_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="FAULT_POINTS"):
        fault_point("nowhere")
