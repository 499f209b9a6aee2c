"""The canonical YAML of a record: one form for one content, whoever writes it.

The order is the model's, fields without a value are left out, and text is quoted whenever a reader of any
YAML version could take it for something else (`no`, `1.10`, `12:30:00`, a commit id like `1234567e3`). It is
written here and not by a library's emitter because those choose styles by their own lights, fold lines, and
take longer by orders of magnitude than the derivations of ten thousand runs can wait.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from argusic.records.base import Record

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+(-][A-Za-z0-9_./+(),;'-]*)*")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"])
#: What JSON leaves bare and YAML does not allow bare, or reads as a line break or a mark.
_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_BARE_IN_BLOCK = re.compile("[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]*")
#: Longer than any field or path; a key beyond it would need another syntax.
_MAX_KEY = 500


def dump(record: Record) -> bytes:
    """Return the canonical bytes of `record`: UTF-8, LF, one field a line.

    Raises:
        ValueError: A key is longer than 500 characters, or text holds a lone surrogate.
    """
    plain = _pruned(record, record.model_dump(mode="json", by_alias=True))
    return "".join(_mapping(plain, "")).encode("utf-8")


def item(content: dict[str, Any]) -> str:
    """Return plain data as one item of a list, for a person to put into a file."""
    return "".join(_sequence([content], "  "))


def scalar_style(text: str) -> str | None:
    """Return how `text` is written: `|` for a literal block, `"` for quotes, None for plain."""
    if "\n" in text and _fits_block(text):
        return "|"
    return None if _is_plain(text) else '"'


def _pruned(source: Any, plain: Any) -> Any:
    """Return `plain` without the optional fields of `source` that hold nothing."""
    if isinstance(source, BaseModel):
        kept = {}
        for name, field in type(source).model_fields.items():
            value = getattr(source, name)
            if value is None and not field.is_required() and field.default is None:
                continue
            alias = field.serialization_alias or field.alias or name
            kept[alias] = _pruned(value, plain[alias])
        return kept
    if isinstance(source, (tuple, list)) and isinstance(plain, list):
        return [_pruned(item, made) for item, made in zip(source, plain, strict=True)]
    if isinstance(source, dict) and isinstance(plain, dict):
        return {key: _pruned(source[key], made) for key, made in plain.items()}
    return plain


def _mapping(mapping: dict[str, Any], indent: str) -> Iterator[str]:
    for key, value in mapping.items():
        if len(key) > _MAX_KEY:
            raise ValueError(f"the key {key[:40]!r}... has more than {_MAX_KEY} characters")
        yield f"{indent}{_inline(key)}:"
        yield from _value(value, indent)


def _value(value: Any, indent: str) -> Iterator[str]:
    """What stands behind a key's colon or an item's dash, line end included."""
    if isinstance(value, dict) and value:
        yield "\n"
        yield from _mapping(value, indent + "  ")
    elif isinstance(value, list) and value:
        yield "\n"
        yield from _sequence(value, indent + "  ")
    elif isinstance(value, str) and scalar_style(value) == "|":
        yield from _block(value, indent + "  ")
    else:
        yield f" {_scalar(value)}\n"


def _sequence(items: list[Any], indent: str) -> Iterator[str]:
    for item in items:
        if isinstance(item, dict) and item:
            # The first field stands on the dash's own line, the others below it.
            lines = "".join(_mapping(item, indent + "  "))
            yield f"{indent}- {lines[len(indent) + 2 :]}"
        elif isinstance(item, list) and item:
            lines = "".join(_sequence(item, indent + "  "))
            yield f"{indent}- {lines[len(indent) + 2 :]}"
        else:
            yield f"{indent}-"
            yield from _value(item, indent)


def _block(text: str, indent: str) -> Iterator[str]:
    yield " |\n" if text.endswith("\n") else " |-\n"
    for line in text.removesuffix("\n").split("\n"):
        yield f"{indent}{line}\n" if line else "\n"


def _fits_block(text: str) -> bool:
    """Whether a literal block says `text` exactly, with nothing that an editor would strip."""
    return (
        not text[0].isspace()
        and not text.endswith("\n\n")
        and _BARE_IN_BLOCK.fullmatch(text) is not None
        and not any(line[-1:].isspace() for line in text.split("\n"))
    )


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _inline(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    raise TypeError(f"a record holds a {type(value).__name__}, which YAML does not say")


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    # YAML 1.1 takes a number for text unless there is a point before the exponent.
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS


def _inline(text: str) -> str:
    if _is_plain(text):
        return text
    return _ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))
