"""Changes of a made-up database's rules, and of the code beside it, as pull requests bring them."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from argusic.database.database import Database
from argusic.referee.changelog.stating import state_no_effect
from argusic.referee.recompute import recompute
from tests.made_database import IDENTITY, invalidate, write

AT = datetime(2026, 12, 1, tzinfo=UTC)
Change = Callable[[Database], object]
NEW = "rules/editions/v1.6.yaml"
RECORDER = "argusic/runs/recorder.py"
RUBRIC = "argusic/rules/board.py"
HARNESS = "rules/harness.yaml"
KIND = "rules/kinds/package.yaml"
PACKAGES = "rules/environment/packages.yaml"
BOARD = "leaderboards/boards/made-00/package.yaml"


def edit(name: str) -> Change:
    def change(base: Database) -> None:
        path = base.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text() if path.exists() else "") + "# Changed.\n")

    return change


def edition(name: str = "v1.6", **fields: str) -> Change:
    """Return what adds an edition, as a copy of the newest with other fields."""
    own = {"written": '"2026-12-02"', "planned": '"2027-01-01"', "changelog": "A new entry."}
    said = {**own, "corrects_description": "false", **fields}

    def change(base: Database) -> None:
        text = (base.root / "rules/editions/v1.5.yaml").read_text().replace("edition: v1.5", f"edition: {name}")
        start, _, rest = text.partition("earlier_runs:")
        text = start + rest.split("\n", 2)[2]
        before, _, after = text.partition("changelog: |")
        text = f"{before}changelog: |\n  Old.\nweights:{after.partition('weights:')[2]}"
        for field, value in said.items():
            lines = text.split("\n")
            at = next((place for place, line in enumerate(lines) if line.strip().startswith(f"{field}:")), None)
            if at is None:
                lines.insert(3, f"{field}: {value}")
            else:
                indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
                lines[at] = f"{indent}{field}: {value}"
                if field == "changelog":
                    del lines[at + 1]
            text = "\n".join(lines)
        (base.root / f"rules/editions/{name}.yaml").write_text(text)

    return change


def state(base: Database) -> None:
    state_no_effect(base, "HEAD", reason="It says the same in other words.", by="ada", at=AT)


def both(*changes: Change) -> Change:
    def change(base: Database) -> None:
        for one in changes:
            one(base)

    return change


def instructions(base: Database) -> None:
    (base.root / "rules/instructions/standard-2.md").write_text("Do it.\n")


def named_instructions(base: Database) -> None:
    instructions(base)
    digest = hashlib.sha256((base.root / "rules/instructions/standard-2.md").read_bytes()).hexdigest()
    edition(instructions="standard-2", instructions_sha256=digest)(base)


def old_entry(base: Database) -> None:
    edition()(base)
    text = (base.root / "rules/editions/v1.5.yaml").read_text()
    entry = text[text.index("changelog: |") : text.index("weights:")]
    path = base.root / NEW
    path.write_text(path.read_text().replace("changelog: A new entry.\n", entry))


def cycle_from(day: int) -> Change:
    def change(base: Database) -> None:
        edition()(base)
        cycle = base.cycle("made-01")
        digest = hashlib.sha256((base.root / NEW).read_bytes()).hexdigest()
        opens = datetime(2027, 1, 1, tzinfo=UTC) + timedelta(days=day)
        fields = {"cycle": "next", "edition": "v1.6", "edition_sha256": digest, "opens": opens}
        write(base.root, cycle.model_copy(update={**fields, "closes": opens + timedelta(days=30)}))

    return change


def repinned(base: Database) -> None:
    edition()(base)
    digest = hashlib.sha256((base.root / NEW).read_bytes()).hexdigest()
    cycle = base.cycle("made-01")
    write(base.root, cycle.model_copy(update={"edition": "v1.6", "edition_sha256": digest}))


def invalidated(base: Database) -> None:
    invalidate(base.root, next(stored.run for stored in base.runs("made-01")))


def recomputed(base: Database) -> None:
    recompute(base)


def re_edited(base: Database) -> None:
    both(edit(RECORDER), state)(base)
    commit_all(base)
    (path,) = (base.root / "rules/changes").iterdir()
    path.write_text(path.read_text().replace("ada", "bob"))


def stated_twice(base: Database) -> None:
    both(edit(RECORDER), state)(base)
    commit_all(base)
    both(edit(RECORDER), state)(base)


def commit_all(base: Database) -> None:
    for command in (["add", "-A"], [*IDENTITY, "commit", "-q", "-m", "Next"]):
        subprocess.run(["git", *command], cwd=base.root, check=True, capture_output=True)


CORRECTION = edition(corrects_description="true", scoring_changed="false")
