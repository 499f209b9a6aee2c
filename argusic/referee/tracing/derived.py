"""A figure of a derived file, as a link of a chain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from argusic.referee.tracing.ground import Ground
from argusic.referee.tracing.link import Link, Value

#: What was checked of a derived file.
DERIVED: Final = "is what the runs give, derived again (argusic recompute --check)"


def derived_link(
    ground: Ground,
    path: PurePosixPath,
    what: str,
    value: Value,
    address: str,
    place: tuple[str | int, ...],
    **more: object,
) -> Link:
    """Return the link of a figure whose file was compared with what is derived again.

    Args:
        ground: What is traced in.
        path: The derived file.
        what: What the figure is.
        value: The figure.
        address: Its address.
        place: Where it stands in the file.
        more: Other fields of the link.
    """
    made = Link(
        what=what,
        value=value,
        file=str(path),
        sha256=ground.sha256(path),
        address=address,
        line=ground.line(path, *place),
        checked=(DERIVED,),
    )
    return replace(made, **more)  # type: ignore[arg-type]
