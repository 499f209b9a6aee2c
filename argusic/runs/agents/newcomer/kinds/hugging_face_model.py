"""The newcomer's way with a model: its card's snippet is run word for word, and what it produced is decoded."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.looking import look_around
from argusic.runs.agents.newcomer.models.snippets import Snippet, pip_line, snippets
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import Mission

_PYTHON = "~/venv/bin/python"
_ACTIVATE = "source ~/venv/bin/activate"
_INSTALL_SECONDS = 1800.0
_RUN_SECONDS = 900.0
#: The observer's own last words. Whatever the snippet prints stands before them.
_OBSERVED = re.compile(
    r"^Lines printed: (?P<lines>\d+)\. Values shown or left: \d+\.\s+^Device: (?P<device>CPU|GPU)\.\s+"
    r"^Decoded: (?P<decoded>.*)\.\s*\Z",
    re.MULTILINE,
)
#: Says whether a file holds pieces of the card word for word, but for what a whole piece is indented by.
_WORD_FOR_WORD = """\
import sys, textwrap
card, file = (open(name, encoding="utf-8").read().expandtabs(4) for name in sys.argv[1:3])
flat = "\\n".join(line.lstrip() for line in card.splitlines())
for piece in file.split("\\n\\n\\n"):
    assert piece.strip("\\n") in card or "\\n".join(l.lstrip() for l in piece.strip("\\n").splitlines()) in flat, piece
print("the file holds the snippet word for word")
"""


def work(bench: Bench, mission: Mission) -> None:
    """Read the card, install what its snippet needs, run it, decode what it produced. Stop at the first proof."""
    bench.session.note("reading")
    project = look_around(bench, mission.subject_folder)
    bench.look(f"cd {mission.subject_folder} && find . -type f -size +1000k -exec ls -l {{}} +")
    brought = _module(project.metadata.name) if project.handed else ""
    found = snippets(project.blocks, mission.name, brought, bench.knowledge.repairs)
    if not found:
        line = f"grep -nE '^ *(import|from) [a-z]' {mission.subject_folder}/README.md"
        bench.do(Step("finding a snippet that can be run as it stands", f"{line} && false", 10))
        return
    bench.session.note("installing")
    if bench.do(Step("making a virtual environment", "python3 -m venv ~/venv", 300)) is None:
        return
    bench.values["python"] = _PYTHON
    site = bench.look(f"{_PYTHON} -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))'")
    if site.ok:
        bench.values["site"] = shlex.quote(site.output.strip().splitlines()[-1])
    carried = files("argusic.runs.agents.newcomer.models").joinpath("observe.py").read_text(encoding="utf-8")
    bench.look(write_file("observe.py", carried))
    installed: set[str] = set()
    for number, snippet in enumerate(found, 1):
        line = pip_line(snippet.wants, project.handed or "", project.metadata.name)
        if line not in installed and not _install(bench, project, line):
            continue
        installed.add(line)
        bench.session.note("launching and verifying")
        if _run(bench, mission, snippet, number):
            return


def _install(bench: Bench, project: Project, line: str) -> bool:
    # What pip would keep for later takes as much of the disk again.
    step = Step("installing what the card says", f"{_PYTHON} -m pip install -q --no-cache-dir {line}", _INSTALL_SECONDS)
    if bench.do(step) is None:
        return False
    bench.look(f"{_PYTHON} -m pip list --format=freeze")
    if not bench.journal.installed:
        what = "The archive and what its documentation names were" if project.handed else "What its card names was"
        bench.journal.installed = f"{what} installed into a virtual environment."
    return True


def _run(bench: Bench, mission: Mission, snippet: Snippet, number: int) -> bool:
    """Run a snippet and decode what it produced; return whether that is proven."""
    folder = f"~/snippet-{number}"
    bench.look(f"mkdir -p {folder}")
    bench.look(f"cd {folder} && {write_file('snippet.py', snippet.text)}")
    check = f"python3 -c {shlex.quote(_WORD_FOR_WORD)} {mission.subject_folder}/README.md {folder}/snippet.py"
    bench.look(check)
    step = Step("the documented snippet", "python snippet.py", _RUN_SECONDS, folder, _ACTIVATE)
    result = bench.do(step)
    if result is None:
        return False
    bench.journal.launch("The documented snippet ran to its end, from a file that holds it word for word.")
    seen = bench.look(f"cd {folder} && {_ACTIVATE} && python ~/observe.py snippet.py", _RUN_SECONDS)
    said = _OBSERVED.search(seen.output) if seen.ok else None
    if said is None:
        return False
    produced = f"On the {said['device']}, the documented snippet produced output"
    if said["decoded"] == "nothing":
        if int(said["lines"]):
            bench.journal.launched = f"{bench.journal.launched} {produced}."
        return False
    bench.journal.proof = Proof(seen, f"{produced}: {said['decoded']}.")
    return True


def _module(distribution: str) -> str:
    return re.sub(r"[-.]+", "_", distribution).lower()
