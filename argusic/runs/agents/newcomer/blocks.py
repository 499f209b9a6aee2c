"""Finds the blocks of code in a project's documentation, in Markdown and reStructuredText.

A reader's eye, not a renderer: it wants each block's language, its text, and the sentences right before and
after it, because those say what the block is for.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,})\s*\{?\.?(?P<language>[\w+#-]*)(?P<rest>.*)$")
_DIRECTIVE = re.compile(r"^(?P<indent>\s*)\.\.\s+(?P<name>[\w:-]+)::\s*(?P<argument>.*)$")
_CODE_DIRECTIVES = frozenset({"code-block", "code", "sourcecode", "highlight-block"})
_LIST_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s")


@dataclass(frozen=True)
class Block:
    """One block of code.

    Attributes:
        language: As the document names it, lower case; empty where it does not.
        text: The code, without the indentation that the document gives it.
        before: The paragraph before it, and the heading that it stands under, where there is one.
        after: The paragraph after it.
    """

    language: str
    text: str
    before: str = ""
    after: str = ""


def blocks(text: str) -> tuple[Block, ...]:
    """Return the code blocks of a document, in order."""
    pieces = list(_pieces(_undent_field(text).expandtabs(4).splitlines()))
    found = []
    for place, (language, content) in enumerate(pieces):
        if language is None or not content.strip():
            continue
        before = next((c for lang, c in reversed(pieces[:place]) if lang is None and c.strip()), "")
        after = next((c for lang, c in pieces[place + 1 :] if lang is None and c.strip()), "")
        found.append(Block(language, content, _paragraphs(before)[-1], _paragraphs(after)[0]))
    return tuple(found)


def _pieces(lines: list[str]) -> list[tuple[str | None, str]]:
    """Split a document into prose (language None) and code, in order."""
    pieces: list[tuple[str | None, str]] = []
    prose: list[str] = []
    rst = any(_DIRECTIVE.match(line) or line.rstrip().endswith("::") for line in lines)
    rst = rst and not any(line.lstrip().startswith("```") for line in lines)
    place = 0

    def code(language: str, body: list[str]) -> None:
        pieces.append((None, "\n".join(prose)))
        prose.clear()
        pieces.append((language.lower(), textwrap.dedent("\n".join(body)).strip("\n")))

    while place < len(lines):
        line = lines[place]
        # In reStructuredText a line of tildes is the underline of a heading.
        fence = None if rst else _FENCE.match(line)
        directive = _DIRECTIVE.match(line)
        if fence:
            end = _end_of_fence(lines, place + 1, fence["fence"])
            code(fence["language"], lines[place + 1 : end])
            place = end + 1
        elif directive:
            end = _end_of_indented(lines, place + 1, len(directive["indent"]))
            if directive["name"] in _CODE_DIRECTIVES:
                body = lines[place + 1 : end]
                while body and re.match(r"\s+:[\w-]+:", body[0]):
                    body = body[1:]
                code(directive["argument"].strip(), body)
            place = end
        elif rst and line.rstrip().endswith("::"):
            prose.append(line)
            end = _end_of_indented(lines, place + 1, len(line) - len(line.lstrip()))
            if end > place + 1:
                code("", lines[place + 1 : end])
            place = max(end, place + 1)
        elif line.lstrip().startswith(">>> "):
            end = place
            while end < len(lines) and (lines[end].strip() or _prompt_follows(lines, end)):
                end += 1
            code("pycon", lines[place:end])
            place = end
        elif not rst and _starts_indented(lines, place, prose):
            end = _end_of_indented(lines, place, 3)
            code("", lines[place:end])
            place = end
        else:
            prose.append(line)
            place += 1
    pieces.append((None, "\n".join(prose)))
    return pieces


def _end_of_fence(lines: list[str], place: int, fence: str) -> int:
    while place < len(lines) and not re.fullmatch(rf"\s*{re.escape(fence[0])}{{{len(fence)},}}\s*", lines[place]):
        place += 1
    return place


def _end_of_indented(lines: list[str], place: int, indent: int) -> int:
    """Return where the lines that are indented by more than `indent` end; blank lines in between belong."""
    end = place
    while place < len(lines):
        line = lines[place]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        place += 1
        if line.strip():
            end = place
    return end


def _starts_indented(lines: list[str], place: int, prose: list[str]) -> bool:
    """Return whether a Markdown block by indentation starts here: after a blank line, and not within a list."""
    if not lines[place].startswith("    ") or not lines[place].strip():
        return False
    if prose and prose[-1].strip():
        return False
    last = next((line for line in reversed(prose) if line.strip()), "")
    return not _LIST_ITEM.match(last)


def _prompt_follows(lines: list[str], place: int) -> bool:
    return place + 1 < len(lines) and lines[place + 1].lstrip().startswith(">>> ")


def _undent_field(text: str) -> str:
    """Undo the indentation that a metadata field gives to the lines of a long description."""
    head, _, rest = text.partition("\n")
    if rest and all(line.startswith("        ") for line in rest.splitlines() if line.strip()):
        return f"{head}\n{textwrap.dedent(rest)}"
    return text


def _paragraphs(prose: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", prose) if part.strip()] or [""]
