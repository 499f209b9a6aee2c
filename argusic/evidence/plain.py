"""Terminal output to plain text: each line as the terminal showed it when it was finished.

Control sequences are removed; a carriage return, a backspace and "erase line" act on the line they stand in, so
that a progress bar leaves its last state alone. Movement between lines is not followed: text that a terminal
would have overwritten elsewhere stays in the log. The result does not depend on how the output was cut into reads.

What is never hidden: text behind a control string that is not closed within its line and 4,096 characters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: A line longer than this is let go in pieces of this length; a carriage return then acts on the last piece.
LINE_LIMIT = 4096

#: The parts of control sequences, each without the escape character that begins it.
_STRING = r"[\]PX^_][^\x07\x18\x1a\x1b\x9c\r\n]{0,4096}"
_CSI = r"\[[0-?]{0,64}[ -/]{0,4}"
_SEQUENCE = rf"{_CSI}[@-~]|{_STRING}(?:\x07|\x1b\\|\x9c)|[ -/]{{1,4}}[0-~]|[0-OQ-WYZ\\`-~]"
#: One control character, or the whole sequence that it begins. Erase-line is told apart; line feeds and tabs are
#: text. Both patterns begin with a plain class of characters, which the engine looks for ten times as fast.
_TOKEN = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f](?:(?<=\x1b)(?:\[(?P<erase>[012]?)K|{_SEQUENCE}))?")
#: The same without what acts on the line when the cursor is at its end.
_IDLE = re.compile(rf"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f](?!(?<=\x1b)\[2K)(?:(?<=\x1b)(?:{_SEQUENCE}))?")
#: What is then left of a read in which something acts.
_ACTING = re.compile(r"[\x08\r\x1b]")
#: The end of a read that may be the beginning of a sequence.
_UNFINISHED = re.compile(rf"\x1b(?:{_CSI}|{_STRING}\x1b?|[ -/]{{0,4}})\Z")
#: Bytes of UTF-8 that text without control characters does not hold: controls, and the lead byte of C1.
_SPECIAL = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F, 0xC2])


class Cleaned(NamedTuple):
    """What a read added."""

    finished: bytes
    """Text that is final, UTF-8."""
    pending: bytes
    """The line in progress as it stands now; a later read may still change it."""


class PlainText:
    """The state of one terminal's cleaning."""

    def __init__(self) -> None:
        self._line = ""
        self._column = 0
        self._carried = ""

    def feed(self, text: str) -> Cleaned:
        """Take the next piece of output."""
        if self._carried:
            text, self._carried = self._carried + text, ""
        if text.endswith("\r"):
            # The first half of a line end, most likely.
            text, self._carried = text[:-1], "\r"
        if self._column == len(self._line):
            raw = text.encode()
            plain = raw.translate(None, _SPECIAL)
            # All that fell away were the carriage returns of line ends: there was nothing to clean.
            if len(plain) == len(raw) or plain.replace(b"\n", b"\r\n") == raw:
                return self._append(plain)
        if "\x1b" in text and (unfinished := _UNFINISHED.search(text)):
            text, self._carried = text[: unfinished.start()], unfinished.group() + self._carried
        if self._column == len(self._line):
            idle = _IDLE.sub("", text.replace("\r\n", "\n"))
            if not _ACTING.search(idle):
                return self._append(idle.encode())
        return self._take(text)

    def finish(self) -> bytes:
        """Return the rest at the end of the output, and be ready for another."""
        text, self._carried = self._carried, ""
        cleaned = self._take(text)
        self._line, self._column = "", 0
        return cleaned.finished + cleaned.pending

    def _append(self, plain: bytes) -> Cleaned:
        """Take text in which nothing acts, with the cursor at the line's end: the fast way."""
        cut = plain.rfind(b"\n") + 1
        if cut:
            finished = self._line.encode() + plain[:cut]
            self._line = plain[cut:].decode()
        else:
            finished = b""
            self._line += plain.decode()
        finished += self._release()
        self._column = len(self._line)
        return Cleaned(finished, self._line.encode())

    def _take(self, text: str) -> Cleaned:
        out: list[str] = []
        at = 0
        for token in _TOKEN.finditer(text):
            if token.start() > at:
                self._put(text[at : token.start()], out)
            at = token.end()
            self._control(token)
        if at < len(text):
            self._put(text[at:], out)
        return Cleaned("".join(out).encode(), self._line.encode())

    def _control(self, token: re.Match[str]) -> None:
        character = token.group()
        if character == "\r":
            self._column = 0
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif (erase := token["erase"]) is not None:
            if erase == "2":
                self._line, self._column = "", 0
            elif erase != "1":
                self._line = self._line[: self._column]

    def _put(self, text: str, out: list[str]) -> None:
        first, *others = text.split("\n")
        self._write(first, out)
        for piece in others:
            out.append(self._line + "\n")
            self._line, self._column = "", 0
            self._write(piece, out)

    def _write(self, text: str, out: list[str]) -> None:
        end = self._column + len(text)
        self._line = self._line[: self._column] + text + self._line[end:]
        self._column = end
        if len(self._line) >= LINE_LIMIT:
            before = len(self._line)
            out.append(self._release().decode())
            self._column -= before - len(self._line)

    def _release(self) -> bytes:
        """Cut the full pieces off an overlong line."""
        cut = len(self._line) // LINE_LIMIT * LINE_LIMIT
        released, self._line = self._line[:cut], self._line[cut:]
        return released.encode()
