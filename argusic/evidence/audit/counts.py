"""The counts that test runners print, and whether a claim says another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COUNT = re.compile(
    r"(?i)(?P<number>\d[\d,]*)\s+(?:(?:tests?|specs?|examples?|assertions?|scenarios?|checks?)\s+)?"
    r"(?P<word>passed|passing|passes|failed|failing|failures?|errors?|skipped|ok|frames?)\b"
)
_NAMED = re.compile(
    r"(?i)\b(?P<word>passed|failed|failures|errors|skipped|tests run|tests)\s*[:=]\s*(?P<number>\d[\d,]*)"
)
_RAN = re.compile(r"(?i)\bran\s+(?P<number>\d[\d,]*)\s+(?P<word>tests?)\b")
_SAME = {
    "passing": "passed",
    "passes": "passed",
    "failing": "failed",
    "failure": "failed",
    "failures": "failed",
    "error": "errors",
    "test": "ran",
    "tests": "ran",
    "tests run": "ran",
    "frames": "frame",
}


def contradicted_counts(claimed: str, printed: str) -> Iterator[tuple[str, str]]:
    """Yield each count of a claim where the output counts the same otherwise, and only so: the two as written."""
    shown: dict[str, dict[int, str]] = {}
    for word, number, text in _counts(printed):
        shown.setdefault(word, {})[number] = text
    for word, number, text in _counts(claimed):
        others = shown.get(word, {})
        if word != "frame" and len(others) == 1 and number not in others:
            yield text, next(iter(others.values()))


def _counts(text: str) -> Iterator[tuple[str, int, str]]:
    for pattern in (_COUNT, _NAMED, _RAN):
        for match in pattern.finditer(text):
            word = match["word"].lower()
            yield _SAME.get(word, word), int(match["number"].replace(",", "")), match.group().strip()
