"""Text from outside, made inert: it reaches a page as text, whatever HTML, Markdown or template it spells.

Names, commands, reports and logs are written by strangers, and Markdown passes raw HTML through. So every
ASCII character that any of the three languages could read is written as a numeric character reference: that
is the same text to a reader and means nothing to a parser, inside an element or inside an attribute.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup

_LINE_ENDS = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")
_LIVE = re.compile(r"[^A-Za-z0-9 \u00a0-\U0010ffff]")
_NOT_IN_TITLES = re.compile(r"[^\w .,:+@/()-]", re.ASCII)
#: Invisible characters that belong to ordinary text: the joiners of emoji and scripts, and the soft hyphen.
_HARMLESS = frozenset("\u200c\u200d\u00ad")
#: Categories of characters that cannot be seen, or that reorder what stands beside them.
_HIDDEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn"])


def printable(text: str) -> str:
    """Return `text` with one kind of line end (`\\n`), tabs as spaces and every other character visible.

    Controls (the Markdown library takes two of them for its own placeholders), bidirectional overrides and
    unassigned code points become U+FFFD.
    """
    text = _LINE_ENDS.sub("\n", text).replace("\t", "    ")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(
        "\ufffd"
        if character != "\n" and unicodedata.category(character) in _HIDDEN and character not in _HARMLESS
        else character
        for character in text
    )


def _inert(text: str) -> str:
    return _LIVE.sub(lambda match: f"&#{ord(match.group())};", text)


def plain(text: str) -> Markup:
    """Return `text` as inert markup on one line: for running text, table cells and attribute values."""
    return Markup(_inert(" ".join(printable(text).split("\n"))))


def lines(text: str) -> Markup:
    """Return `text` as inert markup that keeps its line breaks."""
    return Markup("<br>".join(_inert(line) for line in printable(text).strip("\n").split("\n")))


def title(text: str) -> str:
    """Return `text` reduced to characters that no parser reads, for a page's `<title>`.

    The theme prints titles without escaping them, so what could be live is left out here.
    """
    kept = " ".join(_NOT_IN_TITLES.sub(" ", unicodedata.normalize("NFKD", text)).split())
    return kept[:120].strip() or "Untitled"


def shortened(text: str, limit: int) -> str:
    """Return `text` cut to `limit` characters, with an ellipsis where something was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "\u2026"
