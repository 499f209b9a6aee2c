"""Makes a documented command fit for this machine: files that it presupposes, placeholders, what to leave alone."""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import dataclass

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.failures import fill
from argusic.runs.agents.newcomer.knowledge import Samples

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_INSTALLS = re.compile(
    r"\b(pip3?|pipx|uv|poetry|npm|yarn|pnpm|cargo|go|make|gem|easy_install)\s+(i|install|add|ci|get|sync|clone)\b"
    r"|\bsetup\.py\s+(install|develop)\b|\bgit\s+clone\b|^cd\s"
)
_NODE_VERSION = re.compile(r"(?<=.)@[\w.^~-]+$")
_PROBES = re.compile(r"(?<!\S)(-h|--help|-V|--version|-v|help|version|-\?)(?!\S)")


@dataclass(frozen=True)
class Arranged:
    """A command that can be run here.

    Attributes:
        line: The command.
        makes: The sample files that it needs, by name.
        given: What goes in and may come out again, the most telling first.
        writes: The file that it is told to write to, if any.
    """

    line: str
    makes: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    writes: str | None = None


def program_of(line: str) -> list[str]:
    """Return the words of a command from its program on; empty where it cannot be taken apart."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    return words


def plainly(line: str) -> str:
    """Return a documented command without the tool that would run it in an environment of its own."""
    return re.sub(r"^(?:uv|poetry|pipenv|pdm|hatch|rye) run ", "", line)


def scripts_of(line: str) -> frozenset[str]:
    """Return the files that the commands of a line have interpreters run."""
    found = set()
    for words in _parts(line):
        if len(words) > 1 and re.fullmatch(r"(python[\d.]*|node|bash|sh|ruby|perl)", words[0]):
            script = next((word for word in words[1:] if not word.startswith("-")), "")
            found |= {script} if "-m" not in words else set()
    return frozenset(found)


def without_options(line: str) -> str:
    """Return a synopsis without what it ends with in brackets, which may be left out."""
    return re.sub(r"(?:\s+\[[\w.<>=| -]+\](?:\.\.\.)?)+\s*$", "", line)


def uses(line: str, installed: Installed, files: frozenset[str]) -> bool:
    """Return whether a documented command starts the project itself, and is not one that installs it."""
    if _INSTALLS.search(line):
        return False
    return any(_starts(words, installed, files) for words in _parts(line))


def _parts(line: str) -> list[list[str]]:
    """Return the words of each command of a line, as pipes and the like part them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []
    parts: list[list[str]] = [[]]
    for word in words:
        if re.fullmatch(r"[|&;]+", word):
            parts.append([])
        elif parts[-1] or not _ASSIGNMENT.fullmatch(word):
            parts[-1].append(word)
    return parts


def _starts(words: list[str], installed: Installed, files: frozenset[str]) -> bool:
    if not words:
        return False
    program = words[0].removeprefix("./")
    if program in installed.programs or (words[0].startswith("./") and program in files):
        return True
    if program not in installed.bare or len(words) < 2:
        return False
    if program.startswith("python"):
        return (words[1] == "-m" and len(words) > 2 and words[2].split(".")[0] in installed.modules) or (
            words[1] in files and words[1] != "setup.py"
        )
    if program in ("npm", "npx"):
        started = next((word for word in words[1:] if not word.startswith("-")), "")
        return _NODE_VERSION.sub("", started) in (*installed.programs, *installed.packages, "start", "run")
    return (program == "cargo" and words[1] == "run") or (program == "go" and words[1] == "run") or words[1] in files


def is_probe(line: str) -> bool:
    """Return whether a command only asks a program for its help or its version."""
    return bool(_PROBES.search(line))


def arrange(line: str, samples: Samples, ending: str) -> Arranged | None:
    """Return the command as it can be run here; None where a newcomer leaves it alone.

    Args:
        line: The command as documented.
        samples: What is known of files.
        ending: The ending of the files that the project works on, for placeholders that do not say.
    """
    for front, instead in samples.elsewhere.items():
        line = re.sub(rf"(?<![\w.]){re.escape(front)}(?=\w)", instead, line)
    for loud, instead in samples.quiet.items():
        line = re.sub(rf"^{re.escape(loud)}(?= |$)(?! -[qs]\b| --(?:quiet|silent)\b)", instead, line)
    placeholder = f"sample.{ending}"
    for expression in samples.placeholders:
        line = re.sub(rf"(?<!\S){expression}(?!\S)", placeholder, line)
    if any(re.search(expression, line) for expression in samples.beyond):
        return None
    line = without_options(line)
    words = program_of(line)
    if not words or re.search(r"(?<!\S)[\[<{][\w.| -]+[\]>}](?!\S)", line):
        return None
    pairs = itertools.pairwise(words)
    writes = next((after for word, after in pairs if word in (">", "-o", "--output")), None)
    wanted = [_in_folder(word, ending) for word in words[1:] if word != writes]
    makes = [name for name in wanted if samples.of(name) and re.fullmatch(r"\w[\w./-]*", name)]
    held = [text for name in makes for text in _holds(samples, name)]
    return Arranged(line, tuple(dict.fromkeys(makes)), tuple(dict.fromkeys([*held, *_given(words)])), writes)


def _in_folder(word: str, ending: str) -> str:
    """Return the file that a word presupposes: itself, or one in a folder, for such as `code/` and `code/*.py`."""
    if re.fullmatch(r"\w[\w.-]*(/[\w.-]+)*/", word):
        return f"{word}sample.{ending}"
    return re.sub(r"(?<=/)\*(?=\.\w+$)", "sample", word)


def make_files(bench: Bench, arranged: Arranged, folder: str) -> bool:
    """Make the sample files that are not there; return whether all that the command needs is there."""
    for name in arranged.makes:
        sample = bench.knowledge.samples.of(name)
        # What is in a folder of the project's own is its own business.
        there = name.rpartition("/")[0] if re.search(r"/sample\.\w+$", name) else name
        if bench.look(f"cd {folder} && test -e {shlex.quote(there)}").ok or sample is None:
            continue
        if name in scripts_of(arranged.line):
            # A program that the newcomer wrote itself is not the project.
            return False
        parent = name.rpartition("/")[0]
        make = fill(sample.make, {"path": name}) or "false"
        steps = [f"cd {folder}", *([f"mkdir -p {parent}"] if parent else []), make]
        if not bench.look(" && ".join(steps)).ok:
            return False
        bench.look(f"cd {folder} && cp {name} {name}.before")
    return True


def _holds(samples: Samples, name: str) -> tuple[str, ...]:
    sample = samples.of(name)
    return sample.holds if sample else ()


def _given(words: list[str]) -> list[str]:
    """Return what a command line hands over: texts of several words, values, then words; no option, no subcommand."""
    handed = [word for word in words[1:] if not word.startswith("-") and len(word) >= 3]
    phrases = [word for word in handed if " " in word]
    parts = [part for phrase in phrases for part in re.findall(r"\w{4,}", phrase)]
    values = [word.split("=", 1)[1] for word in handed if re.fullmatch(r"[\w.-]+==?[^=].+", word)]
    rest = [word for word in handed[1:] if " " not in word and re.search(r"[A-Z0-9]|\W", word)]
    return [text for text in [*phrases, *values, *rest, *parts] if re.search(r"\w{3}", text)]
