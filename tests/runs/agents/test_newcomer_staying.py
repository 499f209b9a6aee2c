"""Filters that wait to read, test suites that fail, workers that go on: only what was seen of them is claimed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.registry import implementation
from argusic.runs.session import Mission
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
