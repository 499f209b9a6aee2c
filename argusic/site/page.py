"""A page: its address on the site, its title, and the way from it back to the site's top."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from markupsafe import Markup

from argusic.records.base import SubjectRef
from argusic.site.escape import title as safe_title

_ADDRESS = re.compile(r"[A-Za-z0-9._/#-]*")


@dataclass(frozen=True)
class Page:
    """What every template knows of the page that it makes.

    Attributes:
        path: The page's file, from the top of the site's sources: `subjects/package/tinydb.md`.
        name: What it is called; may come from outside.
    """

    path: str
    name: str

    @property
    def root(self) -> Markup:
        """The relative way to the site's top: the site works under any address, and from a disk."""
        return Markup("../" * (len(PurePosixPath(self.path).parts) - 1))

    @property
    def title(self) -> Markup:
        """The name, reduced to what a title may hold."""
        return Markup(safe_title(self.name))


def address(text: str) -> Markup:
    """Return a path or an id as it is, for where Markdown itself must read it.

    Raises:
        ValueError: It holds another character than ids and paths of the database may.
    """
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"{text!r} is no address of the site")
    return Markup(text)


def subject_page(ref: SubjectRef) -> str:
    """Return the address of a subject's page."""
    return f"subjects/{ref}.html"


def run_pages(cycle: str, run: str) -> str:
    """Return the folder of a run's recording and log."""
    return f"runs/{cycle}/{run}/"
