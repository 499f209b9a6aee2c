"""What both protocols of OpenAI share: how a key is shown, the shape of errors, and the list of models."""

from __future__ import annotations

from typing import Final

from argusic.runs.keys.apis.dialect import Json, Reason, Refusal

#: Status, type and code of an error. Past the cap is what OpenAI says of an account without money.
_ERRORS: Final[dict[Reason, tuple[int, str, str | None]]] = {
    "token": (401, "invalid_request_error", "invalid_api_key"),
    "route": (404, "invalid_request_error", "unknown_url"),
    "model": (404, "invalid_request_error", "model_not_found"),
    "request": (400, "invalid_request_error", None),
    "large": (413, "invalid_request_error", "request_too_large"),
    "spent": (429, "insufficient_quota", "insufficient_quota"),
    "busy": (429, "rate_limit_error", "rate_limit_exceeded"),
    "server": (502, "server_error", None),
    "late": (504, "server_error", None),
    "ours": (500, "server_error", None),
}


class OpenAi:
    """Base of the two."""

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the header that shows a key."""
        return {"authorization": f"Bearer {key}"} if key is not None else {}

    def error(self, refusal: Refusal) -> tuple[int, Json]:
        """Return the status and the body of an error."""
        status, kind, code = _ERRORS[refusal.reason]
        return status, {"error": {"message": refusal.what, "type": kind, "param": None, "code": code}}

    def entry(self, model: str) -> Json:
        """Return a model's entry in the list."""
        return {"id": model, "object": "model", "created": 0, "owned_by": "argusic"}

    def listing(self, entries: list[Json]) -> Json:
        """Return the list of models."""
        return {"object": "list", "data": entries}
