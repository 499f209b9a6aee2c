"""The rules of what is a secret, read from `rules.yaml` beside this file, and the decision about one value.

What is decided how is data, so that a reader sees it and each row has its test. The patterns of the detectors of
detect-secrets are taken from that library where the table says so.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Final, Literal, NamedTuple

from argusic.database.codec import parse_record
from argusic.evidence.redaction.patterns import Pattern
from argusic.records.base import Items, Part, Record, Text

RULES_FILE: Final = "rules.yaml"
#: How much of what stands before a value is looked at.
_BEFORE: Final = 24
#: What stands for each masked column.
MASK: Final = b"X"
#: What stands for each column of a banner.
BLANK: Final = b" "


class SecretRule(Part):
    """One shape of a live credential."""

    name: Text
    pattern: Text
    anchors: Items[Items[str | int]] = ()
    least_entropy: float = 2.5
    """Bits for each character, at least: words and rows of one character have less."""
    needs_digit: bool = False
    masked: Items[Text]
    kept: Items[Text]


class Armour(Part):
    """Key material between two markers."""

    begins: Text
    ends: Text
    masked: Items[Text]
    kept: Items[Text]


class KeyRule(Part):
    """Key material that a pattern shows without markers."""

    name: Text
    pattern: Text
    anchors: Items[Items[str | int]] = ()
    near: Text | None = None
    """What must stand near it."""
    masked: Items[Text]
    kept: Items[Text]


class KeyRules(Part):
    """Key material."""

    armour: Armour
    values: Items[KeyRule]


class NotSecret(Part):
    """What a value may be that has the shape of a secret and is none."""

    name: Text
    value: Text | None = None
    """What the whole value matches."""
    before: Text | None = None
    """What stands right before the value, where that decides."""
    why: Text
    only: Items[Text] = ()
    """The rules that it holds for; all, where there are none."""
    but_not: Items[Text] = ()
    """The rules that it does not hold for."""
    examples: Items[Text]


class LibraryChoice(Part):
    """Whether a detector of detect-secrets is used."""

    use: bool
    why: Text | None = None


class OpaqueRule(Part):
    """A form that cannot be searched as it stands."""

    name: Text
    base64: Text | None = None
    hex: Text | None = None
    text: Text | None = None
    opened: Literal["gzip", "zlib", "xz", "bzip2", "zip"] | None = None


class RuleFile(Record):
    """`rules.yaml`."""

    secrets: Items[SecretRule]
    library: dict[str, LibraryChoice]
    not_secrets: Items[NotSecret]
    keys: KeyRules
    opaque: Items[OpaqueRule]


class Shape(NamedTuple):
    """One shape that is searched for."""

    name: str
    """What it is called in counts."""
    source: str
    """Its pattern's text."""
    pattern: Pattern
    """Its pattern."""
    least_entropy: float
    needs_digit: bool


@dataclass(frozen=True)
class Rules:
    """The rules, ready for use.

    Attributes:
        file: As they are written.
        shapes: Every shape of a live credential, ours first.
    """

    file: RuleFile
    shapes: tuple[Shape, ...]
    _not_secrets: tuple[tuple[NotSecret, Pattern], ...]

    def is_secret(self, shape: Shape, text: bytes, start: int, end: int) -> bool:
        """Return whether what a shape found in a text is one."""
        value = text[start:end]
        if shape.needs_digit and not any(0x30 <= byte <= 0x39 for byte in value):
            return False
        if entropy(value) < shape.least_entropy:
            return False
        before = text[max(0, start - _BEFORE) : start]
        return not any(
            (not row.only or shape.name in row.only)
            and shape.name not in row.but_not
            and pattern.is_all_of(value if row.before is None else before)
            for row, pattern in self._not_secrets
        )


def pattern_of(row: NotSecret) -> Pattern:
    """Return the pattern of a value, or of all that stands before it, that is no secret."""
    return Pattern(f"(?s:{row.value})" if row.before is None else f"(?s:.*)(?:{row.before})")


def entropy(value: bytes) -> float:
    """Return the bits for each byte of a value, after Shannon, from its own frequencies."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def detectors() -> dict[str, type]:
    """Return the detectors of detect-secrets by name."""
    import detect_secrets.plugins  # It loads an HTTP client: more than all else that most commands load.

    found: dict[str, type] = {}
    for module in iter_modules(detect_secrets.plugins.__path__):
        for name, value in vars(import_module(f"detect_secrets.plugins.{module.name}")).items():
            if isinstance(value, type) and isinstance(getattr(value, "secret_type", None), str):
                found[name] = value
    return found


def _library_shapes(choices: dict[str, LibraryChoice]) -> list[Shape]:
    """Return the patterns of the detectors that are used."""
    known = detectors()
    shapes = []
    for name, choice in sorted(choices.items()):
        if choice.use:
            for listed in known[name].denylist:  # type: ignore[attr-defined]
                source = f"(?i:{listed.pattern})" if listed.flags & 2 else listed.pattern
                shapes.append(Shape(f"library:{name}", source, Pattern(f"({source})"), 2.5, False))
    return shapes


@cache
def rules() -> Rules:
    """Return the rules of this version of Argusic.

    Raises:
        InputError: The file is damaged.
    """
    data = files("argusic.evidence.redaction").joinpath(RULES_FILE).read_bytes()
    file = parse_record(data, RuleFile, file=RULES_FILE)
    own = [Shape(r.name, r.pattern, Pattern(r.pattern), r.least_entropy, r.needs_digit) for r in file.secrets]
    return Rules(
        file=file,
        shapes=(*own, *_library_shapes(file.library)),
        _not_secrets=tuple((row, pattern_of(row)) for row in file.not_secrets),
    )
