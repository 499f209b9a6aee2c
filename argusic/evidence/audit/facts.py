"""Whether a text says what another shows: word for word, abridged, with the same facts in other words, or not."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final, Literal

#: `printed`: word for word, or with parts left out. `same_facts`: other words, and every number and quotation of it
#: is there. `other_words`: nothing in it can be looked up. `missing`: it states what is not there.
Agreement = Literal["printed", "same_facts", "other_words", "missing"]

_QUOTES: Final = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "«": '"', "»": '"', "\u00a0": " "})
_CUT = re.compile(r"\n|\s*(?:\[\.{3}\]|\(\.{3}\)|\.{3,}|…|\[output (?:cut|truncated)\])\s*|\s+/\s+| \| (?=\w+=)")
_QUOTED = re.compile(r"\"([^\"\n]{2,200})\"|`([^`\n]{2,200})`|(?<![\w])'([^'\n]{2,200})'(?![\w])")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,_]*(?:\.\d+)*(?![\d])")
_NAME = re.compile(
    r"(?<![\w])(?:[A-Za-z_][\w-]*(?:[./:_][\w-]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z]{3,}[\w-]*"
    r"|\w+(?:Error|Exception))(?![\w])"
)
_WORD = re.compile(r"[^\W_]+(?:['_-][^\W_]+)*")
#: What says nothing but that it ended well; the table tells that.
_ENDED_WELL = re.compile(
    r"(?i)\b(?:it |the command )?(?:(?:exit(?:ed|s)?|ended|finished|returned|rc|status)(?: with)?(?: an?| the)?"
    r"(?: exit)?(?: status| code)?\s*[:=]?\s*(?:of )?(?:0|zero)\b|exit=0|no output(?: at all)?|nothing(?: was)? printed"
    r"|printed nothing|empty output|silen(?:t|tly|ce)|no errors?(?: were)?(?: was)?(?: printed| reported)?"
    r"|without (?:an |any )?(?:errors?|output)|0 errors?)\b"
)
#: Words that a paraphrase is made of; they are no facts.
_FILLER_WORDS: Final = """
    a an and any are as at be been but by came for from had has have held holds in into is it its no not of on
    or out so than that the their then there these they this to was were what when where which while with
    within without all both each every first second third last one two three four five passed pass returned
    returns output printed prints print shows showed shown said says command result results test tests ok okay
    success successful successfully succeeded expected correct correctly decoded decodes decode read reads
    parsed parses valid whole complete completely verified confirms confirmed matched matches match equals
    equal value values file files line lines exit status code zero error errors failed failure content
    contents response reply body server page json text data contains containing after before ended end ran run
    real really found given gives gave got same also only just exactly again clean done displayed listed lists
    list object objects row rows record records entry entries item items frame frames
"""
_FILLER: Final = frozenset(_FILLER_WORDS.split())


#: Of a claim, at most this much is looked at.
MOST_CLAIMED: Final = 20_000


class Shown:
    """A text that claims are looked up in.

    Args:
        printed: What was printed.
        known: What else a fact may come from, such as the command itself.
    """

    def __init__(self, printed: str, known: str = "") -> None:
        self._printed = printed
        self.plain = plain(printed)
        self._known = plain(known) if known else ""

    @cached_property
    def everywhere(self) -> str:
        """All that facts may come from, plain."""
        return f"{self.plain} {self._known}" if self._known else self.plain

    @cached_property
    def _numbers(self) -> tuple[frozenset[str], frozenset[str]]:
        """Its numbers as they stand, and each decimal one rounded to every shorter form."""
        found = frozenset(numbers(self.everywhere))
        rounded = set()
        for number in found:
            if number.count(".") == 1 and len(number) < 40:
                digits = len(number.split(".")[1])
                rounded |= {f"{float(number):.{fewer}f}" for fewer in range(digits)}
                rounded |= {number[: len(number) - fewer].rstrip(".") for fewer in range(1, digits)}
        return found, frozenset(rounded)

    @cached_property
    def counted(self) -> frozenset[str]:
        """The numbers that a reader gets by counting what was printed: lines, or the items of a JSON text."""
        return counts_in(self._printed)

    def lines(self, most: int) -> list[str]:
        """Return the first lines of what was printed, without empty ones."""
        return [line for line in self._printed[: most * 200].splitlines()[:most] if line.strip()]

    def holds(self, fact: str) -> bool:
        """Return whether it shows a fact, or what it shows counts up to it."""
        if re.fullmatch(r"\d+(?:\.\d+)*", fact):
            as_they_stand, rounded = self._numbers
            return fact in as_they_stand or fact in rounded or fact in self.counted
        wanted = plain(fact).strip(" .,;:!")
        if re.fullmatch(r"[\w-]+", wanted):
            return re.search(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", self.everywhere) is not None
        if wanted in self.everywhere:
            return True
        pieces = [piece.strip(" .,;:") for piece in re.split(r"\.{3,}|…", wanted)]
        return len(pieces) > 1 and all(piece in self.everywhere for piece in pieces)


@dataclass(frozen=True)
class Compared:
    """How a claimed text agrees with a printed one.

    Attributes:
        agreement: How.
        missing: What it states and the other does not show, at most five.
    """

    agreement: Agreement
    missing: tuple[str, ...] = ()


def plain(text: str) -> str:
    """Return a text so that white space, quotes and case make no difference."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split()).casefold()


def ended_well(text: str) -> str:
    """Return a text without the words that only say that a command ended well and printed nothing."""
    return _ENDED_WELL.sub(" ", text)


def says_nothing_else(text: str) -> bool:
    """Return whether a text says only that a command ended well."""
    return bool(_ENDED_WELL.search(text)) and not _content(ended_well(text))


def claims_silence(text: str) -> bool:
    """Return whether a text says that nothing was printed."""
    return re.search(r"(?i)\b(no output|nothing (?:was )?printed|printed nothing|empty output)\b", text) is not None


def compare(claimed: str, shown: Shown) -> Compared:
    """Compare what is claimed with what was printed."""
    claimed = claimed[:MOST_CLAIMED]
    if plain(claimed) in shown.plain:
        return Compared("printed")
    pieces = [piece for piece in (plain(piece).strip(" .;,") for piece in _CUT.split(claimed)) if _content(piece)]
    if pieces and all(piece in shown.plain for piece in pieces):
        return Compared("printed")
    rest = ended_well(claimed)
    if not rest.strip(" .;,()\n"):
        return Compared("printed")
    facts = quotations(rest) + numbers(rest) + names(rest)
    missing = [fact for fact in facts if not shown.holds(fact)]
    if missing:
        return Compared("missing", tuple(dict.fromkeys(missing))[:5])
    if altered := _altered(pieces, shown):
        return Compared("missing", altered)
    words = list(dict.fromkeys(_content(rest)))
    if shown.plain and words and not facts and not any(word in shown.everywhere for word in words):
        return Compared("missing", tuple(words[:5]))
    return Compared("same_facts" if facts else "other_words")


def quotations(text: str) -> list[str]:
    """Return what stands in quotes."""
    flat = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(flat)]


def numbers(text: str) -> list[str]:
    """Return the numbers, without signs and thousands separators."""
    return [_bare(match.group()) for match in _NUMBER.finditer(text)]


def names(text: str) -> list[str]:
    """Return what looks like a name of a program's: dotted, with underscores or slashes, or in mixed case."""
    return [match.group() for match in _NAME.finditer(text)]


def counts_in(printed: str) -> frozenset[str]:
    """Return the numbers of lines, of lines that begin like an item, and of the items of a JSON text."""
    lines = [line for line in printed.splitlines() if line.strip()]
    found = {len(lines), len(lines) - 1}
    if len(printed) < 200_000:
        found |= _json_counts(printed)
        found |= {sum(line.lstrip()[:1] in mark for line in lines) for mark in ("{", "[", "-*", "|", "<")}
    return frozenset(str(number) for number in found if number > 0)


def _json_counts(printed: str) -> set[int]:
    start = min((at for at in (printed.find("{"), printed.find("[")) if at >= 0), default=-1)
    if start < 0:
        return set()
    try:
        value, _ = json.JSONDecoder().raw_decode(printed[start:])
    except (ValueError, RecursionError):
        return {printed.count("},") + 1} if "}" in printed else set()
    found: set[int] = set()
    waiting = [value]
    while waiting and len(found) < 1000:
        one = waiting.pop()
        if isinstance(one, dict | list):
            found.add(len(one))
            waiting += list(one.values()) if isinstance(one, dict) else one
    return found


def _bare(number: str) -> str:
    return number.lstrip("+-").replace(",", "").replace("_", "").rstrip(".")


def _content(text: str) -> list[str]:
    """Return the words that say something."""
    return [word for word in _WORD.findall(text.casefold()) if word not in _FILLER]


def _altered(pieces: list[str], shown: Shown) -> tuple[str, ...]:
    """Return the words in which a claim differs from the line that it otherwise repeats."""
    if not pieces:
        return ()
    lines = [_WORD.findall(plain(line)) for line in shown.lines(5000)]
    found: list[str] = []
    for piece in pieces:
        words = _WORD.findall(piece)
        # Numbers are looked up as facts, however they are written.
        new = (word for word in words if word not in _FILLER and word not in shown.plain)
        lacking = {word for word in new if not any(letter.isdigit() for letter in word)}
        if piece in shown.plain or not lacking or len(words) > 30:
            continue
        line = max(lines, key=lambda line: len(set(words) & set(line)), default=[])
        for kind, a, b, c, d in SequenceMatcher(None, words, line, autojunk=False).get_opcodes():
            if kind == "replace" and b - a == d - c and len(words) > b - a:
                found += [word for word in words[a:b] if word in lacking]
    return tuple(dict.fromkeys(found))[:5]


def figures(text: str) -> list[tuple[str, int]]:
    """Return the numbers of a text with where each stands, leaving out those that are part of a name or a date."""
    return [
        (_bare(match.group()), match.start())
        for match in _NUMBER.finditer(text)
        if not re.match(r"[\w/:-]*\w", text[match.end() : match.end() + 1].strip("%x"))
    ]
