"""The examples of the rule file, filled in: `{N}` stands for N letters and digits, `{Nx}` for hex, and so on."""

from __future__ import annotations

import random
import re
import string

LETTERS = string.ascii_letters + string.digits
_ALPHABETS = {
    "": LETTERS,
    "x": "0123456789abcdef",
    "d": string.digits,
    "A": string.ascii_uppercase + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "b": LETTERS + "+/",
}


def filled(example: str, chance: random.Random) -> str:
    """Return an example with its places filled at random."""
    return re.sub(
        r"\{(\d+)([xdAab]?)\}",
        lambda place: "".join(chance.choice(_ALPHABETS[place[2]]) for _ in range(int(place[1]))),
        example,
    )
