"""What users type to name a thing that can be tested, and which kind it is taken for."""

from __future__ import annotations

from typing import Annotated

import typer

from argusic.cli.asking import choose
from argusic.pool.kinds.protocol import SubjectKind
from argusic.pool.kinds.registry import candidates, forms, kind_names, recognise

#: The argument that names what is to be tested.
TargetArgument = Annotated[str, typer.Argument(metavar="TARGET", help=f"What to look up. {forms()}.")]
#: The option that says which kind it is of.
KindOption = Annotated[
    str | None,
    typer.Option("--kind", help=f"The kind, where the target could be of several: {', '.join(kind_names())}."),
]


def chosen_kind(target: str, name: str | None, *, asks: bool) -> SubjectKind:
    """Return the kind of a target.

    Args:
        target: What the user typed.
        name: The kind, where the user named it.
        asks: Whether a person may be asked where it could be of several.

    Raises:
        InputError: It is of no kind, not of the one that was named, or could be of several and nobody may be asked.
    """
    fitting = candidates(target, name)
    if len(fitting) == 1 or not asks:
        return recognise(target, name)
    known = {one.kind: one for one in fitting}
    return known[choose(f"{target!r} can be of several kinds. Which one", list(known))]
