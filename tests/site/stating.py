"""A statement that a change of rules has no effect, for sites that show it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from argusic.database.codec import dump
from argusic.database.paths import rule_change_path
from argusic.records.rule_change import ChangedFile, RuleChange


def state_change(root: Path, text: str) -> str:
    """Write a statement in which every text is this one, and return its digest."""
    files = (ChangedFile(file=text, sha256=None),)
    change = RuleChange(files=files, no_effect=text, by=text, at=datetime(2026, 12, 1, 9, tzinfo=UTC))
    data = dump(change)
    digest = hashlib.sha256(data).hexdigest()
    path = root / rule_change_path(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return digest
