"""What code that is given on the command line looks at: whether a Python snippet reads, or only asks and imports."""

from __future__ import annotations

import ast
import warnings

from argusic.evidence.audit.tables import Tables, named

#: Statements that bring names and run nothing of what they import, as far as a claim goes.
_IMPORTS = (ast.Import, ast.ImportFrom, ast.Pass)


def only_probes(code: str, tables: Tables) -> str | None:
    """Return what a Python snippet merely sees, to complete "It only sees ..."; None where it does more.

    Code that is no Python, or that calls anything but what the table lists as looking, does more.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if all(isinstance(statement, _IMPORTS) for statement in tree.body):
        return "that a module can be imported" if tree.body else "nothing of it"
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if not all(named(_name(call.func), tables.python_probes) for call in calls):
        return None
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree)):
        read = {_name(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        looks = all(name.startswith("__") or named(name, (*tables.python_probes, "path", "st_size")) for name in read)
        plain = not any(isinstance(node, ast.Compare) for node in ast.walk(tree)) or looks
        return "that a module can be imported, its version, or that a file is there" if looks and plain else None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(tables.python_probes)
    return None if names else "what it was told to print"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else "?"
