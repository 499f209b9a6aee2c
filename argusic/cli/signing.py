"""Signing where runs were collected or a cycle closes: what was signed, or in one line why not and what mends it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from argusic.cli.output import console
from argusic.database.database import Database
from argusic.errors import ArgusicError, EnvironmentLack
from argusic.evidence.keys import KeyFolder
from argusic.evidence.signing.manifests import unsigned_runs

if TYPE_CHECKING:
    from argusic.evidence.signing.authorities import SigningAuthority
    from argusic.evidence.signing.available import Wanted
    from argusic.evidence.signing.batches import SignedBatch


class Sign(StrEnum):
    """Who is to sign."""

    any = "any"
    local = "local"
    public = "public"
    none = "none"


#: The option of commands that sign at their end.
SignOption = Annotated[
    Sign,
    typer.Option(
        "--sign",
        help="Who signs: your `local` authority, Sigstore's `public` instance, `any` of the two that is here, or none.",
    ),
]


@dataclass(frozen=True)
class Signing:
    """What became of signing.

    Attributes:
        cycle: The cycle.
        authority: Who certified the signer; None where nobody did.
        signed: The batches that were signed.
        unsigned: How many runs of the cycle nobody vouches for now.
        chosen: Whether that is how it was asked for.
        error: What went wrong, where something did. The runs are there all the same.
    """

    cycle: str
    authority: str | None
    signed: tuple[SignedBatch, ...]
    unsigned: int
    chosen: bool
    error: ArgusicError | None = None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "authority": self.authority,
            "signed": [plain_batch(one) for one in self.signed],
            "unsigned": self.unsigned,
            "problem": None if self.error is None else str(self.error),
        }

    def show(self, out: Console) -> None:
        """Say what was signed, and what is not."""
        if self.signed:
            runs = sum(one.runs for one in self.signed)
            out.print(f"Signed by {self.authority}: {_counted(runs)} ({', '.join(one.batch for one in self.signed)}).")
        if self.unsigned and self.error is None:
            out.print(self.lack(), style=None if self.chosen else "yellow")

    def lack(self) -> str:
        """Return in one line what is not signed, and which command mends it."""
        first = "" if self.chosen else "`argusic trust init` makes an authority; then "
        why = "as asked" if self.chosen else "there is no authority here"
        mends = f"{first}`argusic evidence sign {self.cycle}` signs"
        return f"{_counted(self.unsigned)} of cycle {self.cycle} not signed ({why}); {mends} them."

    def check(self) -> None:
        """Raise what went wrong, with where that leaves the runs.

        Raises:
            ArgusicError: Signing failed.
        """
        if self.error is not None:
            mends = f"Nothing is lost: {_counted(self.unsigned)} not signed, and "
            mends += f"`argusic evidence sign {self.cycle}` tries again."
            advice = f"{self.error.advice} {mends}" if self.error.advice else mends
            raise type(self.error)(self.error.what, place=self.error.place, advice=advice) from self.error


def sign_collected(base: Database, cycle: str, sign: Sign, attempts: Collection[str] = ()) -> Signing:
    """Sign what nobody vouches for yet. That nobody can is said, and that it fails is kept: no run is lost by it.

    Args:
        base: The database.
        cycle: The cycle's id.
        sign: Who is to sign.
        attempts: The runs whose attempt this very process ran.
    """
    waiting = len(unsigned_runs(base, cycle))
    if not waiting or sign is Sign.none:
        return Signing(cycle, None, (), waiting, sign is Sign.none)
    try:
        authority = authority_for(sign)
        if authority is None:
            return Signing(cycle, None, (), waiting, False)
        made = sign_with_progress(base, cycle, authority, attempts)
    except (ArgusicError, OSError) as error:
        if isinstance(error, OSError):
            error = EnvironmentLack(f"the signature could not be written: {error}.")
        return Signing(cycle, None, (), len(unsigned_runs(base, cycle)), False, error)
    return Signing(cycle, authority.name, tuple(made), len(unsigned_runs(base, cycle)), False)


def authority_for(sign: Sign) -> SigningAuthority | None:
    """Return who certifies the signer; None where `any` finds nobody here.

    Raises:
        EnvironmentLack: The one that is asked for is not here.
    """
    from argusic.evidence.signing.available import can_sign

    keys = KeyFolder.of_user()
    if sign is Sign.none or (sign is Sign.any and not can_sign(keys)):
        return None
    wanted: Wanted = "any" if sign is Sign.any else "local" if sign is Sign.local else "public"
    # Loading the library that signs takes longer than most commands.
    from argusic.evidence.signing.authorities import choose

    return choose(keys, wanted)


def sign_with_progress(
    base: Database, cycle: str, authority: SigningAuthority, attempts: Collection[str] = ()
) -> list[SignedBatch]:
    """Sign the runs of a cycle that nobody vouches for yet, and show how far it is."""
    from argusic.evidence.signing.batches import sign_runs

    with _bar() as (bar, task):
        return sign_runs(
            base,
            cycle,
            authority,
            attempts=attempts,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )


def plain_batch(made: SignedBatch) -> dict[str, Any]:
    """Return a batch as plain data."""
    return {"path": str(made.path), "batch": made.batch, "runs": made.runs, "files": made.files}


@contextmanager
def _bar() -> Iterator[tuple[Progress, Any]]:
    out = console(stderr=True)
    columns = (TextColumn("reading what is to be signed"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        yield bar, bar.add_task("reading", total=None)


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs:,} runs"
