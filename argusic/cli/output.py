"""How commands print: a table or sentences for people, JSON for programs, plain lines where nobody watches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """Return a console on standard output, or on standard error for progress and errors.

    Rich honours `NO_COLOR` and leaves colours and motion out where the output is not a terminal. Markup and
    highlighting are off: what is printed often comes from outside.
    """
    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True)


def emit(as_json: bool, data: Any, render: Callable[[Console], None]) -> None:
    """Print `data` as one JSON document, or let `render` print it for a person."""
    if as_json:
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False, sort_keys=False) + "\n")
    else:
        render(console())


def printable(text: str) -> str:
    """Return `text` with control characters made visible, so that it cannot steer the reader's terminal."""
    return "".join(c if c in "\n\t" or (c.isprintable()) else f"\\x{ord(c):02x}" for c in text)
