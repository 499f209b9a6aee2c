"""Cards of models: the documentation that comes with the weights, and what it says of itself."""

from __future__ import annotations

import re
import textwrap
from email.parser import HeaderParser
from pathlib import Path

from argusic.database.reading import parse
from argusic.errors import InputError
from argusic.pool.archives import members

#: The name of a card in a repository, and where what is handed in has it.
CARD = "README.md"
#: No card is longer, in bytes.
MAX_CARD = 2_000_000
#: Characters of a header that are read, and of a text that a summary is looked for in.
_MAX_HEADER, _MAX_BEGINNING = 100_000, 20_000
_HEADER_ENDS = re.compile(r"^---[ \t\r]*$", re.MULTILINE)


def card_of_archive(archive: Path, folder: str | None) -> str | None:
    """Return the card that a published archive brings.

    Args:
        archive: The archive.
        folder: The folder that holds the model's repository. Without one the card is what the archive itself has for
            documentation: the description in its metadata, or its README.

    Raises:
        ArchiveUnusable: It cannot be read.
    """
    readme = None
    for member in members(archive):
        above, _, name = member.path.rpartition("/")
        if folder is not None:
            if member.path == f"{folder}/{CARD}":
                return member.content.read(MAX_CARD).decode("utf-8", "replace")
        elif (
            above and "/" not in above and ((name == "METADATA" and above.endswith(".dist-info")) or name == "PKG-INFO")
        ):
            described = _description(member.content.read(MAX_CARD).decode("utf-8", "replace"))
            if described:
                return described
        elif above and "/" not in above and re.fullmatch(r"(?i)readme(\.(md|rst|txt))?", name):
            readme = readme or member.content.read(MAX_CARD).decode("utf-8", "replace")
    return readme


def read_card(card: Path) -> str | None:
    """Return the text of a card that was proved; None where there is none, or one that nobody could read."""
    if not card.is_file() or card.stat().st_size > MAX_CARD:
        return None
    return card.read_text(encoding="utf-8", errors="replace")


def header(card: str) -> dict[str, object]:
    """Return the header that a hub's card begins with; empty where there is none that can be read."""
    found, _ = _parts(card)
    if not found or len(found) > _MAX_HEADER:
        return {}
    try:
        said = parse(found.encode("utf-8", "replace"), file=CARD)
    except InputError:
        return {}
    return {str(key): value for key, value in said.items()} if isinstance(said, dict) else {}


def body(card: str) -> str:
    """Return a card without its header."""
    return _parts(card)[1]


def summary(card: str) -> str | None:
    """Return the first sentence of a card's text; None where it begins with none."""
    plain = re.sub(r"(?s)```.*?```|~~~.*?~~~|<!--(?:(?!<!--).)*?-->", "", body(card)[:_MAX_BEGINNING])
    for paragraph in re.split(r"\n\s*\n", plain):
        lines = [line.strip() for line in paragraph.splitlines() if not re.match(r"\s*(#|<|!\[|\[!\[|\||>)", line)]
        text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", " ".join(lines))
        text = " ".join(re.sub(r"[*`]|__", "", text).split())
        if len(text) < 20 or re.match(r"[-+\d]", text):
            continue
        first = re.split(r"(?<=[.!?])\s", text)[0]
        return first if len(first) <= 200 else f"{first[:199]}…"
    return None


def _parts(card: str) -> tuple[str, str]:
    """Return the header that a card begins with, and what follows it."""
    first, _, rest = card.partition("\n")
    ends = _HEADER_ENDS.search(rest) if first.startswith("---") and not first[3:].strip() else None
    return (rest[: ends.start()], rest[ends.end() :].removeprefix("\n")) if ends else ("", card)


def _description(metadata: str) -> str | None:
    """Return the description of a package's metadata: its text, or the field of older ones."""
    message = HeaderParser().parsestr(metadata)
    text = str(message.get_payload())
    if not text.strip():
        text = textwrap.dedent(str(message.get("Description") or ""))
    return text if text.strip() and text.strip() != "UNKNOWN" else None
