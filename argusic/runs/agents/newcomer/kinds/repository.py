"""The newcomer's way with a repository: a project like any other, in the folder of it that the task names."""

from __future__ import annotations

import re
import shlex

from argusic.runs.agents.newcomer.bench import Bench
from argusic.runs.agents.newcomer.working import work_on_project
from argusic.runs.session import Mission

_FOLDER = re.compile(r"^The subject is what lies in this folder of it: (?P<folder>/.+)$", re.MULTILINE)


def work(bench: Bench, mission: Mission) -> None:
    """Work on the project, or on the folder of it that the task names."""
    named = _FOLDER.search(mission.task)
    work_on_project(bench, shlex.quote(named["folder"]) if named else mission.subject_folder)
