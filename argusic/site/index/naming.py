"""Where the page of a model or a benchmark lies: a name from outside, made a name of a file that meets no other."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from argusic.records.base import RESERVED_NAMES

#: The longest part of a name that its page is called by.
_LONGEST: Final = 60
_OTHER: Final = re.compile(r"[^a-z0-9]+")

#: The folders of the pages.
MODELS: Final = "models"
MODEL: Final = "models/of"
BENCHMARKS: Final = "models/benchmarks"


def slugs(names: Iterable[str]) -> Mapping[str, str]:
    """Return what the page of each name is called: a-z, 0-9 and dashes, no two alike.

    A name that has none of these, is too long, or shares them with another is told apart by a digest of it.
    """
    known = sorted(set(names))
    short = {name: _short(name) for name in known}
    alike = Counter(short.values())
    return {
        name: text if _is_fit(name, text) and alike[text] == 1 else _told(name, text) for name, text in short.items()
    }


def _short(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", plain).strip("-")[:_LONGEST].strip("-")


def _is_fit(name: str, text: str) -> bool:
    return bool(text) and text not in RESERVED_NAMES and len(name) <= _LONGEST


def _told(name: str, text: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text}-{digest}" if text else f"name-{digest}"


def model_page(slug: str) -> str:
    """Return the address of a model's page."""
    return f"{MODEL}/{slug}.html"


def benchmark_page(slug: str) -> str:
    """Return the address of a benchmark's page."""
    return f"{BENCHMARKS}/{slug}.html"
