"""Builds a Space from its own definition: Python, its SDK at the version it names, and what it lists beside that."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from urllib.parse import quote

from argusic.pool.spaces.definition import Definition
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.failures import Recognised

#: Where the Space is worked on: what was handed in stays as it is.
FOLDER = "~/space"
_PYTHON = "~/venv/bin/python"
#: Installs without a word about what goes well. A page of the index that came too late would be taken for one that is
#: not there, and sends pip through every older version of everything.
_INSTALL = f"{_PYTHON} -m pip install -q --disable-pip-version-check --progress-bar off --timeout 60"
_SYSTEM = (
    "lacks=; for name in $(grep -v '^ *#' packages.txt); do dpkg -s $name > /dev/null 2>&1 || "
    '{ echo "the system package $name is not installed"; lacks=1; }; done; test -z "$lacks"'
)


@dataclass(frozen=True)
class Built:
    """A Space that was built, and how it is launched.

    Attributes:
        shows: What showed that it is installed, in a sentence.
        line: The command that launches it.
        folder: Where it runs.
        before: What has to be said to the shell before it.
        port: The port that it is to answer on.
        path: The path of its page.
        client: Whether Gradio's own client can talk to it.
        aside: What has to be known of how it was built, in a sentence; empty where there is nothing.
    """

    shows: str
    line: str
    folder: str
    before: str
    port: int
    path: str = ""
    client: bool = False
    aside: str = ""


def free_port(bench: Bench, usual: int) -> int:
    """Return a port that nothing listens on: the usual one where it is free."""
    probe = "import socket; it = socket.socket(); it.bind(('127.0.0.1', {})); print(it.getsockname()[1])"
    tries = [f"python3 -c {shlex.quote(probe.format(port))}" for port in (usual, 0)]
    found = re.search(r"^\d+\s*$", bench.look(f"{tries[0]} 2> /dev/null || {tries[1]}").output, re.MULTILINE)
    return int(found[0]) if found else usual


def build(bench: Bench, definition: Definition, names: tuple[str, ...]) -> Built | None:
    """Build a Space whose SDK is no container; None where that kept failing.

    Args:
        bench: Where.
        definition: Its definition.
        names: The names at its top.
    """
    for doubt in definition.doubts:
        bench.journal.meet("following its definition", Recognised("unknown", doubt, "")).fix = ""
    if definition.sdk == "static":
        return _static(bench, definition)
    if "packages.txt" in names:
        bench.do(Step("finding the system packages that it lists", _SYSTEM, 60, FOLDER))
    python = _python(bench, definition)
    if bench.do(Step("making a virtual environment", f"{python} -m venv ~/venv", 300)) is None:
        return None
    bench.values["python"] = _PYTHON
    steps = _installs(definition, "requirements.txt" in names)
    if "pre-requirements.txt" in names:
        steps.insert(0, Step("installing what it wants beforehand", f"{_INSTALL} -r pre-requirements.txt", 900, FOLDER))
    if any(bench.do(step) is None for step in steps):
        return None
    # What was resolved decides what comes of it, since a Space pins little of it.
    resolved = bench.look(f"{_PYTHON} -m pip list --format=freeze --disable-pip-version-check")
    version = re.search(rf"(?im)^{definition.sdk}==(\S+)", resolved.output)
    if not resolved.ok or version is None:
        bench.do(Step(f"finding {definition.sdk}", f"{_PYTHON} -m pip show -q {definition.sdk}", 60))
        return None
    if _bytes_of(bench, definition.app_file, "finding the file that it starts") is None:
        return None
    built = _launched_by(bench, definition, version[1], "requirements.txt" in names)
    if definition.python_version is None or python != "python3":
        return built
    return replace(
        built, aside=f"It asks for Python {definition.python_version}; it was built with the one that there is."
    )


def _installs(definition: Definition, listed: bool) -> list[Step]:
    """Return the steps that install its SDK and what it lists.

    An SDK of one version is resolved together with the rest. One of any version comes after it: asked for first, its
    newest would have pip try every older one where the rest needs one of them.
    """
    lists = f"{_INSTALL} -r requirements.txt"
    if definition.sdk_version and listed:
        line = f"{lists} {definition.sdk}=={definition.sdk_version}"
        return [Step("installing its SDK and its requirements", line, 1800, FOLDER)]
    asked = definition.sdk + (f"=={definition.sdk_version}" if definition.sdk_version else "")
    sdk = Step("installing its SDK", f"{_INSTALL} {asked}", 1800, FOLDER)
    return [Step("installing its requirements", lists, 1800, FOLDER), sdk] if listed else [sdk]


def _launched_by(bench: Bench, definition: Definition, version: str, listed: bool) -> Built:
    called = "Gradio" if definition.sdk == "gradio" else "Streamlit"
    also = " and the requirements that it lists were" if listed else " was"
    file = shlex.quote(definition.app_file)
    if definition.sdk == "gradio":
        port = free_port(bench, 7860)
        front = f"GRADIO_SERVER_NAME=127.0.0.1 GRADIO_SERVER_PORT={port} GRADIO_ANALYTICS_ENABLED=False"
        line = f"{front} python {file}"
    else:
        port = free_port(bench, 8501)
        line = (
            f"streamlit run {file} --server.headless true --server.address 127.0.0.1 --server.port {port} "
            "--browser.gatherUsageStats false"
        )
    return Built(
        shows=f"{called} {version}{also} installed into a virtual environment.",
        line=line,
        folder=FOLDER,
        before="source ~/venv/bin/activate",
        port=port,
        client=definition.sdk == "gradio",
    )


def _python(bench: Bench, definition: Definition) -> str:
    """Return the Python that it asks for, where there is that one, and otherwise the one that there is."""
    wanted = ".".join((definition.python_version or "").split(".")[:2])
    if "." not in wanted:
        return "python3"
    found = bench.look(f"python3 --version; command -v python{wanted} || python3 -c 'import sys; print(sys.version)'")
    return f"python{wanted}" if re.search(rf"(?m)/python{re.escape(wanted)}\s*$", found.output) else "python3"


def _bytes_of(bench: Bench, file: str, what: str) -> int | None:
    """Return the size of one of its files; None where it is not there. What it lacks is never made up for it."""
    found = bench.look(f"cd {FOLDER} && wc -c {shlex.quote(file)}")
    size = re.match(r"\s*(\d+)\s", found.output)
    if not found.ok or size is None:
        bench.journal.meet(what, Recognised("missing_file", "a file that it names is not there", file))
        return None
    return int(size[1])


def _static(bench: Bench, definition: Definition) -> Built | None:
    if definition.build and bench.do(Step("building it as it says", definition.build, 1800, FOLDER)) is None:
        return None
    size = _bytes_of(bench, definition.app_file, "finding the page that it shows")
    if size is None:
        return None
    port = free_port(bench, 8080)
    return Built(
        shows=f"It is static: {definition.app_file} is its page, with {size} bytes.",
        line=f"python3 -m http.server {port} --bind 127.0.0.1",
        folder=FOLDER,
        before="",
        port=port,
        path=quote(definition.app_file),
    )
