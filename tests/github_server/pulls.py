"""Pull requests between branches of the real repository, the branches themselves, and statuses of commits."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import unquote

from tests.github_server.exchange import Answer, Request, missing, page, person, refused, told
from tests.github_server.state import BOT, Hub

_LETTERS = {"A": "added", "M": "modified", "D": "removed", "T": "changed"}


def answer(hub: Hub, request: Request) -> Answer | None:
    """Answer what is asked of pull requests, branches, contents and statuses; None where it is of something else."""
    match request.method, request.parts:
        case "GET", ("pulls",):
            return page(
                request, [_pull(hub, request, one) for one in reversed(hub.pulls.values()) if _wanted(request, one)]
            )
        case "POST", ("pulls",):
            return _open(hub, request)
        case _, ("pulls", number, *rest):
            pull = hub.pulls.get(int(number))
            return missing() if pull is None else _one(hub, request, pull, tuple(rest))
        case "GET", ("branches", *name):
            tip = hub.remote.tip("/".join(name))
            shown = {"name": "/".join(name), "commit": {"sha": tip, "url": f"{request.here}/commits/{tip}"}}
            return told(200, shown) if tip else missing("Branch not found")
        case _, ("git", "refs" | "ref", "heads", *name):
            return _ref(hub, request, "/".join(name))
        case "GET", ("contents", *name):
            return _content(hub, request, unquote("/".join(name)))
        case "POST", ("statuses", sha):
            return _state(hub, request, sha)
        case "GET", ("commits", sha, "statuses"):
            return page(request, [_status(request, one) for one in reversed(hub.statuses) if one["sha"] == sha])
    return None


def _wanted(request: Request, pull: dict[str, Any]) -> bool:
    owner = request.repository.partition("/")[0]
    return (
        request.query.get("state", "open") in ("all", pull["state"])
        and request.query.get("base", pull["base"]) == pull["base"]
        and request.query.get("head", f"{owner}:{pull['head']}") == f"{owner}:{pull['head']}"
    )


def _open(hub: Hub, request: Request) -> Answer:
    said = request.json()
    head, base = said["head"].removeprefix(f"{hub.owner}:"), said["base"]
    for field, branch in (("head", head), ("base", base)):
        if hub.remote.tip(branch) is None:
            return refused(422, "Validation Failed", [{"resource": "PullRequest", "field": field, "code": "invalid"}])
    if hub.remote.is_ancestor(head, base):
        what = f"No commits between {base} and {head}"
        return refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": what}])
    if any((one["head"], one["base"], one["state"]) == (head, base, "open") for one in hub.pulls.values()):
        what = f"A pull request already exists for {hub.owner}:{head}."
        return refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": what}])
    number = next(hub.numbers)
    pull = {"number": number, "title": said["title"], "body": said.get("body"), "head": head, "base": base}
    pull |= {"state": "open", "author": request.login or BOT, "labels": [], "created": hub.now(), "merged": None}
    hub.pulls[number] = pull
    return told(201, _pull(hub, request, pull))


def _one(hub: Hub, request: Request, pull: dict[str, Any], rest: tuple[str, ...]) -> Answer | None:
    match request.method, rest:
        case "GET", ():
            return told(200, _pull(hub, request, pull))
        case "PATCH", ():
            pull |= {key: value for key, value in request.json().items() if key in ("title", "body", "state", "base")}
            return told(200, _pull(hub, request, pull))
        case "GET", ("files",):
            changed = hub.remote.changed(pull["base"], pull["head"])
            return page(request, [{"filename": name, "status": _LETTERS[letter[0]]} for letter, name in changed])
        case "PUT", ("merge",):
            made = merge(hub, pull)
            if made is None:
                return refused(405, "Pull Request is not mergeable")
            return told(200, {"sha": made, "merged": True, "message": "Pull Request successfully merged"})
    return None


def merge(hub: Hub, pull: dict[str, Any]) -> str | None:
    """Merge a pull request and return the commit; None where it conflicts or is not open."""
    if pull["state"] != "open":
        return None
    made = hub.remote.merge(pull["head"], pull["base"], f"Merge pull request #{pull['number']} from {pull['head']}")
    if made is not None:
        pull |= {"state": "closed", "merged": made}
    return made


def _ref(hub: Hub, request: Request, branch: str) -> Answer | None:
    tip = hub.remote.tip(branch)
    if tip is None:
        return missing()
    if request.method == "PATCH":
        said = request.json()
        if not hub.remote.is_ancestor(tip, said["sha"]) and not said.get("force"):
            return refused(422, "Update is not a fast forward")
        hub.remote.git("update-ref", f"refs/heads/{branch}", said["sha"])
        tip = said["sha"]
    if request.method == "DELETE":
        hub.remote.git("update-ref", "-d", f"refs/heads/{branch}")
        return Answer(204)
    link = f"{request.here}/git/refs/heads/{branch}"
    return told(200, {"ref": f"refs/heads/{branch}", "url": link, "object": {"type": "commit", "sha": tip}})


def _content(hub: Hub, request: Request, path: str) -> Answer:
    data = hub.remote.read(request.query.get("ref", "main"), path)
    if data is None:
        return missing()
    shown = {"type": "file", "encoding": "base64", "size": len(data), "path": path, "name": path.rpartition("/")[2]}
    shown |= {"content": base64.b64encode(data).decode(), "url": f"{request.here}/contents/{path}"}
    return told(200, shown)


def _state(hub: Hub, request: Request, sha: str) -> Answer:
    said = request.json()
    if not hub.remote.holds(sha):
        return refused(422, f"No commit found for SHA: {sha}")
    if len(said.get("description") or "") > 140:
        what = {
            "resource": "Status",
            "code": "custom",
            "message": "description is too long (maximum is 140 characters)",
        }
        return refused(422, "Validation Failed", [what])
    status = {"id": next(hub.ids), "sha": sha, "state": said["state"], "context": said.get("context", "default")}
    status |= {"description": said.get("description"), "created": hub.now()}
    hub.statuses.append(status)
    return told(201, _status(request, status))


def _status(request: Request, status: dict[str, Any]) -> dict[str, Any]:
    link = f"{request.here}/statuses/{status['sha']}"
    return {**{key: status[key] for key in ("id", "state", "context", "description")}, "url": link}


def _pull(hub: Hub, request: Request, pull: dict[str, Any]) -> dict[str, Any]:
    link = f"{request.here}/pulls/{pull['number']}"
    shown = {key: pull[key] for key in ("number", "title", "body", "state")}
    shown |= {"id": pull["number"], "url": link, "user": person(request, pull["author"])}
    shown |= {"html_url": f"{request.base}/{request.repository}/pull/{pull['number']}", "created_at": pull["created"]}
    shown |= {"merged": pull["merged"] is not None, "merge_commit_sha": pull["merged"]}
    for side in ("head", "base"):
        branch = pull[side]
        shown[side] = {"ref": branch, "sha": hub.remote.tip(branch), "label": f"{hub.owner}:{branch}"}
    return shown
