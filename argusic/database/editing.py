"""Changing files that people edit: order, comments and spelling stay as they are, only what was changed changes.

The round trip is ruamel.yaml's, with its scalars replaced by the core schema of `argusic.database.reading`, so
that both readers see the same value in every scalar. Where it cannot say an unchanged file byte for byte, the
file is not edited at all: a person is asked to.
"""

from __future__ import annotations

import fcntl
import io
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import FoldedScalarString, LiteralScalarString, SingleQuotedScalarString
from ruamel.yaml.tag import Tag

from argusic.database.atomic import write_file
from argusic.database.codec import parse, parse_record, read_file
from argusic.database.reading import core_scalar
from argusic.database.writing import scalar_style
from argusic.errors import InputError, Place
from argusic.records.base import Record

_PREFIX = "tag:yaml.org,2002:"
_TAGS = {type(None): "null", bool: "bool", int: "int", float: "float"}
#: How lists are indented: as the program writes them, and as many people do.
_INDENTS = ({"mapping": 2, "sequence": 4, "offset": 2}, {"mapping": 2, "sequence": 2, "offset": 0})


class Editable:
    """One YAML file, open for changes.

    Args:
        data: The file's bytes.
        file: What to call it in an error.

    Attributes:
        content: The file's mappings and lists. Change these in place.

    Raises:
        InputError: It is no YAML that records are written in.
    """

    def __init__(self, data: bytes, *, file: PurePath | str) -> None:
        parse(data, file=file)  # Refuses whatever is hostile or ambiguous before ruamel sees it.
        self._original = data
        self._file = file
        for indent in _INDENTS:
            self._yaml = _round_trip(indent)
            self.content: Any = self._yaml.load(data.decode("utf-8"))
            self._untouched = self._say()
            if self._untouched == data:
                break

    def to_bytes(self) -> bytes:
        """Return the file with what was changed; exactly the bytes it had where nothing was.

        Raises:
            InputError: Its layout would change beyond what was changed.
        """
        said = self._say()
        if said == self._untouched:
            return self._original
        lost = _comments(self._original) - _comments(said)
        if self._untouched != self._original or lost or parse(said, file=self._file) != self.content:
            raise InputError(
                "is laid out in a way that cannot be kept while changing it.",
                place=Place(self._file),
                advice="Make the change by hand.",
            )
        return said

    def _say(self) -> bytes:
        buffer = io.BytesIO()
        self._yaml.dump(self.content, buffer)
        return buffer.getvalue()


def _comments(data: bytes) -> Counter[bytes]:
    """The lines that are nothing but a comment. ruamel hangs one behind a block of text on that text."""
    return Counter(line.strip() for line in data.splitlines() if line.strip().startswith(b"#"))


@contextmanager
def edit(path: Path, model: type[Record], *, root: Path | None = None) -> Iterator[Any]:
    """Open the record at `path` for changes in place; write it at the end, if it changed and is still valid.

    Whoever else edits a file of that folder waits meanwhile, so that no change is lost.

    Args:
        path: The file.
        model: Which record it is.
        root: The folder that an error shows the path relative to.

    Raises:
        InputError: It is no such record, or was no longer one after the change; nothing is written then.
    """
    shown = path.relative_to(root) if root is not None and path.is_relative_to(root) else path
    with _alone(path.parent):
        before = read_file(path, shown=shown)
        editable = Editable(before, file=shown)
        yield editable.content
        after = editable.to_bytes()
        parse_record(after, model, file=shown)
        if after != before:
            write_file(path, after, replace=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder alone, among those who edit. A folder that is not there holds nothing to edit."""
    if not folder.is_dir():
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class _Whole(int):
    """An integer that remembers how it was written."""

    text: str


class _Real(float):
    """A floating-point number that remembers how it was written."""

    text: str


class _Bare(str):
    """Text that was written without quotes, and stays so. What replaces it does not inherit that."""


class _Resolver(VersionedResolver):
    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is ScalarNode and implicit[0]:
            return Tag(suffix=_PREFIX + _TAGS.get(type(core_scalar(value)), "str"))
        return super().resolve(kind, value, (False, True) if kind is ScalarNode else implicit)


class _Constructor(RoundTripConstructor):
    def plain(self, node: Any) -> Any:
        value = core_scalar(node.value)
        if type(value) is int or type(value) is float:
            number: Any = _Whole(value) if type(value) is int else _Real(value)
            number.text = node.value
            return number
        return value

    def text(self, node: Any) -> Any:
        value = self.construct_scalar(node)
        return _Bare(value) if node.style is None else value


class _Representer(RoundTripRepresenter):
    def nothing(self, data: None) -> Any:
        return self.represent_scalar(_PREFIX + "null", "null")

    def whole(self, data: _Whole) -> Any:
        return self.represent_scalar(_PREFIX + "int", data.text)

    def real(self, data: _Real) -> Any:
        return self.represent_scalar(_PREFIX + "float", data.text)

    def bare(self, data: _Bare) -> Any:
        return self.represent_scalar(_PREFIX + "str", data)

    def block(self, data: LiteralScalarString) -> Any:
        # What was put in its place inherits the style, which may not be able to say it.
        return self.represent_literal_scalarstring(data) if scalar_style(data) == "|" else self.text(str(data))

    def single(self, data: SingleQuotedScalarString) -> Any:
        return self.represent_single_quoted_scalarstring(data) if data.isprintable() else self.text(str(data))

    def folded(self, data: FoldedScalarString) -> Any:
        return self.represent_folded_scalarstring(data) if hasattr(data, "fold_pos") else self.text(str(data))

    def text(self, data: str) -> Any:
        return self.represent_scalar(_PREFIX + "str", data, style=scalar_style(data))


for _name in ("null", "bool", "int", "float"):
    _Constructor.add_constructor(_PREFIX + _name, _Constructor.plain)
_Constructor.add_constructor(_PREFIX + "str", _Constructor.text)
_Representer.add_representer(type(None), _Representer.nothing)
_Representer.add_representer(_Whole, _Representer.whole)
_Representer.add_representer(_Real, _Representer.real)
_Representer.add_representer(_Bare, _Representer.bare)
_Representer.add_representer(LiteralScalarString, _Representer.block)
_Representer.add_representer(SingleQuotedScalarString, _Representer.single)
_Representer.add_representer(FoldedScalarString, _Representer.folded)
_Representer.add_representer(str, _Representer.text)


def _round_trip(indent: dict[str, int]) -> YAML:
    yaml = YAML(typ="rt")
    yaml.Resolver = _Resolver
    yaml.Constructor = _Constructor
    yaml.Representer = _Representer
    yaml.indent(**indent)
    yaml.width = 1 << 30
    yaml.preserve_quotes = True
    return yaml
