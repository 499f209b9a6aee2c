"""Recordings over real processes of this machine, destroyed at the end of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.runs.local_sandbox import LocalSandbox
from tests.runs.recording import Begin, Recording


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a recording over processes of this machine."""
    with ExitStack() as stack:

        def make(budget_seconds: float = 60) -> Recording:
            home, folder = tmp_path / "home", tmp_path / "evidence"
            home.mkdir()
            folder.mkdir()
            sandbox = LocalSandbox(home)
            stack.callback(sandbox.destroy)
            recording = Recording(folder, sandbox, budget_seconds)
            stack.callback(recording.recorder.close)
            return recording

        yield make
