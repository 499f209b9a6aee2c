"""What another program may set up and read: `GET /_admin` states everything, `POST /_admin/<what>` adds something."""

from __future__ import annotations

from typing import Any

from tests.github_server import issues, pulls
from tests.github_server.exchange import Answer, Request, missing, told
from tests.github_server.state import Fault, Hub


def answer(hub: Hub, request: Request) -> Answer:
    """Answer what a test asks from another process."""
    if request.method == "GET":
        return told(200, hub.told())
    said = request.json()
    made = _add(hub, request.path.removeprefix("/_admin/"), said)
    return missing() if made is None else told(200, made)


def _add(hub: Hub, what: str, said: dict[str, Any]) -> dict[str, Any] | None:
    match what:
        case "issues":
            return issues.add_issue(hub, said["title"], said.get("body"), said["author"], said.get("labels", ()))
        case "comments":
            return issues.add_comment(hub, said["issue"], said["body"], said["author"])
        case "permissions":
            hub.permissions[said["login"]] = said["permission"]
        case "people":
            hub.people[said["token"]] = said["login"]
        case "runs":
            hub.runs.add(said["run"])
        case "jobs":
            hub.jobs.setdefault(said.pop("run"), {})[said["name"]] = said
        case "workflows":
            hub.workflows.setdefault(said["workflow"], []).extend(said.get("started", ()))
        case "artifacts":  # Only what is stated of one that lies in its folder; its bytes are put there.
            for artifact in hub.artifacts(said["run"]):
                if artifact.name == said["name"]:
                    artifact.expired = said.get("expired", artifact.expired)
        case "faults":
            hub.faults.append(Fault(**said))
        case "merge":
            return {"sha": pulls.merge(hub, hub.pulls[said["pull"]])}
        case _:
            return None
    return {}
