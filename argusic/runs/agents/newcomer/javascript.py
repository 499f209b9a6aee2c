"""Reads the JavaScript of documentation: which blocks are programs, and what their comments say that comes out.

There is no parser of JavaScript here: a line is taken apart only where it is plainly one whole expression.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from argusic.runs.agents.newcomer.blocks import Block

_LANGUAGES = frozenset({"js", "javascript", "mjs", "cjs", "node", "jsx", "ecmascript"})
_REQUIRED = re.compile(r"""(?:\brequire\(\s*|\bfrom\s+|\bimport\s+|\bimport\(\s*)(['"`])(?P<name>[^'"`\n]+)\1""")
_SHOWN = re.compile(
    r"^(?P<indent>\s*)(?P<code>\S.*?);?\s*//\s*(?:=>|→|-->|->|prints:?|outputs?:?|returns:?)?\s*(?P<says>\S.*)$"
)
_LOGGED = re.compile(r"^console\.(?:log|dir)\((?P<value>.+)\)$")
_NAMED = re.compile(r"^(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*=\s*\S")
_NO_EXPRESSION = re.compile(
    r"^(?:const|let|var|import|export|function|class|if|for|while|return|throw|switch|case|try|async function"
    r"|[})\].,?:|&+*/=-]|//)"
)
#: What a comment says that is a value, and not a remark.
_VALUE = re.compile(r"""^(?:['"`\[{(]|-?\d|true\b|false\b|null\b|undefined\b|NaN\b|\w+(?:[-.:/]\w+)*$)""")
_STRING = re.compile(r"""(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
#: Written before a program: what shows values, compares them with the documentation, and counts.
_PROLOGUE = """\
import { createRequire } from "node:module";
import { inspect } from "node:util";
const require = createRequire(import.meta.url);
let agree = 0, shown = 0;
const plain = (text) => String(text).replace(/[\\s;]+/g, "").replace(/["`]/g, "'");
async function show(source, value, says) {
  const got = await value, text = typeof got === "string" ? got : inspect(got, { depth: 6 });
  const forms = [text, inspect(got, { depth: 6 }), JSON.stringify(got)].map(plain);
  const same = forms.includes(plain(says)); shown += 1; agree += same ? 1 : 0;
  console.log(`> ${source}\\n${text}\\n    (${same ? "as" : "not as"} the documentation shows it)`);
}
process.on("exit", (status) => { if (!status) console.log(`${agree} of ${shown} documented results agree.`); });
"""


@dataclass(frozen=True)
class Program:
    """A program of the documentation.

    Attributes:
        source: It, as it can be run as a module.
        given: Texts that it hands over.
        shows: How many results the documentation states.
        listens: Whether it starts a server.
    """

    source: str
    given: tuple[str, ...]
    shows: int
    listens: bool


def is_javascript(block: Block) -> bool:
    """Return whether a block is a piece of a JavaScript program."""
    return block.language in _LANGUAGES or (not block.language and bool(_REQUIRED.search(block.text)))


def packages_of(source: str) -> frozenset[str]:
    """Return the packages that a program asks for; no files, and nothing that Node brings itself."""
    names = {match["name"] for match in _REQUIRED.finditer(source)}
    outer = (name for name in names if not name.startswith((".", "/", "node:")) and "://" not in name)
    return frozenset("/".join(name.split("/")[: 2 if name.startswith("@") else 1]) for name in outer)


def programs(blocks: tuple[Block, ...], packages: tuple[str, ...]) -> tuple[Program, ...]:
    """Return the programs that ask for one of `packages`, and the blocks that go on with what such a one brought.

    A block that goes on gets the lines before it that ask for packages, and nothing else of them.
    """
    found, opening = [], list[str]()
    for block in (one for one in blocks if is_javascript(one) and "..." not in _outside_strings(one.text)):
        if packages_of(block.text) & set(packages):
            opening = [line for line in block.text.splitlines() if _REQUIRED.search(line) and _names(line)]
            found.append(_program(block.text))
        elif any(
            re.search(rf"(?<![\w.$]){re.escape(name)}[.(]", block.text) for line in opening for name in _names(line)
        ):
            found.append(_program("\n".join([*opening, block.text])))
    return tuple(found)


def _names(line: str) -> list[str]:
    """Return the names that a line which asks for a package gives to what it gets."""
    bound = re.match(r"\s*(?:(?:const|let|var)\s+(?P<set>[^=]+)=|import\s+(?P<imported>.+?)\s+from\b)", line)
    return (
        re.findall(r"[A-Za-z_$][\w$]*(?=\s*(?:[,}]|$))", (bound["set"] or bound["imported"]).strip()) if bound else []
    )


def _program(text: str) -> Program:
    lines, count = [], 0
    for line in text.splitlines():
        shown = _as_shown(line)
        count += shown is not None
        lines.append(line if shown is None else shown)
    return Program(
        source=f"{_PROLOGUE}\n" + "\n".join(lines) + "\n",
        given=_given(text),
        shows=count,
        listens=bool(re.search(r"\.listen\(|\bserve\(", text)),
    )


def _as_shown(line: str) -> str | None:
    """Return a line whose comment states its value as one that shows and compares it; None where it is no such line."""
    match = _SHOWN.match(line)
    if match is None or match["code"].endswith(":"):
        return None
    code, says = match["code"].rstrip("; "), match["says"].strip()
    if not _VALUE.match(says) or not _balanced(code) or match["indent"]:
        return None
    named, logged = _NAMED.match(code), _LOGGED.match(code)
    if named:
        return f"{code}; await show({json.dumps(named['name'])}, {named['name']}, {json.dumps(says)});"
    value = logged["value"] if logged else code
    if _NO_EXPRESSION.match(value):
        return None
    return f"await show({json.dumps(value)}, ({value}), {json.dumps(says)});"


def _balanced(code: str) -> bool:
    """Return whether every bracket of a line is closed on it, so that it can be a whole statement."""
    open_ = []
    for char in _outside_strings(code):
        if char in "([{":
            open_.append(char)
        elif char in ")]}" and (not open_ or open_.pop() != _BRACKETS[char]):
            return False
    return not open_


def _outside_strings(code: str) -> str:
    return _STRING.sub("''", code)


def _given(text: str) -> tuple[str, ...]:
    """Return the strings that a program hands over, longest first, without those that only name a package or print."""
    kept = _REQUIRED.sub("", "\n".join(line for line in text.splitlines() if not re.match(r"\s*console\.", line)))
    texts = (match[2].strip() for match in _STRING.finditer(kept))
    said = {one for one in texts if len(one) >= 4 and re.search(r"[A-Za-z]{3}", one) and "${" not in one}
    return tuple(sorted(said, key=lambda one: (-len(one.split()), -len(one))))[:12]
