"""Workflow runs: their jobs, the artifacts of a folder that is looked at anew each time, and dispatches."""

from __future__ import annotations

from typing import Any

from tests.github_server.exchange import Answer, Request, missing, page, refused, told
from tests.github_server.state import Artifact, Hub


def answer(hub: Hub, request: Request) -> Answer | None:
    """Answer what is asked of workflow runs; None where it is of something else."""
    match request.method, request.parts:
        case "GET", ("actions", "runs", run, *rest):
            return _run(hub, request, int(run), tuple(rest)) if hub.has_run(int(run)) else missing()
        case "GET", ("actions", "artifacts", number, "zip"):
            artifact = _numbered(hub, int(number))
            if artifact is None:
                return missing()
            if artifact.expired:
                return refused(410, "Artifact has expired")
            return Answer(302, headers={"Location": f"{request.elsewhere}/content/artifacts/{number}?sig=a-signature"})
        case "GET", ("actions", "workflows", name, "runs"):
            if name not in hub.workflows:
                return missing()
            begun = sorted(hub.workflows[name], reverse=True)
            shown = [{"id": number, "created_at": at, "run_started_at": at} for number, at in enumerate(begun, 1)]
            return page(request, shown, "workflow_runs")
        case "POST", ("actions", "workflows", name, "dispatches"):
            hub.dispatches.append({"workflow": name, **request.json(), "by": request.login})
            return Answer(204)
    return None


def content(hub: Hub, number: int) -> Answer:
    """Return an artifact's bytes, for whoever knows its address."""
    artifact = _numbered(hub, number)
    if artifact is None:
        return missing()
    data = artifact.content() if artifact.served is None else artifact.served
    return Answer(200, data, {"Content-Type": "application/zip"})


def _numbered(hub: Hub, number: int) -> Artifact | None:
    return next((one for one in hub.uploads.values() if one.id == number and one.path.exists()), None)


def _run(hub: Hub, request: Request, run: int, rest: tuple[str, ...]) -> Answer | None:
    link = f"{request.here}/actions/runs/{run}"
    match rest:
        case ():
            return told(200, {"id": run, "url": link, "jobs_url": f"{link}/jobs", "artifacts_url": f"{link}/artifacts"})
        case ("jobs",):
            return page(
                request, [_job(request, run, number, job) for number, job in enumerate(hub.all_jobs(run), 1)], "jobs"
            )
        case ("artifacts",):
            wanted = request.query.get("name")
            listed = [one for one in hub.artifacts(run) if wanted in (None, one.name)]
            return page(request, [_artifact(request, one) for one in listed], "artifacts")
    return None


def _job(request: Request, run: int, number: int, job: dict[str, Any]) -> dict[str, Any]:
    link = f"{request.here}/actions/jobs/{run * 1000 + number}"
    status = "in_progress" if job["conclusion"] is None else "completed"
    return {"id": run * 1000 + number, "run_id": run, "url": link, "status": status, **job}


def _artifact(request: Request, artifact: Artifact) -> dict[str, Any]:
    link = f"{request.here}/actions/artifacts/{artifact.id}"
    return {
        "id": artifact.id,
        "name": artifact.name,
        "size_in_bytes": artifact.size(),
        "digest": artifact.digest(),
        "expired": artifact.expired,
        "url": link,
        "archive_download_url": f"{link}/zip",
    }
