from __future__ import annotations

from pathlib import Path

import pytest

from tests.evidence.reel.sessions import Making, Recorded, recorded


@pytest.fixture
def making(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Making:
    monkeypatch.delenv("ARGUSIC_EVIDENCE", raising=False)
    made: list[Recorded] = []

    def make(*words: object, **fields: object) -> Recorded:
        made.append(recorded(tmp_path / f"referee{len(made)}", *words, **fields))  # type: ignore[arg-type]
        return made[-1]

    return make
