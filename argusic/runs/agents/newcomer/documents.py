"""The files that documentation has its reader write: those that it names, and the modules that its examples assume."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType

from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import commands, is_python, saved_as
from argusic.runs.agents.newcomer.examples import Scope
from argusic.runs.agents.newcomer.javascript import is_javascript
from argusic.runs.agents.newcomer.projects import Project


def saved_files(
    project: Project, known: frozenset[str] = frozenset(), names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return the files that the documentation has its reader save, by name. The first of a name stays.

    Where it does not say so, but starts a program by its file's name, that is the program shown last before. Where a
    program imports from a module that is nowhere, but another block defines what it imports, that is such a module.

    Args:
        project: The project.
        known: Modules that are there.
        names: Names that documentations take for granted, and the statement that brings each.
    """
    found: dict[str, str] = {}
    for block in project.blocks:
        name = saved_as(block)
        if name and name not in project.files:
            found.setdefault(name, block.text)
    program = ""
    for block in project.blocks:
        for command in commands(block):
            named = re.match(r"(?:python3?|node) (?:\./)?((?:[\w-]+/)*[\w-]+\.(?:py|m?js))\b", command.line)
            if named and program and named[1] not in project.files:
                found.setdefault(named[1], program)
        program = block.text if is_python(block) or is_javascript(block) else program
    assumed = _assumed(
        [*found.values(), *(b.text for b in project.blocks if is_python(b))], project.blocks, known, names
    )
    return {**{name: text for name, text in assumed.items() if name not in project.files}, **found}


def as_python3(source: str) -> str:
    """Return a program with print statements of Python 2 written as calls."""
    return re.sub(r"(?m)^(\s*)print (?!\()(\S.*)$", r"\1print(\2)", source)


def _assumed(
    programs: list[str], blocks: tuple[Block, ...], known: frozenset[str], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the modules that programs import from and that are nowhere, made of what other blocks define."""
    trees = [tree for block in blocks if is_python(block) and (tree := _parsed(block.text))]
    found: dict[str, str] = {}
    for program in programs:
        for node in ast.walk(_parsed(program) or ast.Module([], [])):
            if not isinstance(node, ast.ImportFrom) or node.level or not node.module or "." in node.module:
                continue
            pieces = [_defining(alias.name, trees, names) for alias in node.names]
            if node.module not in known and all(pieces):
                found.setdefault(f"{node.module}.py", "\n".join(dict.fromkeys(piece for piece in pieces if piece)))
    return found


def _defining(name: str, trees: list[ast.Module], names: Mapping[str, str]) -> str | None:
    """Return the statements of a block that define `name`, with those of it that they need; None where none does."""
    for tree in trees:
        needed, kept = {name}, set[int]()
        for place in range(len(tree.body) - 1, -1, -1):
            node = tree.body[place]
            if _defines(node) & needed:
                kept.add(place)
                needed |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        made = [tree.body[place] for place in sorted(kept)]
        granted = [names[one] for one in sorted(needed & names.keys() - {d for node in made for d in _defines(node)})]
        source = "\n".join([*granted, *(ast.unparse(node) for node in made)]) + "\n"
        own = any(name in _defines(node) and not isinstance(node, (ast.Import, ast.ImportFrom)) for node in made)
        if own and Scope().takes(source):
            return source
    return None


def _defines(node: ast.stmt) -> set[str]:
    """Return the names that a statement at the top of a program defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def _parsed(source: str) -> ast.Module | None:
    for text in (source, as_python3(source)):
        try:
            with warnings.catch_warnings(action="ignore"):
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None
