"""`argusic verify`: whether the evidence of runs is what their manifests say, and who vouches for the manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.context import database
from argusic.cli.output import console, emit, printable
from argusic.cli.verify_identities import plain_identities, show_identities
from argusic.cli.verify_reel import is_list, verify_reels
from argusic.database.database import Database
from argusic.database.git import Revision
from argusic.database.paths import TRUST_PATH
from argusic.errors import CheckFailed, Finding, InputError
from argusic.evidence.signing.trusting import trusting
from argusic.evidence.verify import Verified
from argusic.evidence.verify import verify as verify_evidence
from argusic.evidence.vouching import VerifiedSignature, Vouching

_CHECKED = (
    "Checked: every file of each manifest is there with its size and SHA-256; no other file lies in a run's folder; "
    "run and manifest name the same run, cycle, edition, agent and number of commands; edition and instructions are "
    "the files that were measured under; the recording, measured again, covers what the manifest claims; "
    "the report, audited again, is contradicted by the record where the run says so and nowhere else."
)
_SIGNATURES_CHECKED = (
    "Of signatures: each is whole, was made while its certificate was valid and stands in its log; it is about this "
    "cycle and batch; every file it names is there unchanged, no run of it is gone and no file is left over."
)
_SIGNERS_CHECKED = "Whoever signed may do so, by {sources}."
_NOBODY_TOLD = (
    "Nobody outside of this tree was named who may sign, so whoever signed was not judged: name them with --trust FILE."
)
_STATED_HERE = "Whom this repository itself states is in {path}; read it, and copy it to a place of your own first."
_NOT_PROVEN = (
    "Not proven by a signature: that the attempt happened as recorded (it says that these files were collected, and "
    "what the signer saw itself); that the signer is honest; that nothing was removed together with the signature that "
    "named it, which a copy of the repository made earlier tells (`argusic check --base`). A local authority's log and "
    "clock are its owner's own."
)
_NOT_PROVEN_UNSIGNED = (
    "Not proven: who made the evidence of runs that are not signed. One whose manifest was edited together with its "
    "files is not caught there."
)

_NOT_PROVEN_UNJUDGED = (
    "Not proven: who made the evidence of runs that nobody known here vouches for. One whose manifest was edited "
    "together with its files, and signed anew, is not caught there."
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def verify(
        paths: Annotated[
            list[Path] | None,
            typer.Argument(
                metavar="[PATH]...", help="Runs, folders above them, or edit lists of reels. Default: all runs."
            ),
        ] = None,
        trust: Annotated[
            list[Path] | None,
            typer.Option(
                "--trust", metavar="FILE", help="Who may sign, from outside of this tree. Default: your own folder's."
            ),
        ] = None,
        offline: Annotated[
            bool, typer.Option("--offline", help="Fetch nothing from a store elsewhere; say what is not here.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Check runs' evidence, the signatures over it, what recordings cover, and what agents revealed."""
        base = database()
        if lists := [path for path in paths or () if is_list(path)]:
            if len(lists) < len(paths or ()):
                raise InputError("runs and edit lists are verified apart: name either.")
            verify_reels(base, lists, as_json)
            return
        trusted = trusting(base.root, trust or ())
        out = console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
            task = bar.add_task("verifying", total=None)
            verified = verify_evidence(
                base,
                paths or [],
                lambda done, of: bar.update(task, description="verifying", completed=done, total=of),
                trusted,
                offline=offline,
                bringing=lambda done, of: bar.update(task, description="fetching", completed=done, total=of),
            )
        history, stated = _policy_history(base), base.holds(TRUST_PATH)
        emit(as_json, _plain(verified, history, stated), lambda console: _render(console, verified, history, stated))
        if verified.findings:
            raise typer.Exit(CheckFailed.exit_code)


def _policy_history(base: Database) -> list[Revision]:
    return base.git.history(TRUST_PATH) if base.git is not None else []


def _plain(verified: Verified, history: list[Revision], stated: bool) -> dict[str, Any]:
    vouching = verified.vouching
    return {
        "ok": not verified.findings,
        "runs": verified.runs,
        "files": verified.files,
        "bytes": verified.size,
        "withdrawn": verified.withdrawn,
        "audited_otherwise": [_plain_finding(finding) for finding in verified.audited_otherwise],
        "signed": verified.runs - len(vouching.unsigned),
        "unsigned": [str(folder) for folder in vouching.unsigned],
        "signatures": [_plain_signature(signature) for signature in vouching.signatures],
        "unknown_authorities": [_plain_finding(finding) for finding in vouching.unknown],
        "agents": plain_identities(verified.identities),
        "trust": [str(source) for source in vouching.sources],
        "policy_history": [{"commit": one.commit, "at": one.at, "subject": one.subject} for one in history],
        "checked": _checked(vouching),
        "not_proven": _not_proven(vouching, stated),
        "findings": [_plain_finding(finding) for finding in verified.findings],
    }


def _plain_signature(signature: VerifiedSignature) -> dict[str, Any]:
    return {
        "file": str(signature.path),
        "signer": signature.signer,
        "identity": signature.identity,
        "authority": signature.authority,
        "at": f"{signature.at:%Y-%m-%dT%H:%M:%SZ}",
        "runs": signature.runs,
        "attempts_seen": signature.attempts,
        "not_seen": list(signature.not_seen),
        "by_digests": signature.by_digests,
    }


def _plain_finding(finding: Finding) -> dict[str, str | int | None]:
    place = finding.place
    return {"file": str(place.file), "line": place.line, "field": place.field, "what": finding.what}


def _checked(vouching: Vouching) -> str:
    said = [_CHECKED]
    if vouching.signatures:
        said.append(_SIGNATURES_CHECKED)
        if vouching.told:
            said.append(_SIGNERS_CHECKED.format(sources=", ".join(map(str, vouching.sources))))
    return " ".join(said)


def _not_proven(vouching: Vouching, stated: bool) -> str:
    said = []
    if vouching.unsigned:
        said.append(_NOT_PROVEN_UNJUDGED if vouching.unknown else _NOT_PROVEN_UNSIGNED)
    if vouching.signatures:
        said.append(_NOT_PROVEN)
    if (vouching.signatures or vouching.unknown) and not vouching.told:
        said.append(_NOBODY_TOLD)
        if stated:
            said.append(_STATED_HERE.format(path=TRUST_PATH))
    return " ".join(said)


def _render(console: Console, verified: Verified, history: list[Revision], stated: bool) -> None:
    vouching = verified.vouching
    for finding in [*verified.findings, *vouching.unknown]:
        console.print(printable(str(finding)))
    gone = f" {verified.withdrawn} files were withdrawn, with a reason." if verified.withdrawn else ""
    console.print(f"{verified.runs} runs, {verified.files} files, {verified.size:,} bytes.{gone}")
    for finding in verified.audited_otherwise:
        console.print(printable(f"Note: {finding}"))
    for signature in vouching.signatures:
        console.print(printable(_line(signature)))
    if vouching.unsigned:
        lack = "have no signature that could be judged" if vouching.unknown else "are not signed"
        console.print(f"{len(vouching.unsigned)} of {verified.runs} runs {lack}.", style="yellow")
    show_identities(console, verified.identities)
    if len(history) > 1 and vouching.signatures:
        console.print(f"Who may sign, as this repository states it, changed {len(history) - 1} times:")
        for one in history:
            console.print(printable(f"  {one.at} {one.commit[:12]} {one.subject}"))
    console.print(_checked(vouching))
    if not_proven := _not_proven(vouching, stated):
        console.print(not_proven)
    if verified.findings:
        console.print(f"{len(verified.findings)} found.", style="bold red")
    elif not verified.runs:
        console.print("There is no run yet.", style="green")
    else:
        console.print("All is as the manifests say.", style="green")


def _line(signature: VerifiedSignature) -> str:
    who = f"{signature.signer} ({signature.identity})" if signature.signer else signature.identity
    saw = f", {signature.attempts} of which it ran itself" if signature.attempts else ""
    saw += ", by digests that another job had taken" if signature.by_digests else ""
    return (
        f"{signature.path.name}: {signature.runs} runs{saw}, signed by {who} at {signature.at:%Y-%m-%d %H:%M} UTC; "
        f"certified by {signature.authority}."
    )
