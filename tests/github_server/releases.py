"""Releases and their assets. An upload that is cut off leaves an unfinished asset, as on GitHub itself."""

from __future__ import annotations

import re
from typing import Any

from tests.github_server.exchange import NOTHING, Answer, Request, missing, page, refused, told
from tests.github_server.state import Hub

_THERE = [{"code": "already_exists"}]


def answer(hub: Hub, request: Request) -> Answer | None:
    """Answer what is asked of releases; None where it is of something else."""
    match request.method, request.parts:
        case "GET", ("releases",):
            return page(request, [_release(hub, request, tag) for tag in hub.releases])
        case "GET", ("releases", "tags", tag):
            return told(200, _release(hub, request, tag)) if tag in hub.releases else missing()
        case "POST", ("releases",):
            tag = request.json()["tag_name"]
            if tag in hub.releases:
                return refused(422, "Validation Failed", _THERE)
            hub.releases[tag] = next(hub.ids)
            return told(201, _release(hub, request, tag))
        case "GET", ("releases", "assets", number) if int(number) in hub.content:
            return Answer(302, headers={"Location": f"{request.elsewhere}/content/{number}"})
        case "DELETE", ("releases", "assets", number) if int(number) in hub.assets:
            if hub.immutable:
                return refused(422, "Cannot delete asset from an immutable release")
            hub.assets.pop(int(number))
            hub.content.pop(int(number), None)
            return Answer(204)
        case "GET", ("releases", number, "assets") if number.isdecimal():
            own = [one for one in hub.assets.values() if one["release"] == int(number)]
            return page(request, [_asset(request, one) for one in own])
        case "POST", ("releases", number, "assets"):
            return _upload(hub, request, int(number), request.query["name"])
    return None


def content(hub: Hub, request: Request, number: int) -> Answer:
    """Return an asset's bytes, or some of them, for whoever knows its address."""
    data = hub.content.get(number)
    if data is None:
        return missing()
    found = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("range", ""))
    if found is None or hub.ignores_ranges:
        return Answer(200, data)
    return Answer(206, data[int(found[1]) : int(found[2]) + 1])


def _upload(hub: Hub, request: Request, release: int, name: str) -> Answer:
    if any(one["name"] == name and one["release"] == release for one in hub.assets.values()):
        return refused(422, "Validation Failed", _THERE)
    number = next(hub.ids)
    asset = {"id": number, "name": name, "size": request.length, "state": "starter", "release": release}
    hub.assets[number] = asset
    if len(request.body) < request.length:
        return NOTHING
    hub.content[number] = request.body
    asset["state"] = "uploaded"
    return told(201, _asset(request, asset))


def _release(hub: Hub, request: Request, tag: str) -> dict[str, Any]:
    number = hub.releases[tag]
    url = f"{request.here}/releases/{number}"
    return {"id": number, "tag_name": tag, "url": url, "upload_url": f"{url}/assets{{?name,label}}"}


def _asset(request: Request, asset: dict[str, Any]) -> dict[str, Any]:
    number = asset["id"]
    public = f"{request.base}/content/{number}"
    return {**asset, "url": f"{request.here}/releases/assets/{number}", "browser_download_url": public}
