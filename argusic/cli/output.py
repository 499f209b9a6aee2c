"""How commands print: a table or sentences for people, JSON for programs, plain lines where nobody watches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console


class Screen(Console):
    """A console on which text from outside cannot steer the reader's terminal, whoever prints it."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with the control characters of plain text made visible."""
        super().print(*(printable(item) if isinstance(item, str) else item for item in objects), **options)


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return a console on standard output, or on standard error for progress and errors.

    Rich honours `NO_COLOR` and leaves colours and motion out where the output is not a terminal. Markup, words that
    stand for pictures (`:smile:`) and highlighting are off: what is printed often comes from outside.
    """
    return Screen(stderr=stderr, quiet=quiet, markup=False, emoji=False, highlight=False, soft_wrap=True)


def emit(as_json: bool, data: Any, render: Callable[[Console], None]) -> None:
    """Print `data` as one JSON document, or let `render` print it for a person."""
    if as_json:
        sys.stdout.write(as_text(data, sys.stdout.encoding) + "\n")
    else:
        render(console())


def as_text(data: Any, encoding: str) -> str:
    """Return `data` as JSON that `encoding` can say and that holds no character that would steer a terminal."""
    plain = json.dumps(data, indent=2, ensure_ascii=False, sort_keys=False)
    safe = "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in plain)
    try:
        safe.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(data, indent=2, sort_keys=False)
    return safe


def printable(text: str) -> str:
    """Return `text` with control characters made visible, so that it cannot steer the reader's terminal."""
    return "".join(c if c in "\n\t" or (c.isprintable()) else f"\\x{ord(c):02x}" for c in text)


def indented(text: str) -> str:
    """Return text from outside so that none of its lines can pass for one of ours."""
    return text.replace("\n", "\n      | ")
