"""Claims that the project was installed and launched: whether anything ran that could have done it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from argusic.evidence.audit.claims.making import finding, numbered
from argusic.evidence.audit.session import Step
from argusic.evidence.audit.tables import Tables, named
from argusic.records.audit import ClaimFinding
from argusic.records.report import Report

#: A published file in the subject's folder, up to its version.
_HANDED = re.compile(r"/subject/([A-Za-z][\w.-]*?)-\d[\w.+!-]*\.(?:whl|tgz|zip|tar\.\w+)\b")


def steps(report: Report, session: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    """Yield what is to be said of `installed`, `launched`, and of services that were replaced."""
    able = [step for step in session if not step.is_inert]
    if report.installed:
        yield from _installed(session, able)
    if report.launched:
        yield from _launched(able, tables)
    if report.test_depth == "tier1_real":
        yield from _stand_ins(session, tables)


def _installed(session: Sequence[Step], able: Sequence[Step]) -> Iterator[ClaimFinding]:
    if not able:
        what = "No recorded command could have installed anything."
        yield finding("nothing_installed", "contradicted", "installed", what, session)
        return
    installing = [step for step in able if any(act.role == "installs" for act in step.all_acts)]
    own = [step for step in able if step not in installing]
    tried = [step for step in installing if not prepares(step)]
    if tried and not any(step.succeeded for step in tried) and not any(step.succeeded for step in own):
        what = f"Every command that installs failed: {numbered(tried)}."
        yield finding("install_failed", "unsupported", "installed", what, tried)


def _launched(able: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    if not able:
        yield finding(
            "nothing_launched", "contradicted", "launched", "No recorded command could have launched anything."
        )
        return
    launching = [step for step in able if could_launch(step, tables)]
    if not launching:
        what = "Only installing, looking and writing was recorded; no command ran what was installed."
        yield finding("nothing_launched", "unsupported", "launched", what, able[-3:])
    elif not any(step.succeeded or tests_ran(step) for step in launching):
        what = f"Every command that could have launched it failed: {numbered(launching)}."
        yield finding("launch_failed", "unsupported", "launched", what, launching)


def could_launch(step: Step, tables: Tables) -> bool:
    """Return whether a step may have run what was installed."""
    if not step.readable:
        return True
    return any(
        act.role == "runs"
        or (act.role == "decodes" and act.detail not in ("text", "JSON", "digest", "YAML or TOML", "XML or HTML"))
        or (act.role == "probes" and act.detail == "that a program answers a version or help command")
        or (act.role == "installs" and named(act.simple.program, tables.builders))
        for act in step.all_acts
    )


def tests_ran(step: Step) -> bool:
    """Return whether tests ran to their end, though some failed: that is launched."""
    printed = bool(step.printed.strip()) or not step.heard
    return printed and any(act.detail == "test counts" for act in step.all_acts)


def prepares(step: Step) -> bool:
    """Return whether a step only makes an environment or copies, which installs nothing by itself."""
    acts = [act for act in step.all_acts if act.role == "installs"]
    return all(
        named(act.simple.program, ("cp", "mv", "ln", "tar", "unzip", "rsync", "virtualenv"))
        or act.simple.arguments[:2] == ("-m", "venv")
        for act in acts
    )


def _stand_ins(session: Sequence[Step], tables: Tables) -> Iterator[ClaimFinding]:
    # What was installed from the file that was handed in is the project, whatever else it is used for elsewhere.
    handed = {match[1] for step in session for match in _HANDED.finditer(step.command)}
    used = [
        step
        for step in session
        if any(
            act.role not in ("says", "probes", "decodes")
            and any(
                (name := word.text.rstrip("/").rsplit("/", 1)[-1]) not in handed and named(name, tables.stand_ins)
                for word in act.simple.words[:2]
            )
            for act in step.all_acts
        )
    ]
    if used:
        what = f"A stand-in for a service ran ({numbered(used)}); with one the depth is tier2_mock."
        yield finding("stand_in_used", "unsupported", "test_depth", what, used)
