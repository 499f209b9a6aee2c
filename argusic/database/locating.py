"""From a field that a record's model refused back to its line in the file."""

from __future__ import annotations

import re
from typing import Any

import yaml
from pydantic import ValidationError
from yaml.cyaml import CSafeLoader

#: One refused field: where it is in the data, and what is wrong with it.
Refusal = tuple[tuple[str | int, ...], str]


def refusals(error: ValidationError, data: Any) -> list[Refusal]:
    """Return what `error` refuses in `data`, in order, each once, with its real place in the data.

    A model that was validated inside a validator of another arrives as one error; it is opened up. Names
    that pydantic adds to a place to tell the branches of a union apart are taken out.
    """
    found: dict[Refusal, None] = {}
    _collect(error, (), data, found)
    return list(found)


def _collect(error: ValidationError, prefix: tuple[str | int, ...], data: Any, found: dict[Refusal, None]) -> None:
    for detail in error.errors(include_url=False):
        place = prefix + tuple(detail["loc"])
        inner = detail.get("ctx", {}).get("error")
        if isinstance(inner, ValidationError):
            _collect(inner, place, data, found)
        else:
            missing = detail["type"] == "missing"
            found[_real_place(place, data, missing), _sentence(detail["type"], detail["msg"])] = None


def _real_place(place: tuple[str | int, ...], data: Any, missing: bool) -> tuple[str | int, ...]:
    real: list[str | int] = []
    for number, step in enumerate(place):
        held = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if held:
            data = data[step]
        elif not (missing and number == len(place) - 1):
            continue
        real.append(step)
    return tuple(real)


def _sentence(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "is not a field of this record"
    return message.removeprefix("Value error, ")


def field_name(place: tuple[str | int, ...]) -> str | None:
    """Return a place as people write it, `subjects[2].pin.sha256`; None for the whole record."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or None


def steps_of(name: str) -> tuple[str | int, ...]:
    """Return the place that `field_name` writes as `name`."""
    found = re.findall(r"\[(\d+)\]|([^.\[\]]+)", name)
    return tuple(int(number) if number else step for number, step in found)


def line_of(data: bytes, place: tuple[str | int, ...]) -> int | None:
    """Return the line (from 1) of `place` in the YAML `data`, or of the nearest thing around it.

    `data` has been read by `argusic.database.reading` before, so that it is known to be harmless.
    """
    return line_in(composed(data), place)


def composed(data: bytes) -> yaml.Node | None:
    """Return YAML `data` as nodes that know their lines, for asking for many."""
    return yaml.compose(data.decode("utf-8"), Loader=CSafeLoader)


def line_in(node: yaml.Node | None, place: tuple[str | int, ...]) -> int | None:
    """Return the line (from 1) of `place` in a document, or of the nearest thing around it."""
    if node is None:
        return None
    line = node.start_mark.line + 1
    for step in place:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            break
    return int(line)
