"""Reads from a block of documentation what a user is told to type, and what the document shows in answer."""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass

from argusic.runs.agents.newcomer.blocks import Block

_SHELL = frozenset({"", "sh", "bash", "shell", "console", "shell-session", "zsh", "text", "terminal", "commandline"})
_PYTHON = frozenset({"python", "py", "python3", "pycon", "pydocstring", "ipython"})
_PROMPT = re.compile(r"^(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[:~\w/ -]*)?[$%❯]\s+(?P<command>\S.*)$")
_NO_COMMAND = re.compile(r"^\s*[-=+|*~^#_]{3,}|^\s*[\w.-]+\s+\(|^\s*[{<\[]\W*$|\S {3,}\S+ {3,}\S")
_SAVED = re.compile(
    r"(?:save|put|create|write|paste|place|add)\b[^.]{0,60}?[`'\"\s(]*(?P<name>[\w-]+\.(?:py|js|mjs|json|ya?ml|toml|cfg|ini|txt|html|md))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DocumentedCommand:
    """A shell command of the documentation.

    Attributes:
        line: The command, continuation lines joined.
        shown: What the document shows that it prints; empty where it shows nothing.
        block: The block that it stands in.
    """

    line: str
    shown: str
    block: Block


def commands(block: Block) -> tuple[DocumentedCommand, ...]:
    """Return the shell commands of a block, in order."""
    if block.language not in _SHELL or ">>> " in block.text:
        return ()
    lines = _joined(block.text)
    prompted = any(_PROMPT.match(line) for line in lines)
    if not prompted and any("<<" in line or _NO_COMMAND.search(line) for line in lines):
        return ()
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        match = _PROMPT.match(line.strip()) if prompted else None
        if match:
            found.append((match["command"], []))
        elif prompted and found:
            found[-1][1].append(line)
        elif not prompted and found and line.lstrip().startswith("> "):
            # Some documents quote what a command prints.
            found[-1][1].append(line.lstrip()[2:])
        elif not prompted and line.strip() and not line.lstrip().startswith(("#", "//")):
            found.append((line.strip(), []))
    return tuple(
        DocumentedCommand(_without_comment(command), "\n".join(shown).strip("\n"), block) for command, shown in found
    )


def statements(block: Block) -> tuple[doctest.Example, ...]:
    """Return the statements of a block that shows an interactive Python session, with what each shows.

    Empty where the block is no session, or where its text cannot be taken apart.
    """
    if ">>> " not in block.text:
        return ()
    try:
        return tuple(doctest.DocTestParser().get_examples(block.text))
    except ValueError:
        return ()


def is_python(block: Block) -> bool:
    """Return whether the block is a piece of a Python program."""
    if ">>> " in block.text:
        return False
    return block.language in _PYTHON or (not block.language and bool(re.match(r"(import|from) \w", block.text)))


def saved_as(block: Block) -> str | None:
    """Return the name of the file that the document says to save this block as, where it says so."""
    first = block.text.splitlines()[0] if block.text else ""
    comment = first if first.lstrip().startswith(("#", "//")) else ""
    named = re.fullmatch(r"\s*(?:#|//)\s*(?:contents? of )?([\w-]+\.(?:py|js|mjs))\s*:?\s*", comment)
    name = named[1] if named else None
    for text in (comment, _last_sentence(block.before), block.after.split(". ")[0]):
        match = _SAVED.search(text) if name is None else None
        if match and (text is not block.after or text.lower().startswith("save")):
            name = match["name"]
    return name if name and _reads_as(name, block.text) else None


def _reads_as(name: str, text: str) -> bool:
    """Return whether `text` can be the content of a file called `name`, and not the command that uses it."""
    if name.endswith(".json"):
        return text.lstrip().startswith(("{", "["))
    if name.endswith(".py"):
        return bool(re.search(r"^\s*(from|import|async|def|class|@|\w+\s*=)", text, re.MULTILINE))
    if name.endswith((".js", ".mjs")):
        return bool(re.search(r"\b(require|import|const|let|var|function)\b", text))
    return "\n" in text


def _joined(text: str) -> list[str]:
    """Return the lines of a block with backslash continuations joined."""
    return re.sub(r"\s*\\\n\s*>?\s*", " ", text).splitlines()


def _without_comment(command: str) -> str:
    return re.sub(r"\s+#\s.*$", "", command).strip()


def _last_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)[-1]
