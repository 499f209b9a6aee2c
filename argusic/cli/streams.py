"""The standard streams, made such that printing fails for no reason but a reader who left or a full disk."""

from __future__ import annotations

import io
import logging
import os
import sys


def prepare() -> None:
    """Make every text printable, and put the null device where a standard stream was closed.

    The next file opened would take the place of a closed one, and what is printed would land in it. What libraries
    tell nobody in particular (a connection that broke, a task whose end nobody asked for) is not printed at all.
    """
    logging.getLogger().addHandler(logging.NullHandler())
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif number and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def give_up_output() -> None:
    """Let what standard output still holds go nowhere: flushing it at the end would fail once more."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
