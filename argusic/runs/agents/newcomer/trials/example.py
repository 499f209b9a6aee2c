"""Runs the Python examples of the documentation statement by statement, and compares what they return.

The runner that does so (`replay.py`) is carried into the sandbox, where the recording shows it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from doctest import Example
from importlib.resources import files

from argusic.runs.agents.newcomer import examples
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.blocks import Block
from argusic.runs.agents.newcomer.documented import is_python, statements
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.knowledge import Knowledge
from argusic.runs.agents.reporting import write_file

#: Blocks that a reader follows before giving up on seeing a result.
_BLOCKS = 6
#: What makes a program wait for somebody.
_WAITS = re.compile(r"\b(mainloop|serve_forever|input|getpass|run_forever|start_polling)\(|\bapp\.run\(|\brun\(host")
#: The runner's own last words. Whatever the example prints itself stands before them.
_COUNTED = re.compile(
    r"^(?P<agree>\d+) of (?P<shown>\d+) documented results agree\.\s+"
    r"Put in, and found in what came out: (?P<found>.*)\.\s*\Z",
    re.MULTILINE,
)

#: The statements of a documentation's example, block by block.
Groups = tuple[tuple[Example, ...], ...]


@dataclass(frozen=True)
class ExampleTrial:
    """The documentation's Python examples, each with those before it.

    Attributes:
        groups: The statements of each block that can be run.
        installed: The project.
        local: Whether they import modules that the documentation has its reader write.
    """

    groups: Groups
    installed: Installed
    local: bool = False

    def run(self, bench: Bench) -> None:
        """Follow the examples until one comes out as documented, or shows again what went in."""
        carried = files("argusic.runs.agents.newcomer").joinpath("replay.py").read_text(encoding="utf-8")
        bench.look(write_file("replay.py", carried))
        for number in range(1, len(self.groups) + 1):
            if not self._follow(bench, number):
                return

    def _follow(self, bench: Bench, number: int) -> bool:
        """Run the first `number` blocks in a fresh folder; return whether to read on."""
        told = [example for group in self.groups[:number] for example in group]
        folder = f"{self.installed.workspace}/example-{number}"
        bench.look(f"mkdir -p {folder}")
        bench.look(f"cd {folder} && {write_file('session.txt', examples.as_session(told))}")
        given = examples.put_in("\n".join(example.source for example in told))[:12]
        front = "PYTHONPATH=.. " if self.local else ""
        line = " ".join([f"{front}python ~/replay.py session.txt", *(shlex.quote(text) for text in given)])
        step = Step(f"the documented example, block {number}", line, 240, folder, self.installed.before)
        result = bench.do(step)
        if result is None:
            return False
        bench.journal.launch("The documented example ran to its end.")
        counted = _COUNTED.search(result.output)
        if counted is None:
            return False
        agree, shown, found = int(counted["agree"]), int(counted["shown"]), counted["found"]
        said = []
        if agree:
            said.append(f"{agree} of {shown} results that the documentation shows came out the same")
        if found != "nothing":
            said.append(f"{found} went in and came out again")
        if said:
            bench.journal.proof = Proof(result, f"In it, {', and '.join(said)}.")
        return not said or (shown > 0 and agree == 0)


def example_groups(
    blocks: tuple[Block, ...], installed: Installed, known: Knowledge, local: frozenset[str] = frozenset()
) -> Groups:
    """Return the statements that can be run of each Python block, from the first that imports the project.

    Args:
        blocks: The blocks of the documentation.
        installed: The project.
        known: What is known.
        local: Modules that the documentation has its reader write.
    """
    scope = examples.Scope()
    groups: list[tuple[Example, ...]] = []
    for block in blocks:
        told = statements(block) or (examples.as_examples(block.text) if is_python(block) else ())
        told = tuple(_here(example, known.samples.elsewhere) for example in told)
        source = "\n".join(example.source for example in told)
        if not told or _WAITS.search(source):
            continue
        if not groups and not examples.imports(source) & set(installed.modules):
            continue
        if any(
            known.repairs.is_made_up(module) for module in examples.imports(source) - set(installed.modules) - local
        ):
            continue
        if any(re.search(rf"\b(?:from|import)\s+{module}\.", source) for module in local):
            continue
        standing = examples.standing(told, scope)
        if standing:
            groups.append(standing)
    return tuple(groups[:_BLOCKS])


def _here(example: Example, elsewhere: dict[str, str]) -> Example:
    """Return the statement with the paths that stand for some place written as files of this folder."""
    source = example.source
    for front, instead in elsewhere.items():
        source = re.sub(rf"(?<=['\"]){re.escape(front)}(?=[\w.])", instead, source)
    return Example(source, example.want, example.exc_msg, options=example.options)
