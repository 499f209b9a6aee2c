"""Builds the site: sources into a scratch folder, mkdocs over them, and the result swapped into place whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from argusic.database.database import Database
from argusic.errors import CheckFailed, EnvironmentLack, InputError
from argusic.evidence.stores.collecting import bring_served
from argusic.evidence.stores.configured import store_of
from argusic.referee.recompute import check_derived
from argusic.site.generate import CONFIGURATION, Generated, Progress, generate

#: Says of a folder that it holds a built site, and may be replaced by the next.
MARKER = ".argusic-site"
_WARNING = re.compile(r"^\S*(WARNING|ERROR|CRITICAL)\b", re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """A built site.

    Attributes:
        folder: Where it is.
        generated: What it was made of.
        pages: How many HTML pages it has.
        size: Its size in bytes.
    """

    folder: Path
    generated: Generated
    pages: int
    size: int


def default_folder(database: Database) -> Path:
    """Return where the site is built unless one says otherwise."""
    return database.root / ".argusic" / "site"


def build(database: Database, out: Path, progress: Progress) -> Built:
    """Build the site of `database` into `out`. What is there keeps being served until the new one is whole.

    Raises:
        InputError: `out` holds something that is no site built by this program, or a record cannot be read.
        CheckFailed: Boards or verdicts do not follow from the runs, or the site does not build without a warning.
    """
    out = out.absolute()
    _refuse_foreign(out)
    _refuse_stale(database)
    _bring(database, progress)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.building-", dir=out.parent) as name:
        scratch = Path(name)
        fresh = scratch / "site"
        generated = generate(database, scratch / "sources", fresh, progress)
        progress("Pages", 0, 1)
        _mkdocs(scratch / "sources" / CONFIGURATION, generated.newest)
        progress("Pages", 1, 1)
        (fresh / MARKER).write_text("Built by argusic. The next build replaces this folder.\n", encoding="utf-8")
        files = [path for path in fresh.rglob("*") if path.is_file()]
        pages, size = sum(path.suffix == ".html" for path in files), sum(path.stat().st_size for path in files)
        if out.exists():
            out.rename(scratch / "before")
        fresh.rename(out)
    return Built(out, generated, pages, size)


def _bring(database: Database, progress: Progress) -> None:
    """Bring here what pages show and a store elsewhere has. What cannot be had is named on the page it belongs to."""
    folders = (stored.folder for stored in database.runs())
    with suppress(EnvironmentLack):
        bring_served(database, store_of(database), folders, lambda done, of: progress("Evidence", done, of))


def _refuse_foreign(out: Path) -> None:
    if not out.exists() and not out.is_symlink():
        return
    if out.is_symlink() or not out.is_dir() or (any(out.iterdir()) and not (out / MARKER).is_file()):
        raise InputError(
            f"{out} is not a site that argusic built, so it will not be replaced.",
            advice="Name a folder that does not exist yet, or an empty one.",
        )


def _refuse_stale(database: Database) -> None:
    """Refuse to publish boards and verdicts that contradict the runs beside them."""
    findings = check_derived(database)
    if findings:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        raise CheckFailed(
            f"boards and verdicts do not follow from the runs. {findings[0]}{more}",
            advice="`argusic recompute` brings them up to date.",
        )


def _mkdocs(configuration: Path, stamp: int) -> None:
    """Run mkdocs in a process of its own, strictly, stamped with the newest run so that a rebuild is the same."""
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "SOURCE_DATE_EPOCH": str(stamp),
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(configuration)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    if done.returncode or _WARNING.search(said):
        reason = said or f"mkdocs ended with status {done.returncode}"
        raise CheckFailed(f"the site does not build without a warning:\n{reason}")
