"""The shell agent at work on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.runs.session import Mission
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.shell.working import Working


@pytest.fixture
def working(session: ShellSession, mission: Mission, tmp_path: Path) -> Working:
    return Working(session, mission, tmp_path)
