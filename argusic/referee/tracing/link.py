"""One link of a chain: a figure, the file that states it, and the links that it follows from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from argusic.errors import CheckFailed, Place

#: What a figure is: a number, a word or a time; None where there is none to state.
Value = int | float | str | None


@dataclass(frozen=True)
class Link:
    """One link.

    Attributes:
        what: What the figure is, in words.
        value: The figure.
        file: The file or folder that states it, from the top of the database.
        sha256: The fingerprint of that file; of a folder, that of the list of the files counted in it.
        address: The address by which this link itself is traced; None where it is no figure of its own.
        line: The line in the file, where it has lines.
        exact: The figure without rounding, where `value` is rounded.
        rule: How the figure follows from the links below.
        checked: What was compared here, and found to agree.
        remarks: What a reader should know beside it.
        second: The second of the recording, where the link is one.
        play: The page of the site that plays the recording there.
        against: Further files that it was checked against, each with its fingerprint.
        below: What it follows from.
    """

    what: str
    value: Value
    file: str
    sha256: str
    address: str | None = None
    line: int | None = None
    exact: str | None = None
    rule: str | None = None
    checked: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    second: float | None = None
    play: str | None = None
    against: tuple[tuple[str, str], ...] = ()
    below: tuple[Link, ...] = ()

    def walk(self) -> Iterator[Link]:
        """Yield this link and every one below it."""
        yield self
        for link in self.below:
            yield from link.walk()

    def files(self) -> dict[str, str]:
        """Return the fingerprint of every file on the chain, in the order in which it comes to them."""
        found: dict[str, str] = {}
        for link in self.walk():
            found.setdefault(link.file, link.sha256)
            for file, sha256 in link.against:
                found.setdefault(file, sha256)
        return found

    def plain(self) -> dict[str, Any]:
        """Return it as plain data, what is absent left out."""
        named: dict[str, Any] = {
            "what": self.what,
            "value": self.value,
            "exact": self.exact,
            "address": self.address,
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
            "sha256": self.sha256,
            "second": self.second,
            "play": self.play,
            "checked": list(self.checked) or None,
            "against": [{"file": file, "sha256": sha256} for file, sha256 in self.against] or None,
            "remarks": list(self.remarks) or None,
        }
        kept = {name: value for name, value in named.items() if value is not None or name == "value"}
        return {**kept, "from": [link.plain() for link in self.below]}


#: The figures of one file: what makes the chain of each, by the part of its address behind the `#`.
Figures = dict[str, Callable[[], Link]]


class Broken(CheckFailed):
    """A chain that does not hold: the first place at which it breaks, and why."""

    def __init__(self, place: Place, what: str) -> None:
        super().__init__(f"the chain breaks here: {what.rstrip('.')}.", place=place)
        self.reason = what
