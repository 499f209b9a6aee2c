"""The start-up banner of an agent's own program: found in the first screenful of what it printed, and blanked there.

Neutral branding is a transform of what is shown, not of what was done: commands are never touched, nor what a program
printed after its first screenful, nor any vendor's word in a path, a package or code.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from argusic.database.codec import parse_record
from argusic.evidence.redaction.patterns import Pattern
from argusic.evidence.redaction.views import View, runs, stripped
from argusic.records.base import Items, Part, Record, Text

BANNERS_FILE: Final = "banners.yaml"


class Banner(Part):
    """The banner of one program."""

    program: Text
    begins: Text
    goes_on: Text
    names: Text
    """What must stand in it: a box alone is no banner."""
    most_lines: int
    blanked: Items[Text]
    kept: Items[Text]


class BannerFile(Record):
    """`banners.yaml`."""

    banners: Items[Banner]


@cache
def banners() -> dict[str, Banner]:
    """Return the banners that are known, by program.

    Raises:
        InputError: The file is damaged.
    """
    data = files("argusic.evidence.redaction").joinpath(BANNERS_FILE).read_bytes()
    return {banner.program: banner for banner in parse_record(data, BannerFile, file=BANNERS_FILE).banners}


class BannerSearch:
    """The search for one program's banner.

    Args:
        banner: What it looks like.
        rows: How many lines a screenful has.
    """

    def __init__(self, banner: Banner, rows: int) -> None:
        self._begins, self._goes_on = Pattern(banner.begins, utf8=True), Pattern(banner.goes_on, utf8=True)
        self._names = Pattern(banner.names, utf8=True)
        self._most = banner.most_lines
        self._rows = rows

    def find(self, printed: bytes) -> list[tuple[int, int]]:
        """Return where the characters of the banner stand in the beginning of what a program printed, line by line."""
        view = stripped(View(printed))
        lines: list[tuple[int, int]] = []
        at = 0
        for line in view.text.split(b"\n")[: self._rows]:
            lines.append((at, at + len(line.rstrip(b"\r"))))
            at += len(line) + 1
        for first, (start, end) in enumerate(lines):
            if not self._begins.is_all_of(view.text[start:end]):
                continue
            last = first + 1
            while last < min(len(lines), first + self._most) and self._goes_on.is_all_of(
                view.text[slice(*lines[last])]
            ):
                last += 1
            if self._names.found_in(view.text[start : lines[last - 1][1]]):
                return [run for line in lines[first:last] for run in runs(view.places(*line))]
        return []
