"""Issues, their labels and comments, and what people may do."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

from tests.github_server.exchange import Answer, Request, missing, page, person, refused, told
from tests.github_server.state import BOT, Hub

#: What GitHub's older field says of the finer roles. Any other is an organisation's own, made from `write` here.
_COARSE = {"none": "none", "read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}


def answer(hub: Hub, request: Request) -> Answer | None:
    """Answer what is asked of issues and people; None where it is of something else."""
    match request.method, request.parts:
        case "GET", ("collaborators", login, "permission"):
            return _permission(hub, request, unquote(login))
        case "GET", ("issues",):
            wanted = request.query.get("state", "open")
            every = [one for one in reversed(hub.issues.values()) if wanted in ("all", one["state"])]
            named = {name for name in request.query.get("labels", "").split(",") if name}
            return page(request, [_issue(request, one) for one in every if named <= set(one["labels"])])
        case "POST", ("issues",):
            said = request.json()
            made = add_issue(hub, said["title"], said.get("body"), request.login or BOT, said.get("labels", ()))
            return told(201, _issue(request, made))
        case _, ("issues", "comments", number):
            comment = hub.comments.get(int(number))
            return missing() if comment is None else _one_comment(hub, request, comment)
        case _, ("issues", str(number), *rest):
            issue = hub.issues.get(int(number), hub.pulls.get(int(number)))
            return missing() if issue is None else _one_issue(hub, request, issue, tuple(rest))
    return None


def add_issue(hub: Hub, title: str, body: str | None, author: str, labels: Any = ()) -> dict[str, Any]:
    """Open an issue."""
    number = next(hub.numbers)
    issue = {"number": number, "title": title, "body": body, "state": "open", "author": author}
    issue |= {"labels": list(labels), "created": hub.now()}
    hub.issues[number] = issue
    return issue


def add_comment(hub: Hub, issue: int, body: str, author: str) -> dict[str, Any]:
    """Write a comment."""
    comment: dict[str, Any] = {
        "id": next(hub.ids),
        "issue": issue,
        "body": body,
        "author": author,
        "created": hub.now(),
    }
    hub.comments[comment["id"]] = comment
    return comment


def _permission(hub: Hub, request: Request, login: str) -> Answer:
    if login not in hub.permissions:
        return missing(f"{login} is not a user")
    role = hub.permissions[login]
    coarse = _COARSE.get(role, "write")
    return told(200, {"permission": coarse, "role_name": role, "user": person(request, login)})


def _one_issue(hub: Hub, request: Request, issue: dict[str, Any], rest: tuple[str, ...]) -> Answer | None:
    number = issue["number"]
    match request.method, rest:
        case "GET", ():
            return told(200, _issue(request, issue))
        case "PATCH", ():
            issue |= {key: value for key, value in request.json().items() if key in ("title", "body", "state")}
            return told(200, _issue(request, issue))
        case "GET", ("labels",):
            return page(request, [_label(request, name) for name in issue["labels"]])
        case "POST", ("labels",):
            said = request.json() if request.body[:1] == b"{" else {"labels": _list(request)}
            issue["labels"] += [name for name in said["labels"] if name not in issue["labels"]]
            return told(200, [_label(request, name) for name in issue["labels"]])
        case "DELETE", ("labels", name):
            if unquote(name) not in issue["labels"]:
                return missing("Label does not exist")
            issue["labels"].remove(unquote(name))
            return told(200, [_label(request, name) for name in issue["labels"]])
        case "GET", ("comments",):
            own = [one for one in hub.comments.values() if one["issue"] == number]
            return page(request, [_comment(request, one) for one in own])
        case "POST", ("comments",):
            body = request.json().get("body", "")
            if len(body) > 65_536:
                return refused(422, "Validation Failed", [{"code": "custom", "message": "body is too long"}])
            return told(201, _comment(request, add_comment(hub, number, body, request.login or BOT)))
    return None


def _one_comment(hub: Hub, request: Request, comment: dict[str, Any]) -> Answer | None:
    match request.method:
        case "GET":
            return told(200, _comment(request, comment))
        case "PATCH":
            comment["body"] = request.json()["body"]
            return told(200, _comment(request, comment))
        case "DELETE":
            del hub.comments[comment["id"]]
            return Answer(204)
    return None


def _list(request: Request) -> list[str]:
    return [str(name) for name in json.loads(request.body)]


def _label(request: Request, name: str) -> dict[str, Any]:
    return {"name": name, "color": "ededed", "url": f"{request.here}/labels/{name}"}


def _issue(request: Request, issue: dict[str, Any]) -> dict[str, Any]:
    url = f"{request.here}/issues/{issue['number']}"
    shown = {key: issue[key] for key in ("number", "title", "body", "state")}
    shown |= {"id": issue["number"], "url": url, "comments_url": f"{url}/comments", "labels_url": f"{url}/labels"}
    shown |= {"html_url": f"{request.base}/{request.repository}/issues/{issue['number']}"}
    shown |= {"user": person(request, issue["author"]), "created_at": issue["created"]}
    shown |= {"labels": [_label(request, name) for name in issue["labels"]]}
    if "head" in issue:
        shown |= {"pull_request": {"url": f"{request.here}/pulls/{issue['number']}"}}
    return shown


def _comment(request: Request, comment: dict[str, Any]) -> dict[str, Any]:
    url = f"{request.here}/issues/comments/{comment['id']}"
    shown = {"id": comment["id"], "url": url, "body": comment["body"], "user": person(request, comment["author"])}
    return shown | {"created_at": comment["created"], "updated_at": comment["created"]}
