"""Asking a key provider over HTTP: again where that may help, within bounds, and with no secret in any message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import httpx

from argusic.errors import EnvironmentLack
from argusic.evidence.stores.patience import AskAgain, Patience, seconds_to_wait
from argusic.runs.keys.access import KeyRefused
from argusic.runs.keys.connection import way

T = TypeVar("T")

_PATIENCE: Final = Patience(tries=4, first=0.5, longest=30.0)
_SECONDS: Final = 20.0
#: No list of keys has more pages: one that goes on does not end.
MOST_PAGES: Final = 1000


class Desk:
    """Where a provider is asked.

    Args:
        name: What to call the provider.
        url: The address that all paths are below.
        key: What authorises it.
        patience: How often to ask again.
    """

    def __init__(self, name: str, url: str, key: str, patience: Patience | None = None) -> None:
        self._name = name
        self._url = url.rstrip("/")
        self._key = key
        self._patience = patience or _PATIENCE

    def ask(self, question: Callable[[Callable[..., Any]], T]) -> T:
        """Return the answer to a question, which is given what sends one request.

        Raises:
            KeyRefused: There is no answer, or it is no.
        """
        with httpx.Client(
            headers={"authorization": f"Bearer {self._key}"},
            timeout=_SECONDS,
            **way(self._url),
        ) as client:
            try:
                return self._patience.ask(lambda: question(lambda *given, **more: self._send(client, *given, **more)))
            except EnvironmentLack as lack:
                raise KeyRefused(str(lack)) from None

    def make(self, create: Callable[[Callable[..., Any]], T], undo: Callable[[Callable[..., Any]], None]) -> T:
        """Return the answer to a question that makes something.

        Before it is asked again, what may have been made is undone: its answer is lost, and with it what was made.

        Args:
            create: Makes it; given what sends one request.
            undo: Undoes it, whether it was made or not.

        Raises:
            KeyRefused: There is no answer, or it is no.
        """
        unclear = False

        def once(send: Callable[..., Any]) -> T:
            nonlocal unclear
            if unclear:
                undo(send)
            unclear = True
            return create(send)

        return self.ask(once)

    def _send(
        self,
        client: httpx.Client,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        gone_is_fine: bool = False,
    ) -> Any:
        """Send one request and return its answer as data; None where it is that there is nothing, and that is fine.

        Raises:
            AskAgain: It may pass.
            KeyRefused: It will not.
        """
        try:
            answer = client.request(method, f"{self._url}{path}", json=body, params=parameters)
        except httpx.RequestError as error:
            raise AskAgain(f"{self._name} does not answer ({type(error).__name__})") from None
        status = answer.status_code
        if status == 429 or status >= 500:
            raise AskAgain(f"{self._name} answers {status}", seconds_to_wait(answer.headers))
        if status == 404 and gone_is_fine:
            return None
        if status in (401, 403):
            raise KeyRefused(f"{self._name} does not accept the key that it was shown (status {status}).")
        if not answer.is_success:
            raise KeyRefused(f"{self._name} refuses {method} {path} (status {status}{self._said(answer)}).")
        try:
            return answer.json()
        except (ValueError, RecursionError):
            raise KeyRefused(f"{self._name} answers {method} {path} with something that is no JSON.") from None

    def _said(self, answer: httpx.Response) -> str:
        """Return what an answer says of its error, in one line and without the key."""
        try:
            error = answer.json()["error"]
            said = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
        line = "".join(c if c.isprintable() else " " for c in said.replace(self._key, "[key]"))[:200]
        return f": {line}"
