"""Errors that nobody foresaw: told apart into what the machine refuses and what is a fault of our own."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NoReturn

from argusic.cli.output import console
from argusic.errors import EnvironmentLack, Place

#: The system's refusals that are no fault of ours: a full disk, a folder that cannot be written, a name too long.
_OF_THE_MACHINE = frozenset(
    [
        errno.EACCES,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.EISDIR,
        errno.ELOOP,
        errno.EMFILE,
        errno.EMLINK,
        errno.ENAMETOOLONG,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    ]
)
#: Those of them that no reading meets.
_OF_WRITING = frozenset([errno.EDQUOT, errno.EFBIG, errno.ENOSPC, errno.EROFS])


def fault(error: Exception) -> NoReturn:
    """Say that this is a fault of our own and end."""
    try:
        kept = str(_keep_traceback())
    except OSError:
        kept = "no file, for none could be written"
    words = f"argusic: a fault of its own, {type(error).__name__}: {error}. The particulars are in {kept}."
    console(stderr=True).print(words, style="bold red")
    sys.exit(70)


def lack(error: OSError) -> EnvironmentLack | None:
    """Return what the machine lacks where that, and no fault of ours, is what went wrong."""
    try:
        os.getcwd()  # noqa: PTH109 - Path.cwd would say the same
    except FileNotFoundError:
        return EnvironmentLack("the folder that this was called in is gone.", advice="Change into another one.")
    # Of a copy that could not be written both files are named, and it is the second that lacks something.
    writing = error.filename2 is not None and error.errno in _OF_WRITING
    number, name, why = error.errno, error.filename2 if writing else error.filename, error.strerror
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        # Copying a folder tells all that went wrong at once, each as source, destination and words.
        _, name, words = error.args[0][0]
        number = next((one for one in _OF_THE_MACHINE if str(words).startswith(f"[Errno {one}]")), None)
        why = os.strerror(number) if number is not None else None
    if number not in _OF_THE_MACHINE:
        return None
    place = Place(os.fsdecode(name)) if isinstance(name, str | bytes) else None
    return EnvironmentLack(f"the system refuses: {why}.", place=place)


def _keep_traceback() -> Path:
    """Write the traceback of the fault at hand to a file for whoever mends it."""
    with tempfile.NamedTemporaryFile("w", prefix="argusic-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    return Path(file.name)
