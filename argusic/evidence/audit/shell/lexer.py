"""Command lines to words and operators. Quotes, substitutions and here-documents end here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from argusic.evidence.audit.shell.tree import Word

#: Longer ones first.
_OPERATORS: Final = ("&>>", "<<<", "<<-", "&&", "||", ";;", ";&", "&>", "|&", "<<", "<&", "<>", ">>", ">&", ">|")
_SINGLE: Final = ";&|()<>\n"
_PLAIN = re.compile(r"[^\s;&|()<>'\"\\$`]+")
_NUMBERED = re.compile(r"\d+(?=[<>])")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "0": "\0"}


class Unreadable(ValueError):
    """The command line cannot be read as shell."""


@dataclass
class Operator:
    """An operator or line end; a redirection carries its number, a here-document its text once that was met."""

    text: str
    number: str = ""
    here: str | None = None


@dataclass
class _Piece:
    """A word in the making."""

    text: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    plain: bool = True
    fixed: bool = True

    def word(self) -> Word:
        return Word("".join(self.text), tuple(self.inner), self.plain, self.fixed)


class Lexer:
    """One pass over a command line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._here: list[tuple[Operator, str]] = []

    def tokens(self) -> list[Word | Operator]:
        """Return the words and operators in order.

        Raises:
            Unreadable: A quote or a substitution is not closed.
        """
        found: list[Word | Operator] = []
        while (token := self._next()) is not None:
            before = found[-1] if found else None
            if isinstance(before, Operator) and before.text in ("<<", "<<-") and isinstance(token, Word):
                self._here.append((before, token.text))
            found.append(token)
        for operator, _ in self._here:
            operator.here = ""
        return found

    def _next(self) -> Word | Operator | None:
        text = self._text
        while self._at < len(text):
            here = text[self._at]
            if here in " \t\r":
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif here == "#":
                end = text.find("\n", self._at)
                self._at = end if end >= 0 else len(text)
            elif text[self._at : self._at + 2] in ("<(", ">("):
                return self._word()
            elif here in _SINGLE:
                return self._operator()
            elif numbered := _NUMBERED.match(text, self._at):
                self._at = numbered.end()
                if text[self._at : self._at + 2] in ("<(", ">("):
                    return Word(numbered.group())
                return self._operator(numbered.group())
            else:
                return self._word()
        return None

    def _operator(self, number: str = "") -> Operator:
        text = next((known for known in _OPERATORS if self._text.startswith(known, self._at)), self._text[self._at])
        self._at += len(text)
        if text == "\n":
            self._take_here()
        return Operator(text, number)

    def _take_here(self) -> None:
        """Read the here-documents whose lines begin now."""
        for operator, end in self._here:
            lines = []
            while self._at < len(self._text):
                stop = self._text.find("\n", self._at)
                line = self._text[self._at : stop if stop >= 0 else len(self._text)]
                self._at = stop + 1 if stop >= 0 else len(self._text)
                if operator.text == "<<-":
                    line = line.lstrip("\t")
                if line == end:
                    break
                lines.append(line + "\n")
            operator.here = "".join(lines)
        self._here.clear()

    def _word(self) -> Word:
        piece = _Piece()
        text = self._text
        while self._at < len(text):
            here = text[self._at]
            if plain := _PLAIN.match(text, self._at):
                piece.text.append(plain.group())
                self._at = plain.end()
            elif here == "'":
                piece.plain = False
                piece.text.append(self._until("'", self._at + 1))
            elif here == '"':
                piece.plain = False
                self._at += 1
                self._double(piece)
            elif here == "\\":
                piece.plain = False
                if text[self._at + 1 : self._at + 2] != "\n":
                    piece.text.append(text[self._at + 1 : self._at + 2])
                self._at += 2
            elif text[self._at : self._at + 2] in ("<(", ">(") and not piece.text:
                self._substitution(piece, 1)
            elif here in "$`":
                self._expansion(piece)
            else:
                break
        return piece.word()

    def _double(self, piece: _Piece) -> None:
        """Read up to the closing double quote."""
        text = self._text
        while self._at < len(text):
            here = text[self._at]
            if here == '"':
                self._at += 1
                return
            if here == "\\" and text[self._at + 1 : self._at + 2] in ("\\", '"', "$", "`", "\n"):
                if text[self._at + 1] != "\n":
                    piece.text.append(text[self._at + 1])
                self._at += 2
            elif here in "$`":
                self._expansion(piece, quoted=True)
            else:
                piece.text.append(here)
                self._at += 1
        raise Unreadable("a double quote is not closed")

    def _expansion(self, piece: _Piece, *, quoted: bool = False) -> None:
        """Read what begins with a dollar sign or a backtick."""
        text = self._text
        if text[self._at] == "`":
            inner = self._until("`", self._at + 1)
            piece.inner.append(inner.replace("\\`", "`"))
            piece.text.append(f"`{inner}`")
            piece.fixed = False
        elif text.startswith("$((", self._at):
            piece.fixed = False
            piece.text.append(self._balanced(self._at + 1, "(", ")", "$"))
        elif text.startswith("$(", self._at):
            self._substitution(piece, 1)
        elif text.startswith("${", self._at):
            piece.fixed = False
            piece.text.append(self._balanced(self._at + 1, "{", "}", "$"))
        elif text.startswith("$'", self._at) and not quoted:
            piece.plain = False
            self._at += 2
            self._ansi(piece)
        else:
            piece.fixed = piece.fixed and not re.match(r"\$[\w@*#?!-]", text[self._at :])
            piece.text.append("$")
            self._at += 1

    def _substitution(self, piece: _Piece, sign: int) -> None:
        start = self._at
        whole = self._balanced(self._at + sign, "(", ")", self._text[start])
        piece.inner.append(whole[2:-1])
        piece.text.append(whole)
        piece.fixed = False

    def _ansi(self, piece: _Piece) -> None:
        text = self._text
        while self._at < len(text):
            here = text[self._at]
            self._at += 1
            if here == "'":
                return
            if here == "\\" and self._at < len(text):
                piece.text.append(_ESCAPES.get(text[self._at], text[self._at]))
                self._at += 1
            else:
                piece.text.append(here)
        raise Unreadable("a quote is not closed")

    def _until(self, mark: str, start: int) -> str:
        end = start
        while (end := self._text.find(mark, end)) >= 0 and mark == "`" and self._text[end - 1] == "\\":
            end += 1
        if end < 0:
            raise Unreadable("a quote is not closed")
        self._at = end + 1
        return self._text[start:end]

    def _balanced(self, start: int, opening: str, closing: str, sign: str) -> str:
        """Return from `start`, where the opening bracket is, to its closing one, with `sign` before it."""
        text = self._text
        depth, at = 0, start
        while at < len(text):
            here = text[at]
            if here == "\\":
                at += 1
            elif here == "'" or here == '"':
                at = _closing_quote(text, at)
            elif here == opening:
                depth += 1
            elif here == closing:
                depth -= 1
                if depth == 0:
                    self._at = at + 1
                    return sign + text[start : at + 1]
            at += 1
        raise Unreadable("a substitution is not closed")


def _closing_quote(text: str, start: int) -> int:
    """Return where the quote that opens at `start` closes."""
    mark, at = text[start], start + 1
    while at < len(text) and text[at] != mark:
        at += 2 if mark == '"' and text[at] == "\\" else 1
    return at
