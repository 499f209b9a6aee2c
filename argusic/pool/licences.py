"""Which licences let a subject into a pool: read as SPDX expressions, and judged by a published list.

The list is ScanCode's LicenseDB, as the library `license-expression` carries it: every known licence with its
category. Two of its categories are permissive here; decision 0045 says why.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from license_expression import ExpressionError, LicenseWithExceptionSymbol, Licensing, get_spdx_licensing

#: The categories of the published list whose licences ask for no more than a notice.
PERMISSIVE = frozenset({"Permissive", "Public Domain"})
#: What people write around the name of a licence: "Apache License, Version 2.0" is Apache-2.0.
_AROUND = re.compile(r"\b(the|licen[cs]e|version)\b|[,()]", re.IGNORECASE)
_LONGEST = 500


class Licence(NamedTuple):
    """A licence that was read."""

    expression: str
    """The SPDX expression, as SPDX spells it."""
    permissive: bool
    """Whether whoever takes the subject can do so under permissive licences alone."""


def read_licence(text: str) -> Licence | None:
    """Return the licence that a text names; None where it is no SPDX expression of known licences.

    Of licences with OR between them, one that is permissive is enough; of those with AND, all must be.
    """
    if len(text) > _LONGEST:
        return None
    for said in dict.fromkeys((text.strip(), "-".join(_AROUND.sub(" ", text).split()))):
        try:
            parsed = _spdx().parse(said, validate=True, strict=True)
        except (ExpressionError, ValueError, RecursionError):
            continue
        if parsed is not None:
            return Licence(parsed.render(), _permissive(parsed))
    return None


def _permissive(node: Any) -> bool:
    if isinstance(node, LicenseWithExceptionSymbol):
        # An exception allows more than its licence does, never less.
        return _permissive(node.license_symbol)
    if getattr(node, "args", ()):
        judged = [_permissive(part) for part in node.args]
        return any(judged) if node.operator.strip() == "OR" else all(judged)
    return _categories().get(node.key) in PERMISSIVE


@cache
def _spdx() -> Licensing:
    return get_spdx_licensing()


@cache
def _categories() -> dict[str, str]:
    """Return the category of every licence that SPDX knows, by each of its names there."""
    listed = json.loads(files("license_expression").joinpath("data/scancode-licensedb-index.json").read_bytes())
    return {
        name: entry["category"]
        for entry in listed
        for name in (entry.get("spdx_license_key"), *entry.get("other_spdx_license_keys", ()))
        if name and not entry["is_exception"]
    }
