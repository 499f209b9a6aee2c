"""Put values into a Gradio app through its own client, twice, and compare what comes out.

Usage: python ask.py ADDRESS

Each interaction that the app offers to clients is tried with one set of values, with another, and with the first again.
What is printed is lines of JSON after a word each, so that nothing that the app says can be taken for a line of this
program's own:

    offers: [...]   what it offers, by name
    tried: {...}    what was put in, what came out, which of it came out again, and whether the answer follows
    refused: {...}  what was put in, and how the call ended
"""

# mypy: disable-error-code="import-not-found, import-untyped"
from __future__ import annotations

import json
import re
import struct
import sys
import tempfile
import time
import wave
import zlib
from pathlib import Path
from typing import Any, cast

from gradio_client import Client, handle_file

TEXTS = ("The wandering albatross spans 351 cm.", "A little tern weighs 56 g.")
NUMBERS = (351, 56)
PARTS = ((0.23, 0.71), (0.41, 0.87))
COLOURS = ("#3366cc", "#cc6633")
DATES = ("2024-05-17 10:00:00", "2023-11-02 16:00:00")
TRIES, CALL_SECONDS, ALL_SECONDS, SHOWN, LENGTH = 6, 60, 240, 300, 100_000
LACKING = object()


def say(word: str, value: object) -> None:
    """Print one line of JSON after a word."""
    sys.stdout.write(f"{word}: {json.dumps(value)}\n")
    sys.stdout.flush()


def cut(value: object) -> str:
    """Return a value as text that is short enough to print."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def number(props: dict[str, Any], which: int, whole: bool) -> float:
    """Return a number between the least and the most that a component takes, telling where it takes any."""
    least, most = props.get("minimum"), props.get("maximum")
    if not isinstance(least, (int, float)) or not isinstance(most, (int, float)):
        return NUMBERS[which]
    value: float = least + (most - least) * PARTS[which][0]
    step = props.get("step")
    if isinstance(step, (int, float)) and step > 0:
        value = least + round((value - least) / step) * step
    return round(value) if whole or float(value).is_integer() else round(value, 6)


def picture(path: Path, which: int) -> Path:
    """Write a PNG of one colour; each of the two has its own size."""
    width, height = (48, 32) if which == 0 else (40, 24)
    row = b"\0" + bytes((51, 102, 204)) * width

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)
    return path


def sound(path: Path, which: int) -> Path:
    """Write a second of a tone."""
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", "NONE"))
        out.writeframes(b"".join(struct.pack("<h", 8000 * (1 if n // (8 + which) % 2 else -1)) for n in range(8000)))
    return path


def file_of(component: str, which: int) -> Any:
    """Return a file of the kind that a component takes, as the client wants it."""
    folder = Path(tempfile.mkdtemp())
    if component in ("image", "imageeditor", "annotatedimage"):
        return handle_file(str(picture(folder / "sample.png", which)))
    if component == "audio":
        return handle_file(str(sound(folder / "sample.wav", which)))
    if component in ("file", "uploadbutton"):
        path = folder / "sample.txt"
        path.write_text(f"{TEXTS[which]}\n", encoding="utf-8")
        return handle_file(str(path))
    return LACKING


def value_for(parameter: dict[str, Any], props: dict[str, Any], which: int) -> tuple[Any, bool]:
    """Return a value for a parameter, and whether it would be known again in an answer."""
    component = str(parameter.get("component", "")).lower()
    said = parameter.get("type")
    schema: dict[str, Any] = said if isinstance(said, dict) else {}
    kind = schema.get("type")
    default = parameter.get("parameter_default") if parameter.get("parameter_has_default") else LACKING
    made = file_of(component, which)
    if made is not LACKING:
        return made, component in ("file", "uploadbutton")
    choices = schema.get("enum") or (schema.get("items") or {}).get("enum")
    if isinstance(choices, list) and choices:
        others = [choice for choice in choices if choice != default] or choices
        chosen = others[which % len(others)]
        return ([chosen] if kind == "array" else chosen), isinstance(chosen, str) and len(chosen) > 3
    if kind == "string":
        if "colorpicker" in component:
            return COLOURS[which], True
        if "date" in component or "calendar" in component:
            return DATES[which], True
        return TEXTS[which], True
    if kind in ("number", "integer"):
        return number(props, which, kind == "integer"), True
    if kind == "boolean":
        return (not default if which == 0 else bool(default)) if isinstance(default, bool) else which == 0, False
    if kind == "array" and is_range(default) and isinstance(schema.get("prefixItems"), list):
        least, most = cast(list[float], default)
        return [round(least + (most - least) * part) for part in PARTS[which]], most - least >= 10
    if default is not LACKING:
        return default, False
    return parameter.get("example_input", LACKING), False


def is_range(value: object) -> bool:
    """Return whether a value is two numbers, as a slider with two ends has them."""
    numbers = [one for one in value if type(one) in (int, float)] if isinstance(value, list) else []
    return isinstance(value, list) and len(value) == len(numbers) == 2


def arguments(parameters: list[dict[str, Any]], props: list[dict[str, Any]], which: int) -> tuple[list[Any], list[str]]:
    """Return the values of a call, and those that would be known again, as text. Without any: ([LACKING], [])."""
    values, known = [], []
    for parameter, its in zip(parameters, props, strict=True):
        value, telling = value_for(parameter, its, which)
        if value is LACKING:
            return [LACKING], []
        values.append(value)
        if telling and isinstance(value, dict):
            known.append(TEXTS[which])
        elif telling:
            known += [str(one) for one in (value if isinstance(value, list) else [value])]
    return values, known


def texts(answer: Any) -> list[str]:
    """Return all that an answer says, in order; a picture says its format, size and colours."""
    if isinstance(answer, dict):
        return [text for value in answer.values() for text in texts(value)]
    if isinstance(answer, (list, tuple)):
        return [text for value in answer for text in texts(value)]
    if isinstance(answer, str):
        path = Path(answer) if answer.startswith("/") and len(answer) < 1000 and "\n" not in answer else None
        return [decoded(path)] if path is not None and path.is_file() else [answer[:LENGTH]]
    return [] if answer is None else [str(answer)]


def decoded(path: Path) -> str:
    """Return what a file of an answer holds: a text's words, a picture's format, size and colours."""
    data = path.read_bytes()[: LENGTH * 100]
    try:
        return data.decode("utf-8")[:LENGTH]
    except UnicodeDecodeError:
        pass
    try:
        from PIL import Image

        with Image.open(path) as opened:
            opened.load()
            return f"a picture, {opened.format} {opened.width}x{opened.height}, {zlib.crc32(opened.tobytes()):08x}"
    except Exception:
        return f"a file of {len(data)} bytes, {zlib.crc32(data):08x}"


def holds(answer: str, value: str) -> bool:
    """Return whether an answer holds a value: text as it is, a number not as part of another."""
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        return re.search(rf"(?<![\d.]){re.escape(value.removesuffix('.0'))}(?:\.0+)?(?![\d]|\.\d)", answer) is not None
    return value in answer


def interactions(client: Any) -> list[tuple[str | int, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return what the app offers: its name or number, its parameters, and the properties of their components."""
    said = client.view_api(return_format="dict", print_info=False)
    components = {one.get("id"): one for one in client.config.get("components", [])}
    dependencies = client.config.get("dependencies", [])
    found: list[tuple[str | int, list[dict[str, Any]], list[dict[str, Any]]]] = []
    for name, says in [*said["named_endpoints"].items(), *said["unnamed_endpoints"].items()]:
        known: str | int = name if str(name).startswith("/") else int(name)
        parameters = says.get("parameters", [])
        mine = [
            one
            for place, one in enumerate(dependencies)
            if (f"/{one.get('api_name')}" == known if isinstance(known, str) else one.get("id", place) == known)
        ]
        inputs = [components.get(one, {}) for one in (mine[0].get("inputs", []) if mine else [])]
        props = [one.get("props") or {} for one in inputs if one.get("type") != "state"]
        found.append((known, parameters, props if len(props) == len(parameters) else [{} for _ in parameters]))
    return found


def call(client: Any, known: str | int, values: list[Any]) -> str:
    """Return all that the app answers to a call."""
    where: dict[str, Any] = {"api_name": known} if isinstance(known, str) else {"fn_index": known}
    answer = client.submit(*values, **where).result(timeout=CALL_SECONDS)
    return "\n".join(texts(answer))


def attempt(client: Any, known: str | int, parameters: list[dict[str, Any]], props: list[dict[str, Any]]) -> bool:
    """Try one interaction; return whether what came out depends on what went in."""
    first, telling = arguments(parameters, props, 0)
    other, _ = arguments(parameters, props, 1)
    try:
        came = call(client, known, first)
        otherwise = call(client, known, other)
        again = call(client, known, first)
    except Exception as error:
        why = " ".join(str(error).split()) or type(error).__name__
        say("refused", {"name": known, "put in": cut(first), "why": cut(why)})
        return False
    found = [value for value in telling if holds(came, value) and not holds(otherwise, value)]
    follows = bool(came) and came == again and came != otherwise
    say(
        "tried",
        {
            "name": known,
            **{"put in": cut(first), "came out": cut(came)},
            **{"then put in": cut(other), "then came out": cut(otherwise)},
            **{"found again": found, "follows": follows},
        },
    )
    return bool(found) or follows


def main(address: str) -> int:
    """Try what the app at an address offers, until one interaction is carried through; return the exit status."""
    until = time.monotonic() + ALL_SECONDS
    client = Client(address, verbose=False)
    offered = interactions(client)
    say("offers", [cut(str(name)) for name, _, _ in offered][:40])
    ready = [one for one in offered if one[1] and arguments(one[1], one[2], 0)[0] != [LACKING]]
    ready.sort(key=lambda one: not arguments(one[1], one[2], 0)[1])
    for one in ready[:TRIES]:
        if time.monotonic() > until or attempt(client, *one):
            break
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
