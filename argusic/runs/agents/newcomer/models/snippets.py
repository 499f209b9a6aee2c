"""Finds the snippets that a model's card documents, and what it has its reader install for them."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import commands, is_python
from argusic.runs.agents.newcomer.examples import Scope, imports
from argusic.runs.agents.newcomer.knowledge import Repairs

#: Snippets that a reader tries before giving up.
_TRIED = 4
#: What makes a snippet another thing than using the model: training, serving, publishing, waiting for somebody.
_OTHER = re.compile(
    r"\b(push_to_hub|save_pretrained|serve_forever|mainloop|input|getpass|login|notebook_login)\s*\(|\.(train|fit)\("
    r"|\bTrainer\(|\.launch\(|\bapp\.run\("
)
#: What the reader is to fill in.
_BLANKS = re.compile(
    r"(?i)path[/_]to|['\"](your|my)[-_ /]|\bYOUR_[A-Z]|<your|['\"]<[\w ]+>['\"]|^\s*\.\.\.\s*$", re.MULTILINE
)
_PIP = re.compile(r"^[!%]?\s*(?:python3? -m )?pip3? install\s+(?P<given>\S.*)$")
_WANTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[\w., -]+\])?([=<>!~]=?[\w.*,=<>!~]+)?")


@dataclass(frozen=True)
class Snippet:
    """One snippet.

    Attributes:
        blocks: The blocks that it is made of, each word for word; a later one goes on where an earlier one ended.
        wants: What the card has its reader install for it, as pip is told; what it imports, where it says nothing.
    """

    blocks: tuple[str, ...]
    wants: tuple[str, ...]

    @property
    def text(self) -> str:
        """The file that holds it."""
        return "\n\n\n".join(self.blocks) + "\n"


def snippets(blocks: Sequence[Block], name: str, brought: str, repairs: Repairs) -> tuple[Snippet, ...]:
    """Return the snippets of a card that can be run as they stand, those that use the model by its name first.

    Args:
        blocks: The card's blocks of code, in order.
        name: What the hub calls the model.
        brought: The module that the handed-in archive brings; empty where a model's files were handed in.
        repairs: What is known of modules and their packages.
    """
    found: list[tuple[bool, Snippet]] = []
    before: list[str] = []
    scope = Scope()
    for place, block in enumerate(blocks):
        if not is_python(block) or _OTHER.search(block.text) or _BLANKS.search(block.text):
            continue
        alone = Scope().takes(block.text) and bool(_foreign(block.text))
        if alone:
            before, scope = [], Scope()
        if not scope.takes(block.text) or not (alone or before):
            continue
        before.append(block.text)
        parts = tuple(before)
        text = "\n".join(parts)
        named = name in text or (brought != "" and brought in imports(text))
        found.append((named, Snippet(parts, _wants(blocks, place, text, repairs))))
    ordered = sorted(found, key=lambda one: not one[0])
    return tuple(snippet for _, snippet in ordered)[:_TRIED]


def pip_line(wants: Sequence[str], archive: str, distribution: str) -> str:
    """Return what pip is given to install, the handed-in archive in place of what the card calls by its name.

    Args:
        wants: What the card wants installed.
        archive: The path of the handed-in archive; empty without one.
        distribution: The name that it has; empty without one.
    """
    named = _normal(distribution) if archive else ""
    given = [want for want in wants if not named or _normal(re.split(r"[\[=<>!~]", want)[0]) != named]
    return " ".join([*([shlex.quote(archive)] if archive else []), *(shlex.quote(want) for want in given)])


def _wants(blocks: Sequence[Block], place: int, text: str, repairs: Repairs) -> tuple[str, ...]:
    """Return what the card wants installed for a snippet: by its nearest word before, else its first word after."""
    nearest = [*reversed(range(place)), *range(place + 1, len(blocks))]
    for at in nearest:
        told = [want for command in _lines(blocks[at]) if (want := _given(command)) is not None]
        wanted = tuple(dict.fromkeys(part for parts in told for part in parts))
        if wanted:
            return wanted
    return tuple(sorted(repairs.packages.get(module, module) for module in _foreign(text)))


def _lines(block: Block) -> tuple[str, ...]:
    if is_python(block):
        return tuple(line for line in block.text.splitlines() if line.lstrip().startswith(("!", "%")))
    return tuple(command.line for command in commands(block))


def _given(command: str) -> tuple[str, ...] | None:
    """Return what a line has pip install; None where it is no such line, or one that wants more than packages."""
    match = _PIP.match(command.strip())
    if match is None:
        return None
    try:
        parts = shlex.split(match["given"], comments=True)
    except ValueError:
        return None
    wanted = [part for part in parts if part not in ("-U", "--upgrade", "-q", "--quiet")]
    return tuple(wanted) if wanted and all(_WANTED.fullmatch(part) for part in wanted) else None


def _foreign(text: str) -> frozenset[str]:
    """Return the modules that a snippet imports and that Python does not bring."""
    return imports(text) - sys.stdlib_module_names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
