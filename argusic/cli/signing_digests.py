"""`argusic evidence sign --digests`: what another job collected, signed by one that has none of it."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console

from argusic.cli.output import emit, printable
from argusic.cli.signing import plain_batch
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.evidence.keys import KeyFolder
from argusic.records.handing_over import Digests
from argusic.runs.jobs.files import read_json


def sign_given(base: Database, cycle: str, file: Path, to: Path, authority: str, *, as_json: bool) -> None:
    """Sign the digests in a file, and write the signatures below a folder."""
    from argusic.evidence.signing.authorities import choose
    from argusic.evidence.signing.digests import must_be_main, sign_digests

    must_be_main(os.environ)
    digests = read_json(file, Digests)
    if digests.cycle != cycle:
        raise InputError(f"{file} holds digests of cycle {digests.cycle}, not of {cycle}.")
    chosen = choose(KeyFolder.of_user(), authority)  # type: ignore[arg-type]
    made = sign_digests(base, digests, chosen, to)

    def show(out: Console) -> None:
        for one in made:
            out.print(printable(f"written: {to / one.path} ({one.runs} runs, {one.files} files)"))
        said = f"Signed by {chosen.name}, which had the digests alone."
        out.print(said if made else "There is nothing to sign.")

    emit(as_json, {"authority": chosen.name, "signed": [plain_batch(one) for one in made]}, show)
