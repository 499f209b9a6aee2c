"""Text that strangers wrote on GitHub: made readable on its way in, and quoted in Markdown so that it does nothing.

Inside code GitHub reads no mention, link, heading, comment or HTML; so whatever comes from outside is quoted as code,
between more backticks than it has in a row itself.
"""

from __future__ import annotations

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
#: Categories of characters that cannot be seen, or that reorder what stands beside them.
_HIDDEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn"])
#: Those of them that ordinary text has: line ends and tabs, and the joiners of emoji and of several scripts.
_ORDINARY = frozenset("\n\t\u200c\u200d")
#: What stands for a character that cannot be shown.
_SHOWN = "\ufffd"


def readable(text: str) -> str:
    """Return `text` with one kind of line end, and a mark for every character that hides or reorders others."""
    return "".join(
        _SHOWN if unicodedata.category(character) in _HIDDEN and character not in _ORDINARY else character
        for character in _LINE_ENDS.sub("\n", text)
    )


def says_something(text: str) -> bool:
    """Return whether `text` has a letter or a digit of any script."""
    return any(character.isalnum() for character in text)


def code(text: str, most: int = 300) -> str:
    """Return `text` as code within a line of Markdown, cut to `most` characters."""
    line = " ".join(readable(text).split()) or _SHOWN
    line = line if len(line) <= most else f"{line[: most - 3].rstrip()}..."
    fence = "`" * (_longest(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(text: str, most: int) -> str:
    """Return `text` as a block of code, cut to `most` characters."""
    shown = readable(text).strip("\n")
    if len(shown) > most:
        shown = f"{shown[:most].rstrip()}\n[{len(shown) - most:,} more characters]"
    fence = "`" * max(3, _longest(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _longest(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
