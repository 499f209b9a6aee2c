"""The newcomer's way with a prebuilt cloud template: by its flavour, deployed as it was handed in."""

from __future__ import annotations

import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.cloud.brief import Brief, read_brief
from argusic.runs.agents.newcomer.cloud.made import work_on_made
from argusic.runs.agents.newcomer.cloud.services import work_on_services
from argusic.runs.agents.newcomer.cloud.stack import work_on_stack
from argusic.runs.agents.newcomer.cloud.worker import work_on_worker
from argusic.runs.agents.newcomer.looking import look_around
from argusic.runs.session import Mission

_WAYS = {
    "cloudformation": work_on_stack,
    "sam": work_on_stack,
    "worker": work_on_worker,
    "compose": work_on_services,
    "cookiecutter": work_on_made,
}


def work(bench: Bench, mission: Mission) -> None:
    """Deploy the template that the task describes, and verify what it serves."""
    bench.session.note("reading")
    brief = read_brief(mission.task, mission.subject_folder)
    if brief is None or brief.flavour not in _WAYS:
        bench.do(
            Step("finding out what kind of template it is", f"ls {shlex.quote(mission.subject_folder)}/template", 10)
        )
        return
    _WAYS[brief.flavour](bench, brief, _listing(bench, brief))


def _listing(bench: Bench, brief: Brief) -> str:
    """Return the documentation nearest to the template, read where it lies."""
    # What a file or a folder is, the task does not say: the folder of its first own file is either's.
    folder = brief.files[0][1].rpartition("/")[0]
    inside = folder.removeprefix(brief.folder).strip("/").split("/")
    folders = ["/".join([brief.folder, *inside[:count]]).rstrip("/") for count in range(len(inside), -1, -1)]
    tests = " ".join(shlex.quote(one) for one in dict.fromkeys(folders))
    nearest = bench.look(
        f'for d in {tests}; do ls -d "$d"/[Rr][Ee][Aa][Dd][Mm][Ee]* > /dev/null 2>&1 && echo "$d" && exit; done'
    )
    place = nearest.output.strip()
    if place not in folders:
        return ""
    return "\n".join(look_around(bench, shlex.quote(place)).documentation)
