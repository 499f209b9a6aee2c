"""Reads built pages as a browser would: elements, attributes, text, and where links lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class ReadPage(HTMLParser):
    """One page."""

    path: Path
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._mute = 0
        self._spans: list[bool] = []
        self.feed(self.path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        self.ids.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        self._mute += tag in ("script", "style")
        if tag == "span":
            self._spans.append("data-trace" in attributes)
        if tag != "span" or not self._spans[-1]:
            self._apart(tag)

    def _apart(self, tag: str) -> None:
        self.text += "" if tag in ("a", "code", "strong", "em") else " "

    def handle_endtag(self, tag: str) -> None:
        if tag != "span" or not self._spans.pop():
            self._apart(tag)
        self._mute -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._mute:
            self.text += data

    def addresses(self) -> list[str]:
        """Return everything that the page links to or loads."""
        return [value for _, attributes in self.tags for name, value in attributes.items() if name in ("href", "src")]

    def said(self) -> str:
        """Return the text of the page, spaces made one."""
        return " ".join(self.text.split())


def pages(folder: Path) -> dict[str, ReadPage]:
    """Return every page of a built site by its path."""
    return {str(path.relative_to(folder)): ReadPage(path) for path in sorted(folder.rglob("*.html"))}


def dead_links(folder: Path, found: dict[str, ReadPage]) -> list[str]:
    """Return each link that leads nowhere in the site, or to an anchor that is not there."""
    dead = []
    for name, page in found.items():
        if name == "404.html":
            continue
        for address in page.addresses():
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or address.startswith("data:"):
                continue
            target = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
            target = target.resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                dead.append(f"{name}: {address}")
            elif parts.fragment and target.suffix == ".html" and not parts.fragment.startswith("__"):
                ids = found[str(target.relative_to(folder.resolve()))].ids
                if unquote(parts.fragment) not in ids:
                    dead.append(f"{name}: {address}")
    return dead
