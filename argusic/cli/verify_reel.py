"""`argusic verify LIST`: whether a reel is what its run's recording comes to by a lawful list of edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from argusic.cli.output import console, emit, printable
from argusic.cli.reel import needed, working
from argusic.database.database import Database
from argusic.errors import CheckFailed, Finding
from argusic.referee.findings import find_run

if TYPE_CHECKING:
    from argusic.evidence.reel.verifying import VerifiedReel

#: How the name of an edit list ends.
_ENDING = ".reel.yaml"
_CHECKED = (
    "Checked: the run's evidence is what its manifest says; the edits are in order, cut into no command, leave out no "
    "failure, are marked in the picture, and say what command table and report say; made again by these edits, the "
    "reel has the same pictures for as long, and the card is the same."
)
_NOT_PROVEN = "Who vouches for the run is not asked here: `argusic verify` without a list checks the signatures."


def is_list(path: Path) -> bool:
    """Return whether a path is called like an edit list."""
    return path.name.endswith(_ENDING)


def verify_reels(base: Database, paths: list[Path], as_json: bool) -> None:
    """Verify the reels that these edit lists are of, and print what came of it.

    Raises:
        typer.Exit: Something is wrong.
        ArgusicError: A list is none, its run's evidence does not verify, or a program is not here.
    """
    needed()
    from argusic.evidence.reel.verifying import read_list, verify_reel

    verified = []
    with working(console(stderr=True)) as progress:
        for path in paths:
            listed = read_list(path)
            stored = find_run(base, listed.edits.run)
            verified.append(verify_reel(base, listed, stored.folder, progress))
    emit(as_json, _plain(verified), lambda out: _render(out, verified))
    if any(one.findings for one in verified):
        raise typer.Exit(CheckFailed.exit_code)


def _plain(verified: list[VerifiedReel]) -> dict[str, Any]:
    return {
        "ok": not any(one.findings for one in verified),
        "reels": [
            {
                "list": str(one.listed.path),
                "run": one.listed.edits.run,
                "files": [file.name for file in one.listed.edits.files],
                "pictures": one.pictures,
                "made_by_another": one.other_program,
                "findings": [_plain_finding(finding) for finding in one.findings],
            }
            for one in verified
        ],
        "checked": _CHECKED,
        "not_proven": _NOT_PROVEN,
    }


def _plain_finding(finding: Finding) -> dict[str, str | int | None]:
    place = finding.place
    return {"file": str(place.file), "line": place.line, "field": place.field, "what": finding.what}


def _render(out: Console, verified: list[VerifiedReel]) -> None:
    for one in verified:
        for finding in one.findings:
            out.print(printable(str(finding)))
        if one.pictures:
            files = ", ".join(file.name for file in one.listed.edits.files)
            out.print(f"{files}: {one.pictures} pictures made again and compared.")
        if one.other_program is not None:
            out.print(f"The list says {one.other_program} made it; other versions are here.", style="yellow")
    found = sum(len(one.findings) for one in verified)
    if found:
        out.print(f"{found} found.", style="bold red")
        return
    out.print(_CHECKED)
    out.print(_NOT_PROVEN)
    out.print("The edits are lawful, and every picture comes from the recording.", style="green")
