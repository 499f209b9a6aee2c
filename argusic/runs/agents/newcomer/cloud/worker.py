"""Deploys a Workers template to the vendor's own local runtime, and compares what it serves with what is promised."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.cloud.brief import Brief, free_port, prove_unchanged
from argusic.runs.agents.newcomer.cloud.promises import binds, blanks, literals
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.pages import fetch, finding
from argusic.runs.agents.newcomer.trials.background import LOG, RUNS, STOP, start
from argusic.runs.agents.newcomer.trials.suite import SuiteTrial

#: Seconds that the runtime has to come up.
_COMES_UP = 120
_NAME = "newcomer-worker"
#: No question, no browser, no figures for the vendor.
_QUIET = "CI=1 WRANGLER_SEND_METRICS=false NO_COLOR=1 npm_config_loglevel=error npm_config_audit=false"
_QUIET += " npm_config_fund=false npm_config_progress=false npm_config_update_notifier=false"
#: What the vendor's program for filling in blanks is told besides a name, so that it asks nothing and deploys nothing.
_FILLS = "--no-deploy --no-git --no-open --accept-defaults"
_LANGUAGES = {"js": "js", "ts": "ts", "py": "python"}


def work_on_worker(bench: Bench, brief: Brief, documentation: str) -> None:
    """Lay the template out as its listing documents, start it in the local runtime, and read what it serves."""
    bench.session.note("installing")
    if prove_unchanged(bench, brief) is None:
        return
    configuration = bench.look(f"cat {shlex.quote(brief.files[0][1])}").output
    folder = _laid_out(bench, brief, configuration)
    if folder is None:
        return
    before = f"export {_QUIET}{_own_node(bench)}"
    if not _deployed_unchanged(bench, brief, folder):
        return
    bench.journal.installed = (
        f"The template's own code lies as it was handed in (sha256 {brief.files[-1][0][:12]}…), and npm installed what "
        "it needs."
    )
    # What was installed is newer tomorrow: the record says which versions these were.
    bench.look(f"cd {folder} && npm ls --depth=0 --loglevel=silent")
    bench.session.note("launching and verifying")
    port, mock = free_port(bench), bool(binds(configuration))
    address = f"http://127.0.0.1:{port}/"
    line = f"{_starts(bench, folder)} --ip 127.0.0.1 --port {port}"
    step = Step("the worker in its local runtime", line, 60, folder, before)
    bench.look(start(step))
    asks = f"curl -s -o /dev/null -m 5 --noproxy '*' {address}"
    up = bench.look(f"while {RUNS}; do {asks} && exit; sleep 0.5; done; exit 1", _COMES_UP)
    log = bench.look(f"tail -n 40 {LOG}")
    if up.ok and bench.look(RUNS).ok:
        bench.journal.launch(f"The vendor's local runtime started it, and it answered on port {port}.")
        _verify(bench, folder, address, mock=mock)
    else:
        bench.failed(step, log)
    bench.look(STOP)
    if bench.journal.launched and bench.journal.proof is None:
        tests = Step("its test suite", "npm test -s", 900, folder, before)
        SuiteTrial(Installed("", folder, folder, tests=(tests,))).run(bench)
        if bench.journal.proof and mock:
            bench.journal.proof = replace(bench.journal.proof, mock=True)


def _laid_out(bench: Bench, brief: Brief, configuration: str) -> str | None:
    """Return the folder of a project of the template, with what it needs installed; None where that failed."""
    manifest = bench.look(f"cat {shlex.quote(brief.template)}/package.json")
    if not (blanks(configuration) or blanks(manifest.output)):
        folder = shlex.quote(brief.template)
        install = Step("installing what it needs with npm", "npm install", 1200, folder, f"export {_QUIET}")
        return folder if bench.do(install) else None
    # It has blanks that the vendor's own program fills in: the one that it was handed in with.
    inside = brief.template.removeprefix(f"{brief.folder}/").split("/")
    chosen = f"--type={shlex.quote(inside[-2])} --lang={_LANGUAGES.get(inside[-1], 'js')}" if len(inside) > 1 else ""
    bin_ = bench.look(
        f'cd {shlex.quote(brief.folder)} && node -p \'const b = require("./package.json").bin;'
        ' typeof b === "string" ? b : Object.values(b || {})[0]\''
    )
    program = bin_.output.strip()
    if not bin_.ok or not re.fullmatch(r"\.?/?[\w./-]+", program) or ".." in program or program == "undefined":
        bench.do(Step("finding the program that fills in its blanks", f"ls {shlex.quote(brief.folder)}/bin/*.js", 10))
        return None
    line = f"node {shlex.quote(brief.folder)}/{program.removeprefix('./')} {_NAME} {chosen} {_FILLS}".replace("  ", " ")
    made = Step("making a project of the template", f"{line} < /dev/null", 1200, "~/made", f"export {_QUIET}")
    bench.look("mkdir -p ~/made")
    return f"~/made/{_NAME}" if bench.do(made) else None


def _starts(bench: Bench, folder: str) -> str:
    """Return the command that starts the local runtime: the project's own script for it, where there is one."""
    asked = f'cd {folder} && node -p \'Object.keys(require("./package.json").scripts || {{}}).join(" ")\''
    scripts = bench.look(asked).output.split()
    script = next((name for name in ("dev", "start") if name in scripts), None)
    return f"npm run -s {script} --" if script else "npx --yes wrangler dev"


def _own_node(bench: Bench) -> str:
    """Return the path of the Node that a repair of the step before has brought, for the shell; empty without one."""
    brought = re.match(r"PATH=\S+", bench.tried.line) if bench.tried else None
    return f" {brought[0]}" if brought else ""


def _deployed_unchanged(bench: Bench, brief: Brief, folder: str) -> bool:
    """Prove that what is started is the template's own code, byte for byte."""
    mains = brief.files[1:]
    listed = "\n".join(f"{sha256}  {path.removeprefix(brief.template).lstrip('/')}" for sha256, path in mains)
    if not listed:
        return prove_unchanged(bench, brief) is not None
    line = f"printf '%s\\n' {shlex.quote(listed)} | sha256sum -c --strict -"
    return bench.do(Step("finding the template's own code in what was made", line, 60, folder)) is not None


def _verify(bench: Bench, folder: str, address: str, *, mock: bool) -> None:
    """Compare what it serves with what its own tests, documentation and code promise, in this order."""
    page = bench.look(fetch(address))
    if not page.ok:
        return
    places = (
        ("its own tests promise", "test tests"),
        ("its documentation promises", "README.md"),
        ("its code says", "src"),
    )
    for words, where in places:
        read = bench.look(
            f"cd {folder} && find {where} -type f -size -100k 2> /dev/null | sort | head -n 20 | xargs -r cat"
        )
        promised = next((text for text in literals(read.output) if text in page.output), None)
        if promised is not None:
            proof = bench.look(finding(address, promised))
            if proof.ok:
                bench.journal.proof = Proof(proof, f"It serves “{promised}”, which {words}.", mock=mock)
            return
