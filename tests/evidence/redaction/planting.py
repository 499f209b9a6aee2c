"""The ways in which a program may print a credential, event by event, and a plain check of what is left of one.

The check is written apart from the redaction and is as simple as can be: look for the credential's spellings in the
bytes, in what is printed, and on every screen that a terminal emulator shows.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pyte

from tests.evidence.redaction.sessions import COLUMNS, ROWS

Way = Callable[[str, random.Random], list[str]]

WORDS = ("Collecting", "installing", "built", "wheel", "for", "the", "package", "tests", "passed", "in", "done")


def in_events(text: str, chance: random.Random) -> list[str]:
    """Cut a text into events anywhere."""
    cuts = sorted({0, len(text), *(chance.randrange(len(text) + 1) for _ in range(chance.choice([0, 1, 3, 9])))})
    return [text[a:b] for a, b in pairwise(cuts)]


def line(text: str, chance: random.Random) -> list[str]:
    """Print a text as a line, in any number of events, at times one for each character."""
    if chance.random() < 0.03:
        return [*text, "\r\n"]
    return [*in_events(text, chance), "\r\n"]


def _wrapped(text: str, width: int, end: str) -> str:
    return end.join(text[at : at + width] for at in range(0, len(text), width))


def _sequences(text: str, chance: random.Random) -> str:
    return "".join(
        chance.choice(["", "", "\x1b[1m", "\x1b[38;5;12m", "\x1b[m", "\x1b]0;title\x07", "\x1b[K", "\x00", "\x1b(B"])
        + c
        for c in text
    )


def _drawn(text: str, chance: random.Random) -> list[str]:
    """Put each character at its place, in any order."""
    row = chance.randrange(1, ROWS - 2)
    placed = [f"\x1b[{row + at // COLUMNS};{at % COLUMNS + 1}H{character}" for at, character in enumerate(text)]
    chance.shuffle(placed)
    return ["\x1b[2J", *in_events("".join(placed), chance), f"\x1b[{ROWS};1H", "\r\n" * ROWS]


def _halves(text: str, chance: random.Random) -> list[str]:
    """Print the end of a line, and then its beginning over blanks."""
    cut = chance.randrange(3, min(len(text) - 2, COLUMNS - 2))
    shown = text[: COLUMNS - 1]
    rest = text[COLUMNS - 1 :]
    return [" " * cut + shown[cut:], "\r" + shown[:cut], "\r\n" + rest + "\r\n" if rest else "\r\n"]


def _backwards(text: str, chance: random.Random) -> list[str]:
    """Print from right to left, going two back after each character."""
    shown = text[: COLUMNS - 2]
    return [" " * (len(shown)) + "\b", "\b\b".join(reversed(shown)), "\r\n" + text[len(shown) :] + "\r\n"]


def _base64(encode: Callable[[bytes], bytes], secret: str, chance: random.Random) -> list[str]:
    around = ["".join(chance.choice(string.printable[:90]) for _ in range(chance.randrange(5))) for _ in range(2)]
    shown = encode((around[0] + secret + around[1]).encode()).decode()
    return line(shown if chance.random() < 0.5 else _wrapped(shown, 76, "\r\n"), chance)


def _each(form: str, between: str, secret: str, chance: random.Random) -> list[str]:
    return line(between.join(form.format(byte) for byte in secret.encode()), chance)


def _around(secret: str, chance: random.Random) -> list[str]:
    before = chance.choice(["", "KEY=", '{"key": "', "export API_KEY='", "key: ", "-H 'x-api-key: ", "https://u:"])
    behind = chance.choice(["", '"}', "'", " # key", "@host/", "\r\nDone"])
    return line(before + secret + behind, chance)


#: Ways to print any secret in a row.
SHOWN: Final[dict[str, Way]] = {
    "plain": _around,
    "sequences": lambda secret, chance: line(_sequences(secret, chance), chance),
    "wrapped by the terminal": lambda secret, chance: line("x" * chance.randrange(COLUMNS) + " " + secret, chance),
}

#: Ways that only a screen shows it in: thirty times as slow to draw and to look at.
DRAWN: Final[dict[str, Way]] = {
    "drawn": _drawn,
    "end first": _halves,
    "backwards": _backwards,
}

#: Ways that only a secret that is known exactly can be told in.
SPELT: Final[dict[str, Way]] = {
    "base64": partial(_base64, base64.b64encode),
    "base64url": partial(_base64, base64.urlsafe_b64encode),
    "base32": partial(_base64, base64.b32encode),
    "hex": partial(_each, "{:02x}", ""),
    "HEX": partial(_each, "{:02X}", ""),
    "hex with colons": partial(_each, "{:02x}", ":"),
    "hex escapes": partial(_each, "\\x{:02x}", ""),
    "C array": partial(_each, "0x{:02x}", ", "),
    "JSON escapes": partial(_each, "\\u00{:02x}", ""),
    "percent": partial(_each, "%{:02X}", ""),
    "octal": partial(_each, "{:03o}", " "),
    "decimal": partial(_each, "{:d}", ", "),
    "URL": lambda secret, chance: line("?key=" + quote(secret, safe=""), chance),
    "JSON": lambda secret, chance: line(json.dumps({"k": secret + '"\n'}), chance),
    "marks escaped": lambda secret, chance: line(re.sub(r"\W", lambda m: f"\\u{ord(m[0]):04x}", secret), chance),
    "reversed": lambda secret, chance: line(secret[::-1], chance),
    "wrapped": lambda secret, chance: line(_wrapped(secret, chance.randrange(5, 60), "\r\n"), chance),
    "framed": lambda secret, chance: line("| " + _wrapped(secret, chance.randrange(20, 60), " |\r\n| ") + " |", chance),
    "spaced": lambda secret, chance: line(" ".join(secret), chance),
    "in a title": lambda secret, chance: line("\x1b]0;" + secret + "\x07", chance),
    "typed": lambda secret, chance: [*secret, "\r\n"],
}


def noise(chance: random.Random, *, calm: bool = False) -> list[str]:
    """Print ordinary lines; unless `calm`, at times over an unfinished one."""
    lines = []
    for _ in range(chance.randrange(3)):
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 9)))
        lines.append(
            chance.choice(["", "\x1b[32m", f"sha256:{chance.getrandbits(256):064x} ", "" if calm else "50%\r"])
            + words
            + "\x1b[0m\r\n"
        )
    return lines


def screens(recording: str) -> Iterator[str]:
    """Yield what a terminal shows after each event, as far as it changed, with the two rows about it."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    rows = [""] * ROWS
    for event in map(json.loads, recording.splitlines()[1:]):
        if event[1] != "o":
            continue
        stream.feed(event[2])
        changed = []
        for row in sorted(screen.dirty):
            cells = screen.buffer[row]
            now = "".join(cells[column].data for column in range(max(cells, default=-1) + 1))
            if now != rows[row]:
                rows[row] = now
                changed.append(row)
        screen.dirty.clear()
        if changed:
            yield "".join(row.ljust(COLUMNS) for row in rows[max(0, changed[0] - 2) : changed[-1] + 3])


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|\(B)")


def seen_in(folder: Path, *, drawn: bool = True) -> str:
    """Return all that can be seen of a session's files: bytes, printed text, screens; each as its letters too."""
    recording = (folder / "recording.cast").read_text()
    printed = "".join(event[2] for event in map(json.loads, recording.splitlines()[1:]) if event[1] == "o")
    texts = [path.read_text() for path in sorted(folder.iterdir())]
    texts += [printed, _SEQUENCE.sub("", printed), *(screens(recording) if drawn else [])]
    return "\0".join([*texts, *map(letters, texts)])


def forms(secret: str) -> list[str]:
    """Return what must not be seen of a known secret: its spellings' letters, without what stands at their edges."""
    raw = secret.encode()
    shown = [secret, secret[::-1], raw.hex(), raw.hex().upper(), quote(secret, safe="")]
    shown += [base64.b64encode(b"x" * n + raw)[4 if n else 0 : -4].decode() for n in range(3)]
    return [*shown, *(letters(one) for one in shown)]


def is_seen(form: str, text: str) -> bool:
    """Return whether a stretch of twenty characters of a form is in a text."""
    return any(form[at : at + 20] in text for at in range(0, max(1, len(form) - 19), 10))
