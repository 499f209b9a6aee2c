"""The fast YAML reader: libyaml's events made into plain data under the YAML 1.2 core schema, and no more.

Everything here may come from a stranger. What a record never needs (tags, anchors, aliases, merge keys,
directives, several documents) is refused, as are duplicate keys and keys that are not text, so that every
reader of a file sees the same data. It works on events, not on PyYAML's constructor: that is faster, needs
no recursion, and knows the line of everything it refuses.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, Final

import yaml
from yaml.cyaml import CSafeLoader

from argusic.errors import InputError, Place

#: The largest file that is read.
MAX_BYTES: Final = 16 * 1024 * 1024
#: How deep mappings and sequences may nest.
MAX_DEPTH: Final = 32

_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_SPECIAL_START = frozenset("+-.0123456789~nNtTfF")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NOT_A_NUMBER = frozenset([".nan", ".NaN", ".NAN"])
#: More digits than any record holds; Python refuses to convert thousands of them.
_MAX_DIGITS = 400

_ABSENT: Final = object()


def core_scalar(text: str) -> Any:
    """Return the value of a plain (unquoted) scalar under the YAML 1.2 core schema.

    Raises:
        ValueError: It is a number with hundreds of digits.
    """
    if not text or text[0] in _SPECIAL_START:
        if text in _NULL:
            return None
        if text in _BOOLEAN:
            return _BOOLEAN[text]
        if _INTEGER.fullmatch(text):
            return int(_few_digits(text))
        if _OCTAL.fullmatch(text):
            return int(_few_digits(text)[2:], 8)
        if _HEX.fullmatch(text):
            return int(_few_digits(text)[2:], 16)
        if _FLOAT.fullmatch(text):
            return float(_few_digits(text))
        if _INFINITY.fullmatch(text):
            return float("-inf" if text[0] == "-" else "inf")
        if text in _NOT_A_NUMBER:
            return float("nan")
    return text


def parse(data: bytes, *, file: PurePath | str) -> Any:
    """Read one YAML document as plain data: dict, list, str, int, float, bool and None.

    Args:
        data: The file's bytes.
        file: What to call it in an error.

    Raises:
        InputError: It is no YAML of the kind that records are written in; with file and line.
    """
    check_bytes(data, file)
    loader = CSafeLoader(data)
    try:
        return _build(loader, file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise _refuse(f"is not valid YAML: {what}", file, mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        before = data.decode("utf-8")[: error.position] if error.position is not None else ""
        raise _refuse(f"holds a character that YAML does not allow ({error.reason})", file, _line(before)) from None
    finally:
        loader.dispose()


def check_bytes(data: bytes, file: PurePath | str) -> None:
    """Refuse what no record's bytes are: too large, with a byte order mark, with NUL, or not UTF-8.

    Raises:
        InputError: With file and line.
    """
    if len(data) > MAX_BYTES:
        raise _refuse(f"has {len(data):,} bytes; at most {MAX_BYTES:,} are read", file, None)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _refuse("starts with a byte order mark; save it as UTF-8 without one", file, 1)
    if (at := data.find(b"\0")) >= 0:
        raise _refuse("holds a NUL byte", file, data.count(b"\n", 0, at) + 1)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refuse(f"is not UTF-8: byte 0x{data[error.start]:02x} does not belong there", file, line) from None


def _few_digits(text: str) -> str:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number has {len(text):,} characters; at most {_MAX_DIGITS} are read")
    return text


def _line(before: str) -> int:
    return before.count("\n") + 1


def _refuse(what: str, file: PurePath | str, line: int | None) -> InputError:
    return InputError(what + ".", place=Place(file, line))


def _build(loader: Any, file: PurePath | str) -> Any:
    """Build the document's value with an explicit stack of open collections and their pending keys."""
    stack: list[tuple[Any, Any]] = []  # (collection, key waiting in it)
    collection: Any = None
    key: Any = _ABSENT
    root: Any = None
    documents = 0
    next_event = loader.get_event
    while True:
        event = next_event()
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = _scalar(event, file)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            _no_extras(event, file)
            if collection.__class__ is dict and key is _ABSENT:
                raise _refuse("a key must be text, not a list or a mapping", file, event.start_mark.line + 1)
            if len(stack) >= MAX_DEPTH:
                raise _refuse(f"nests deeper than {MAX_DEPTH} levels", file, event.start_mark.line + 1)
            stack.append((collection, key))
            collection, key = ({} if kind is yaml.MappingStartEvent else []), _ABSENT
            continue
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            value = collection
            collection, key = stack.pop()
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise _refuse("holds more than one YAML document", file, event.start_mark.line + 1)
            if event.version or event.tags:
                raise _refuse("has a % directive, which records do not use", file, event.start_mark.line + 1)
            continue
        elif kind is yaml.AliasEvent:
            raise _refuse("uses an alias; write the value out", file, event.start_mark.line + 1)
        elif kind is yaml.StreamEndEvent:
            return root
        else:
            continue
        if collection.__class__ is dict:
            if key is _ABSENT:
                key = _check_key(value, event, collection, file)
            else:
                collection[key] = value
                key = _ABSENT
        elif collection is None:
            root = value
        else:
            collection.append(value)


def _scalar(event: Any, file: PurePath | str) -> Any:
    if event.anchor or event.tag:
        _no_extras(event, file)
    if not event.implicit[0]:
        return event.value
    try:
        return core_scalar(event.value)
    except ValueError as error:
        raise _refuse(str(error), file, event.start_mark.line + 1) from None


def _check_key(value: Any, event: Any, mapping: dict[str, Any], file: PurePath | str) -> str:
    line = event.start_mark.line + 1
    if not isinstance(value, str):
        raise _refuse(f"a key must be text: quote {event.value!r}", file, line)
    if value == "<<" and event.implicit[0]:
        raise _refuse("uses a merge key (<<); write the values out", file, line)
    if value in mapping:
        raise _refuse(f"has the key {value!r} twice", file, line)
    return value


def _no_extras(event: Any, file: PurePath | str) -> None:
    line = event.start_mark.line + 1
    if event.tag:
        raise _refuse(f"uses the tag {event.tag!r}, which records do not use", file, line)
    if event.anchor:
        raise _refuse(f"uses the anchor &{event.anchor}; write the value out where it is needed", file, line)
