"""Run a Python example statement by statement, show what each returns, and compare it with the documentation.

Usage: python replay.py SESSION [TEXT ...]

SESSION is an interactive session as documentation prints it. Each TEXT is something that the example puts in:
the end of the output says which of them came out again. Exits 1 at the first error that the session does not
show itself. This file is carried into the sandbox as it is, so it needs nothing but Python.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import sys
import traceback
from pathlib import Path
from typing import Any, TextIO

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


class Both(io.StringIO):
    """Prints what is written to it, and keeps it."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self.out = out

    def write(self, text: str) -> int:
        """Print and keep `text`."""
        self.out.write(text)
        return super().write(text)


def name_of(exception: str) -> str:
    """Return the bare name of an exception from the line that reports it."""
    return exception.split(":")[0].strip().split(".")[-1]


def replay(session: str, given: list[str]) -> int:
    """Run the statements of `session`; return the exit status."""
    names: dict[str, Any] = {"__name__": "__main__"}
    compared: list[bool] = []
    came_out = ""
    examples = doctest.DocTestParser().get_examples(session)
    for number, example in enumerate(examples, 1):
        sys.stdout.write(">>> " + example.source.rstrip().replace("\n", "\n... ") + "\n")
        printed = Both(sys.stdout)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(example.source, f"<statement {number}>", "single"), names)
        except Exception as error:
            if not example.exc_msg:
                traceback.print_exc(file=sys.stdout)
                return 1
            says = traceback.format_exception_only(type(error), error)[-1]
            sys.stdout.write(says)
            came_out += says
            compared.append(name_of(says) == name_of(example.exc_msg))
            continue
        came_out += printed.getvalue()
        if example.source.startswith("assert "):
            compared.append(True)
        if sum(map(str.isalnum, example.want)) > 1:
            same = doctest.OutputChecker().check_output(example.want, printed.getvalue(), FLAGS)
            sys.stdout.write(f"    ({'as' if same else 'not as'} the documentation shows it)\n")
            compared.append(same)
    found = [text for text in given if text in came_out]
    sys.stdout.write(f"{len(examples)} statements ran to their end.\n")
    sys.stdout.write(f"{sum(compared)} of {len(compared)} documented results agree.\n")
    sys.stdout.write(f"Put in, and found in what came out: {', '.join(map(repr, found)) or 'nothing'}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(replay(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2:]))
