"""Judges Python examples before they are run: do they stand alone, and what do they put into the project?

A documentation's snippet is often a fragment. A careful reader does not run one whose names come from nowhere,
and does not call it a failure of the project either.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

#: Functions whose arguments say nothing about the project when they come out again.
_ECHOES = frozenset({"print", "repr", "str", "len", "list", "dict", "set", "tuple", "sorted", "open"})
#: What a text that is no Python makes the parser raise.
_NOT_PYTHON = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
#: Texts that are everywhere.
_COMMON = frozenset({"localhost", "from", "this", "that", "with", "none", "true", "false", "name", "error"})


@dataclass
class Scope:
    """The names that a session knows so far."""

    known: set[str] = field(default_factory=lambda: {*dir(builtins), "__name__", "__file__", "_"})

    def takes(self, source: str) -> bool:
        """Return whether `source` is Python that uses known names alone; if so, learn what it defines."""
        tree = _parsed(source)
        if tree is None:
            return False
        defined = _defined(tree)
        if _used(tree) - self.known - defined:
            return False
        self.known |= defined
        return True


def standing(examples: Iterable[doctest.Example], scope: Scope) -> tuple[doctest.Example, ...]:
    """Return the statements that are Python, do something, and whose names come from somewhere, in order."""
    return tuple(example for example in examples if not _is_literal(example.source) and scope.takes(example.source))


def as_examples(source: str) -> tuple[doctest.Example, ...]:
    """Return the statements of a plain program as those of a session that shows no results.

    Empty where the source is not Python.
    """
    tree = _parsed(source)
    if tree is None:
        return ()
    lines = source.splitlines()
    found = []
    done = 0
    for node in tree.body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        if first > done:
            done = node.end_lineno or first
            found.append(doctest.Example("\n".join(lines[first - 1 : done]) + "\n", ""))
    return tuple(found)


def as_session(examples: Iterable[doctest.Example]) -> str:
    """Return statements as the text of an interactive session."""
    pieces = []
    for example in examples:
        lines = example.source.rstrip("\n").splitlines()
        prompts = [">>> ", *["... "] * (len(lines) - 1)]
        pieces += [(prompt + line).rstrip() for prompt, line in zip(prompts, lines, strict=True)]
        if len(lines) > 1:
            pieces.append("...")
        shown = (example.exc_msg and f"Traceback (most recent call last):\n{example.exc_msg}") or example.want
        pieces += [shown.rstrip("\n")] if shown else []
        pieces += [""] if not shown else []
    return "\n".join(pieces) + "\n"


def imports(source: str) -> frozenset[str]:
    """Return the top-level modules that `source` imports; empty where it is not Python."""
    tree = _parsed(source)
    if tree is None:
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return frozenset(found)


def put_in(source: str) -> tuple[str, ...]:
    """Return the texts that `source` hands to the project: words of the strings in calls and in what it defines.

    Arguments of `print` and its like are left out, unless the project gave that name a meaning of its own:
    that they come out again proves nothing.
    """
    tree = _parsed(source)
    if tree is None:
        return ()
    taken_over = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            echo = isinstance(node.func, ast.Name) and node.func.id in _ECHOES - taken_over
            for argument in () if echo else [*node.args, *(k.value for k in node.keywords)]:
                found |= dict.fromkeys(_texts(argument))
        elif isinstance(node, ast.Return) and node.value:
            found |= dict.fromkeys(_texts(node.value))
    return tuple(found)


def handed_over(source: str) -> tuple[str, ...]:
    """Return what `source` gives others to do: functions that it imports and hands on without calling them."""
    tree = _parsed(source)
    if tree is None:
        return ()
    taken = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    handed = (
        taken[argument.id]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for argument in node.args
        if isinstance(argument, ast.Name) and argument.id in taken
    )
    return tuple(dict.fromkeys(handed))


def _parsed(source: str) -> ast.Module | None:
    """Return the tree of `source`; None where it is not Python, or more than a reader's example ever is."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
            compile(tree, "example", "exec")
    except _NOT_PYTHON:
        return None
    return tree


def _is_literal(source: str) -> bool:
    """Return whether a statement only writes a value down, such as a result with a prompt before it by mistake."""
    try:
        ast.literal_eval(source.strip())
    except _NOT_PYTHON:
        return False
    return True


def _texts(node: ast.AST) -> list[str]:
    found = []
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)):
            value = part.value
            text = (value.decode("utf-8", "replace") if isinstance(value, bytes) else value).strip()
            words = [word.strip("[]{}()<>*_`\"'.,:;!?#-") for word in text.split()]
            found += [text] if len(words) > 1 and len(text) <= 60 and re.fullmatch(r"[\w ,.!?'-]+", text) else []
            found += [word for word in words if len(word) >= 4 and word.isalnum() and word not in _COMMON][:8]
        elif isinstance(part, ast.Constant) and isinstance(part.value, (int, float)) and abs(part.value) >= 10:
            found.append(repr(part.value))
    return found


def _defined(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
