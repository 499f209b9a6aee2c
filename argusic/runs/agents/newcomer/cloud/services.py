"""Starts a Compose template's services, where there is an engine to start them with."""

from __future__ import annotations

import shlex

from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.cloud.brief import Brief, prove_unchanged


def work_on_services(bench: Bench, brief: Brief, documentation: str) -> None:
    """Start the services as documented. Without an engine this ends here, and the report says so."""
    bench.session.note("launching and verifying")
    if prove_unchanged(bench, brief) is None:
        return
    file = brief.files[0][1]
    folder = file.rpartition("/")[0]
    line = f"docker compose -f {shlex.quote(file)} up --detach --wait"
    bench.do(Step("starting its services", line, 900, shlex.quote(folder)))
