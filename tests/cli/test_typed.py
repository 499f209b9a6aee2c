from __future__ import annotations

import sys
from pathlib import Path

import pytest

from argusic.cli import typed


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_hint_names_the_program_as_it_was_called(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/argusic"])
    assert typed.command("site serve") == ".venv/bin/argusic site serve"
    monkeypatch.setattr(sys, "argv", ["/elsewhere/bin/argusic"])
    assert typed.command("site serve") == "/elsewhere/bin/argusic site serve"


def test_a_hint_names_the_database_where_it_is_another(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["argusic"])
    assert typed.command("check", here / "a b") == "argusic --repo 'a b' check"


def test_a_path_is_shown_as_short_as_it_can_be_typed(here: Path) -> None:
    assert typed.path(here / "sub" / "folder") == "sub/folder"
    assert typed.path(Path("/elsewhere")) == "/elsewhere"
