"""The program `argusic`, called: in this process where nothing hangs on a process of its own, else in one.

Starting the program takes longer than most of what tests ask of it. What is called here is its very entry, and ends as
it would: with an exit status, and with what it printed on its two streams.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import copy_context
from dataclasses import dataclass
from unittest import mock

from argusic.cli.main import run
from argusic.database.database import Database


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def words_of(database: Database, *words: str) -> list[str]:
    """Return the command line that calls the program on a database in a process of its own."""
    return [sys.executable, "-m", "argusic", "--repo", str(database.root), *words]


def variables_of(database: Database, **others: str) -> dict[str, str]:
    """Return the environment for it: the database's own cache, and others."""
    return {**os.environ, "ARGUSIC_CACHE": str(database.cache_folder), **others}


def started(database: Database, *words: str, **others: str) -> subprocess.Popen[str]:
    """Start the program on a database, in a process of its own."""
    return subprocess.Popen(
        words_of(database, *words),
        env=variables_of(database, **others),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def argusic(database: Database, *words: str, **others: str) -> Done:
    """Call the program on a database, in this process."""
    return called("--repo", str(database.root), *words, environment=variables_of(database, **others))


def called(*words: str, environment: Mapping[str, str]) -> Done:
    """Call the program in this process."""
    out, err = _stream(), _stream()
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(sys, "argv", ["argusic", *words]),
        _own_descriptors(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = copy_context().run(_status)
    return Done(status, _text(out), _text(err))


def _status() -> int:
    try:
        run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


@contextmanager
def _own_descriptors() -> Iterator[None]:
    """Give this process its standard output back: the program gives it up where printing has failed."""
    kept = os.dup(1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
