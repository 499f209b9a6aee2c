"""The machine that signs, as it says itself."""

from __future__ import annotations

import os
from collections.abc import Mapping

from argusic.records.signature import RunnerFacts


def runner_facts(environment: Mapping[str, str] | None = None, artifact_sha256: str | None = None) -> RunnerFacts:
    """Return what the machine says of itself.

    Args:
        environment: The environment variables; by default this process's.
        artifact_sha256: The digest of the artifact that the runs came in.
    """
    given = os.environ if environment is None else environment
    if not given.get("GITHUB_ACTIONS"):
        return RunnerFacts.model_validate({"class": "local", "artifact_sha256": artifact_sha256})
    address = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}/attempts/{GITHUB_RUN_ATTEMPT}"
    try:
        job = f"{address.format_map(dict(given))} ({given['GITHUB_JOB']})"
    except KeyError:
        job = None
    kind = "github-hosted" if given.get("RUNNER_ENVIRONMENT") == "github-hosted" else "self-hosted"
    return RunnerFacts.model_validate({"class": kind, "job": job, "artifact_sha256": artifact_sha256})
