"""Filters that wait to read, test suites that fail, workers that go on: only what was seen of them is claimed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.journal import Journal, Proof
from argusic.runs.agents.newcomer.knowledge import Failure, Knowledge, Repair, knowledge
from argusic.runs.agents.registry import implementation
from argusic.runs.session import CommandResult, Mission
from tests.runs.agents.test_newcomer_honesty import check
from tests.runs.agents.wheels import wheel

UPPER = """\
import sys
def main():
    print("<" + sys.stdin.read().strip() + ">")
"""
WORKER = """\
import pathlib, sys, time
FOLDER = pathlib.Path.home() / "jobs"
class Queue:
    def enqueue(self, function, *given):
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / "job").write_text(f"{{function.__module__}}.{{function.__name__}}{{given}}")
def main():
    print("waiting for work", flush=True)
    while True:
        time.sleep(0.2)
        job = FOLDER / "job"
        if job.exists():
            print({says}, flush=True)
            job.unlink()
"""
WORK = """\
```python
def count_eggs(nest):
    return len(nest)
```

```python
from bird import Queue
from my_work import count_eggs
Queue().enqueue(count_eggs, 'nest')
```

```console
$ bird worker
```
"""


def live(session: Any, mission: Mission) -> Report:
    implementation("newcomer").run(session, mission)
    report = Report.model_validate(yaml.safe_load(Path(mission.report_path).read_text(encoding="utf-8")))
    check(report, session.commands)
    return report


def handed(session: Any, readme: str, code: str) -> None:
    wheel(session.home / "subject", "bird", readme, code, command="bird")


def test_a_documented_filter_is_given_what_it_is_documented_with(session: Any, mission: Mission) -> None:
    handed(session, "```console\n$ echo 'tu whit tu whoo' | bird\n```\n", UPPER)
    report = live(session, mission)
    assert (report.test_depth, report.errors) == ("tier1_real", ())
    assert isinstance(report.verified_how, VerifiedHow) and "<tu whit tu whoo>" in report.verified_how.result


def test_a_suite_that_runs_and_fails_is_launched_and_not_verified(session: Any, mission: Mission) -> None:
    folder = session.home / "subject"
    (folder / "package.json").write_text('{"name": "bird", "version": "1.0.0", "scripts": {"test": "node test.js"}}')
    (folder / "test.js").write_text('console.log("# pass 3\\n# fail 1"); process.exitCode = 1;\n')
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier3_none")
    assert "Its tests ran" in report.final_state and report.fixed < report.encountered


def test_a_worker_is_given_the_documented_work_and_its_log_is_read(session: Any, mission: Mission) -> None:
    handed(session, WORK, WORKER.format(says='"done:", job.read_text()'))
    report = live(session, mission)
    assert (report.test_depth, report.errors) == ("tier1_real", ()), report
    assert isinstance(report.verified_how, VerifiedHow) and "my_work.count_eggs('nest',)" in report.verified_how.result
    assert not session.run("pgrep -r R,S -g $(cat ~/server.pid)").ok


def test_a_worker_that_fails_at_its_work_is_launched_and_not_verified(session: Any, mission: Mission) -> None:
    says = '"Traceback (most recent call last):", job.read_text()'
    handed(session, WORK, WORKER.format(says=says))
    report = live(session, mission)
    assert (report.launched, report.test_depth) == (True, "tier3_none")


def test_what_was_verified_beside_a_stand_in_is_verified_against_a_mock() -> None:
    journal = Journal("bird", installed="It is.", launched="It did.", stand_in="put a stuffed bird in its place")
    journal.proof = Proof(CommandResult(1, "bird", 0, "chirp\n", 0.1, None), "It chirps.")
    report = journal.report()
    assert report.test_depth == "tier2_mock" and "put a stuffed bird in its place" in report.final_state


def test_a_repair_that_puts_a_stand_in_says_so(session: Any) -> None:
    repair = Repair(what="put a stand-in in its place", run=("touch there",), mock=True)
    failure = Failure.model_validate(
        {"class": "missing_service", "when": ["no service"], "says": "s", "repairs": [repair]}
    )
    known = knowledge()
    table = known.repairs.model_copy(update={"failures": (failure,)})
    bench = Bench(session, Journal("bird"), Knowledge(table, known.samples, known.runners))
    assert bench.do(Step("it", "test -e there || { echo no service; false; }", 10)) is not None
    assert bench.journal.stand_in == "put a stand-in in its place"


def test_addresses_of_registries_are_left_out_of_what_is_read_aloud(session: Any, mission: Mission) -> None:
    # Put together here, since no file of this project names one.
    hosts = ["www.npm" + "js.com", "py" + "pi.org", "files.python" + "hosted.org"]
    badges = "".join(f"[a badge](https://{host}/package/bird) and {host}\n" for host in hosts)
    (session.home / "subject" / "README.md").write_text(f"# bird\n\n{badges}\nIt sings.\n")
    (session.home / "subject" / "bird.sh").write_text("echo chirp\n")
    live(session, mission)
    recorded = "\n".join(result.command + result.output for result in session.commands)
    assert "It sings." in recorded and "[a badge]((a registry))" in recorded
    assert not any(host in recorded for host in hosts)
