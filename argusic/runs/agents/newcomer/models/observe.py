"""Run a documented snippet from its own file as Python's prompt would, show what it produced, and decode that.

Usage: python observe.py SNIPPET

Each statement runs as it stands in the file; the value of one that is a mere expression is shown, as at the prompt.
The last line says what decoding found: it compares what came out with what the snippet put in. Exits 1 where the
snippet fails. This file is carried into the sandbox as it is, so it needs nothing but Python.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import re
import sys
import traceback
import types
import unicodedata
from pathlib import Path
from typing import Any, TextIO

#: Values that are larger are described, not read, in numbers.
_MOST = 5_000_000
_FUTURE = 0x1FF0000


class Both(io.StringIO):
    """Prints what is written to it, and keeps it."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self.out = out

    def write(self, text: str) -> int:
        """Print and keep `text`."""
        self.out.write(text)
        return super().write(text)


def observe(path: str) -> int:
    """Run the snippet at `path`; return the exit status."""
    source = Path(path).read_text(encoding="utf-8")
    tree = ast.parse(source, path)
    names: dict[str, Any] = {"__name__": "__main__", "__file__": path}
    shown: list[Any] = []

    def show(value: object) -> None:
        if value is not None:
            shown.append(value)
            sys.stdout.write(f"{short(value)}\n")

    sys.displayhook = show
    printed, flags = Both(sys.stdout), 0
    try:
        with contextlib.redirect_stdout(printed):
            for node in tree.body:
                code = compile(ast.Interactive([node]), path, "single", flags, dont_inherit=True)
                flags |= code.co_flags & _FUTURE
                exec(code, names)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        return 1
    given = written_down(tree)
    left = {name: value for name, value in names.items() if not name.startswith("_") and _is_value(value)}
    values = [*shown, *(value for name, value in left.items() if name not in given)]
    lines = [line for line in printed.getvalue().splitlines() if line.strip()]
    said = [
        "--- what it left behind",
        *(f"{name}: {described(value)}" for name, value in left.items()),
        f"Lines printed: {len(lines)}. Values shown or left: {len(values)}.",
        f"Device: {device(values)}.",
        f"Decoded: {decoded(tree, source, lines, values) or 'nothing'}.",
    ]
    sys.stdout.write("\n".join(said) + "\n")
    return 0


def decoded(tree: ast.Module, source: str, lines: list[str], values: list[Any]) -> str | None:
    """Return what was found by comparing what came out with what the snippet put in or its comments show."""
    groups, texts = put_in(tree)
    # What stands in the snippet itself and is printed is no answer.
    answers = [line for line in lines if not any(line.strip() == text.strip() for text in texts)]
    held = [text for value in values for text in strings(value)]
    return (
        as_documented(source, answers)
        or row_by_row(values, groups)
        or the_same_text([*answers, *held], texts)
        or in_another_order(values, groups)
        or went_on(held, texts)
        or scored(values)
        or finite(values)
    )


def as_documented(source: str, lines: list[str]) -> str | None:
    """Compare the printed lines with comments of the snippet that show what it prints."""
    comments = [" ".join(line.strip().lstrip("#").split()) for line in source.splitlines() if line.strip()[:1] == "#"]
    printed = [" ".join(line.split()) for line in lines]
    telling = [line for line in printed if sum(map(str.isalnum, line)) > 3]
    same = [line for line in telling if line in comments]
    return f"{len(same)} of the {len(telling)} lines that it printed are those that its comments show" if same else None


def row_by_row(values: list[Any], groups: list[list[str]]) -> str | None:
    """Find as many rows of numbers as texts went in, no two alike for texts that are not."""
    for value in reversed(values):
        rows = numbers(value)
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
            continue
        flat = [list(_flat(row)) for row in rows]
        if not all(math.isfinite(number) for row in flat for number in row):
            continue
        for group in groups:
            if len(group) == len(rows) and len({tuple(row) for row in flat}) == len(set(group)) > 1:
                each = f"{len(flat[0])} numbers"
                return f"{len(group)} texts went in, and {len(rows)} rows of {each} came out, all finite, no two alike"
    return None


def the_same_text(out: list[str], texts: list[str]) -> str | None:
    """Find a text that went in and came out with other marks alone."""
    for text in texts:
        for came in out:
            marks = len(unicodedata.normalize("NFD", came.strip())) - len(unicodedata.normalize("NFD", text.strip()))
            if came.strip() != text.strip() and marks > 0 and bare(came) == bare(text):
                return f"the text that went in came out with {marks} marks put in, and is the same without its marks"
    return None


def in_another_order(values: list[Any], groups: list[list[str]]) -> str | None:
    """Find the texts that went in, in an order that they did not have."""
    for value in values:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            for group in groups:
                if value != group and sorted(value) == sorted(group):
                    return f"the {len(group)} texts that went in came out in another order"
    return None


def went_on(out: list[str], texts: list[str]) -> str | None:
    """Find a text that begins with one that went in, and goes on."""
    for text in texts:
        for came in out:
            if len(text) > 7 and came.startswith(text) and len(came) > len(text) + 3:
                return "a text came out that begins with the text that went in, and goes on"
    return None


def scored(values: list[Any]) -> str | None:
    """Find answers that each have a score from 0 to 1."""
    for value in reversed(values):
        answers = value if isinstance(value, list) else [value]
        answers = [one for inner in answers for one in (inner if isinstance(inner, list) else [inner])]
        scores = [one.get("score") for one in answers if isinstance(one, dict)]
        if scores and len(scores) == len(answers) and all(isinstance(s, float) and 0 <= s <= 1 for s in scores):
            return f"{len(scores)} answers came out, each with a score from 0 to 1"
    return None


def finite(values: list[Any]) -> str | None:
    """Find an array of finite numbers that are not all the same."""
    for value in reversed(values):
        rows = numbers(value) if hasattr(value, "shape") else None
        flat = list(_flat(rows)) if isinstance(rows, list) else []
        if len(set(flat)) > 1 and all(math.isfinite(number) for number in flat):
            return f"{len(flat)} numbers came out, all finite, not all the same"
    return None


def put_in(tree: ast.Module) -> tuple[list[list[str]], list[str]]:
    """Return the lists of texts, and the texts, that the snippet hands on."""
    groups, texts = [], []
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1:
            group = [part.value for part in node.elts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            groups += [group] if len(group) == len(node.elts) else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            texts += [node.value] if sum(map(str.isalpha, node.value)) > 3 else []
    return groups, texts


def written_down(tree: ast.Module) -> set[str]:
    """Return the names whose values the snippet writes down itself: what it puts in, and no answer."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            try:
                ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def strings(value: object, depth: int = 3) -> list[str]:
    """Return the texts in a value: itself, or those of lists and mappings in it."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [text for one in list(inner)[:1000] for text in strings(one, depth - 1)] if depth else []


def numbers(value: Any) -> Any:
    """Return the numbers of an array or of nested lists; None where it holds others, or too many."""
    for step in ("detach", "cpu", "float"):
        if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, step):
            value = getattr(value, step)()
    if hasattr(value, "shape") and hasattr(value, "tolist"):
        if math.prod(value.shape) > _MOST:
            return None
        value = value.tolist()
    if isinstance(value, (list, tuple)) and value:
        rows = [numbers(one) for one in value]
        return None if any(row is None for row in rows) else rows
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _flat(rows: Any) -> Any:
    if isinstance(rows, list):
        for row in rows:
            yield from _flat(row)
    else:
        yield rows


def bare(text: str) -> str:
    """Return a text without its marks, without spaces at its ends."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).strip()


def device(values: list[Any]) -> str:
    """Return where the values are: on a GPU, where one of them is."""
    kinds = {re.split(r"[:\s]", str(getattr(value, "device", "")))[0] for value in values}
    return "GPU" if kinds & {"cuda", "gpu", "xpu", "mps"} else "CPU"


def short(value: object) -> str:
    """Return how a value reads, not too long."""
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:600]} …"


def described(value: object) -> str:
    """Return a value in a few words."""
    kind = type(value).__name__
    if hasattr(value, "shape"):
        return f"{kind} of shape {tuple(value.shape)}"
    if isinstance(value, (str, int, float, bool)):
        return f"{kind} {short(value)[:160]}"
    return f"{kind} of {len(value)}" if isinstance(value, (list, tuple, dict, set)) else kind


def _is_value(value: object) -> bool:
    return not isinstance(value, (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType))


if __name__ == "__main__":
    # A snippet may start processes of its own, which import this file again: only the first runs it.
    sys.exit(observe(sys.argv[1]))
