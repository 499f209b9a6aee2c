"""Where the program is entered: loading the rest takes a moment in which it may be interrupted already."""

from __future__ import annotations

import sys


def run() -> None:
    """Load the program and run it."""
    try:
        from argusic.cli.main import run as program

        program()
    except KeyboardInterrupt:
        sys.exit(130)
