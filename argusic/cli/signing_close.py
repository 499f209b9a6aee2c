"""Signing the close of a cycle: somebody who can is looked for before anything is frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from argusic.cli.signing import Sign, authority_for
from argusic.database.database import Database
from argusic.errors import ArgusicError, CheckFailed, InputError

if TYPE_CHECKING:
    from argusic.evidence.signing.authorities import SigningAuthority
    from argusic.evidence.signing.batches import SignedBatch


def must_be_open(base: Database, cycle: str) -> None:
    """Refuse a cycle that is closed already.

    Raises:
        InputError: It is.
    """
    if base.close(cycle) is not None:
        raise InputError(
            f"cycle {cycle} is closed already.", advice=f"`argusic evidence sign {cycle}` signs what is not signed yet."
        )


def authority_for_close(cycle: str, sign: Sign) -> SigningAuthority | None:
    """Return who certifies the signer of a close; None where it is to stay unsigned.

    Raises:
        CheckFailed: Nobody here can.
        EnvironmentLack: The one that is asked for is not here.
    """
    authority = authority_for(sign)
    if authority is None and sign is not Sign.none:
        raise CheckFailed(
            f"cycle {cycle} cannot be closed: there is no authority here to sign its runs and its close.",
            advice="Make one with `argusic trust init`, or close it unsigned with --sign none.",
        )
    return authority


def sign_close_of(base: Database, cycle: str, authority: SigningAuthority) -> SignedBatch:
    """Sign the close that was just written.

    Raises:
        ArgusicError: It could not be signed. The cycle is closed all the same.
    """
    from argusic.evidence.signing.closing import sign_close

    try:
        return sign_close(base, cycle, authority)
    except ArgusicError as error:
        advice = f"The cycle is closed; `argusic evidence sign {cycle}` signs its close."
        raise type(error)(error.what, place=error.place, advice=advice) from error
