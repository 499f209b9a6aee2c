"""Leaves a report inside the sandbox, as every agent does it: one recorded command that writes the file.

The YAML is written out here and not by the database's codec, because an agent's report comes from outside the
database: what reads it takes it as untrusted text. JSON's strings, numbers and booleans are YAML as they are.
"""

from __future__ import annotations

import json
import shlex

from argusic.records.report import Report, VerifiedHow
from argusic.runs.session import CommandResult, Mission, Session


def leave(session: Session, mission: Mission, report: Report) -> CommandResult:
    """Write `report` to the place that the mission names."""
    return session.run(write_file(mission.report_path, as_yaml(report)))


def write_file(path: str, text: str) -> str:
    """Return the shell command that writes `text` to `path`, word for word, readable in a recording."""
    end = "END"
    while end in text.splitlines():
        end += "_"
    body = text if text.endswith("\n") else f"{text}\n"
    return f"cat > {shlex.quote(path)} << '{end}'\n{body}{end}"


def as_yaml(report: Report) -> str:
    """Return `report` as the YAML that the standard instructions ask for."""
    lines = [f"installed: {_scalar(report.installed)}", f"launched: {_scalar(report.launched)}"]
    lines.append("errors:" if report.errors else "errors: []")
    for error in report.errors or ():
        lines.append(f"  - what: {_scalar(error.what)}")
        lines.append(f"    fixed: {_scalar(error.fixed)}")
        lines.append(f"    fix: {_scalar(error.fix)}")
    lines.append(f"test_depth: {report.test_depth}")
    if isinstance(report.verified_how, VerifiedHow):
        lines.append("verified_how:")
        lines.append(f"  command: {_scalar(report.verified_how.command)}")
        lines.append(f"  result: {_scalar(report.verified_how.result)}")
    elif report.verified_how is not None:
        lines.append(f"verified_how: {report.verified_how}")
    lines.append(f"final_state: {_scalar(report.final_state)}")
    return "\n".join(lines) + "\n"


def _scalar(value: str | bool) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
