"""The one display transform of quoted text: a dash that its author typed is shown as a comma or a period.

It applies to an agent's final state and to a repository's description, on pages alone (methodology, "Evidence
integrity"). Words and their order never change; hyphens inside words, flags, ranges and code stay.
"""

from __future__ import annotations

import re

_LONG = "\u2014\u2015\u2e3a\u2e3b"
_EN = "\u2012\u2013"
#: Backticked code and addresses are no prose. The NUL is their stand-in while the prose is read.
_NO_PROSE = re.compile(r"```.*?```|``.+?``|`[^`\n]*`|\w+://\S+|\x00", re.DOTALL)
#: A long dash, spaced or not; an en dash or hyphens alone between spaces.
_DASH = re.compile(
    rf"(?<=\S)[ \t]*(?P<long>[{_LONG}]+)[ \t]*(?=\S)|(?<=\S)[ \t]+(?P<short>[{_EN}]+|-{{1,3}})[ \t]+(?=\S)"
)
_OPENING = re.compile(rf"^(\s*)[{_LONG}{_EN}]+[ \t]+")
_CLOSING = re.compile(rf"[ \t]*(?:[{_LONG}{_EN}]+|(?<=[ \t])-{{2,3}})[ \t]*$")
_CLAUSE_END = re.compile(r"[.,;:!?]\s")
_FLAG = re.compile(r"(?:^|\s)--?[A-Za-z]")
_STOPS = ".,;:!?\u2026"


def without_dashes(text: str) -> str:
    """Return `text` with its typed dashes shown as commas or periods.

    A dash becomes a period where a capital letter follows (a new sentence) or where it ends a line, else a
    comma; after a mark that already ends a clause only the space is left, and one that opens a line goes. It
    stays between figures (a range), before a flag or as an argument after one, in backticked code, in an
    address, and as the hyphen that opens a list item.
    """
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return "\0"

    lines = _NO_PROSE.sub(keep, text).split("\n")
    parts = "\n".join(map(_line, lines)).split("\0")
    return parts[0] + "".join(code + part for code, part in zip(kept, parts[1:], strict=True))


def _line(line: str) -> str:
    line = _OPENING.sub(r"\1", line)
    if closing := _CLOSING.search(line):
        before = line[: closing.start()]
        line = before if not before.strip() or before[-1] in _STOPS else f"{before}."
    return _DASH.sub(_instead, line)


def _instead(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()], match.string[match.end() :]
    dash, spaced = match["long"] or match["short"], match.group() != (match["long"] or match["short"])
    in_range = before[-1].isdigit() and re.match(r"[$\u20ac\u00a3v]?\d", after) is not None
    if in_range and not (match["long"] and spaced):
        return match.group()
    if dash.startswith("-") and (after.startswith("-") or _FLAG.search(_CLAUSE_END.split(before)[-1])):
        return match.group()
    if before[-1] in _STOPS:
        return " "
    return ". " if after[0].isupper() else ", "
