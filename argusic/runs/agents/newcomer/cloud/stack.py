"""Deploys a template of CloudFormation or SAM to a local server that stands in for the cloud, and uses what it made."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.cloud.brief import Brief, free_port, prove_unchanged
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, start
from argusic.runs.agents.reporting import write_file
from argusic.runs.session import CommandResult

#: What goes into the parts of a stack.
_VALUE = "351 wandering albatrosses"
_PYTHON = "~/venv/bin/python"
_STACK = "newcomer"
#: Seconds that the stand-in has to come up.
_COMES_UP = 120
#: Values of parameters as documentation writes them, for either command of the vendor's.
_TOLD = re.compile(r"ParameterKey=(?P<key>\w+),ParameterValue=(?P<value>[\w./:@+-]+)")
_OVERRIDES = re.compile(r"--parameter-overrides((?:\s+(?:\\\s*)?\w+=[\w./:@+-]+)+)")


def work_on_stack(bench: Bench, brief: Brief, documentation: str) -> None:
    """Deploy the template as it stands, put something into what it made, and take it out again."""
    bench.session.note("installing")
    handed = prove_unchanged(bench, brief)
    port = None if handed is None else _stand_in(bench, sam=brief.flavour == "sam")
    if port is None:
        return
    endpoint = f"http://127.0.0.1:{port}"
    bench.journal.installed = (
        f"The template lies as it was handed in (sha256 {brief.digest}), and a local server stands in for its cloud."
    )
    bench.session.note("launching and verifying")
    for name in ("deploy.py", "exercise.py"):
        carried = files("argusic.runs.agents.newcomer.cloud").joinpath(name).read_text(encoding="utf-8")
        bench.look(write_file(name, carried))
    sha256, path = brief.files[0]
    told = " ".join(shlex.quote(f"{name}={value}") for name, value in documented_values(documentation).items())
    line = f"{_PYTHON} deploy.py create {endpoint} {_STACK} {shlex.quote(path)} {sha256} {LOG} {told}".rstrip()
    deployed = bench.do(Step("deploying the template", line, 600))
    if deployed is not None:
        bench.journal.launch(_says(deployed))
        used = bench.look(f"{_PYTHON} exercise.py {endpoint} {shlex.quote(_VALUE)}", 300)
        if used.ok:
            bench.journal.proof = Proof(used, f"{_last(used)} The cloud was a mock, moto.", mock=True)
        bench.look(f"{_PYTHON} deploy.py delete {endpoint} {_STACK}", 300)
    bench.look(STOP)


def documented_values(documentation: str) -> dict[str, str]:
    """Return the values that documentation gives parameters in its commands."""
    found = {match["key"]: match["value"] for match in _TOLD.finditer(documentation)}
    for match in _OVERRIDES.finditer(documentation):
        pairs = (pair.split("=", 1) for pair in re.findall(r"\w+=\S+", match[1]))
        found |= {name: value for name, value in pairs if name not in found}
    return found


def _stand_in(bench: Bench, *, sam: bool) -> int | None:
    """Install a local server that answers like the cloud, and start it; return its port, or None where that failed."""
    if bench.do(Step("making a virtual environment", "python3 -m venv ~/venv", 300)) is None:
        return None
    bench.values["python"] = _PYTHON
    needs = "'moto[server,cloudformation]' boto3" + " aws-sam-translator" * sam
    if bench.do(Step("installing the stand-in of the cloud", f"{_PYTHON} -m pip install -q {needs}", 1200)) is None:
        return None
    # What was installed is newer tomorrow: the record says which versions these were.
    bench.look(f"{_PYTHON} -m pip list --format=freeze | tr '\\n' ' '")
    port = free_port(bench)
    line = f"~/venv/bin/moto_server -H 127.0.0.1 -p {port}"
    step = Step("the stand-in of the cloud", line, 60)
    bench.look(start(step))
    asks = f"curl -s -o /dev/null -m 5 --noproxy '*' http://127.0.0.1:{port}/"
    up = bench.look(f"while {RUNS}; do {asks} && exit; sleep 0.5; done; exit 1", _COMES_UP)
    if not up.ok:
        bench.failed(step, bench.look(f"tail -n 40 {LOG}"))
        bench.look(STOP)
        return None
    return port


def _says(deployed: CommandResult) -> str:
    """Return what the deployment said of itself, in sentences."""
    missing = re.findall(r"^missing\s+\S+ \((.+?)\)", deployed.output, re.MULTILINE)
    counted = re.search(r"^\d+ of \d+ resources were made\.", deployed.output, re.MULTILINE)
    said = "The stack of the unchanged template came up complete"
    if counted:
        said += f"; {counted[0].rstrip('.')}"
    if missing:
        said += f" (the stand-in knows nothing of {', '.join(sorted(set(missing)))}, which nothing else refers to)"
    return f"{said}."


def _last(result: CommandResult) -> str:
    lines = [line.strip() for line in result.output.splitlines() if line.strip()]
    return lines[-1] if lines else ""
