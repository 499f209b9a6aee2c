"""How GitHub is asked, by everything that asks it: one way to make a client, one reading of what it refuses.

PyGithub makes the requests. It neither waits nor asks again by itself: its own patience can last half an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Final, TypeVar

import requests
from github import Auth, BadAttributeException, Github, GithubException

from argusic.errors import ArgusicError, EnvironmentLack, InputError
from argusic.evidence.stores.patience import AskAgain, Patience, seconds_to_wait

T = TypeVar("T")

#: Where GitHub itself is asked.
API: Final = "https://api.github.com"
_SECONDS: Final = 60
#: What GitHub asks for where it says that a secondary limit is reached, and not for how long.
_A_MINUTE: Final = 60.0


class GitHubClient:
    """GitHub, asked about one repository with one token.

    Args:
        api: The address of the interface.
        token: The token; None where only what is public is read.
        name: What is asked, in a sentence.
        mend: What to do about a token that is not enough.
        patience: How often a question is asked again.
        many: Whether `name` is a plural.
    """

    def __init__(
        self, api: str, token: str | None, *, name: str, mend: str, patience: Patience, many: bool = False
    ) -> None:
        self._token = token
        self._name = name
        self._mend = mend
        self._patience = patience
        self._many = many
        self._session = requests.Session()
        self._session.auth = lambda request: request  # Else a ~/.netrc would take the place of the token.
        self._lock = Lock()  # PyGithub keeps one connection, which two threads must not use at once.
        self.program = Github(
            auth=Auth.Token(token) if token else None,
            base_url=api,
            timeout=_SECONDS,
            per_page=100,
            retry=None,  # `Patience` asks again.
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,  # An object is asked for when something of it is needed.
        )

    @property
    def has_token(self) -> bool:
        """Whether it asks with a token."""
        return self._token is not None

    def ask(self, question: Callable[[], T], what: str | None = None) -> T:
        """Return the answer to a question that PyGithub asks, once or more often.

        Args:
            question: The question; it may raise AskAgain itself.
            what: What it asks for, in a sentence; None where it is the repository itself.

        Raises:
            EnvironmentLack: There is no answer, or it is a refusal.
            InputError: There is no such thing.
        """

        def once() -> T:
            try:
                with self._lock:
                    return question()
            except GithubException as error:
                raise self._refusal(error.status, said_by(error), error.headers or {}, what) from None
            except requests.RequestException as error:
                raise AskAgain(f"{self._name} cannot be reached ({self._said(str(error))})") from None
            except (AssertionError, RuntimeError, ValueError, BadAttributeException) as error:
                # An address of another server, a page of a proxy, or fields of another kind.
                said = self._said(str(error) or type(error).__name__)
                raise EnvironmentLack(f"{self._name} {self._does('answer')} what GitHub does not ({said}).") from None

        return self._patience.ask(once)

    def patiently(self, question: Callable[[], T]) -> T:
        """Return the answer to a question that uses `reading`."""
        return self._patience.ask(question)

    @contextmanager
    def reading(self, address: str, headers: Mapping[str, str], *, missing: Exception) -> Iterator[requests.Response]:
        """Give an answer whose content is read piece by piece. Where it leads to another host, no token goes there.

        Args:
            address: Where it is.
            headers: What is said beside the token.
            missing: What is raised where there is no such thing.

        Raises:
            AskAgain: It was cut off, or GitHub cannot answer now.
            EnvironmentLack: It is a refusal.
        """
        told = {"Accept-Encoding": "identity", **headers}
        if self._token:
            told["Authorization"] = f"Bearer {self._token}"  # `requests` does not take it to another host.
        try:
            with self._session.get(address, headers=told, stream=True, timeout=(10, _SECONDS)) as answer:
                if answer.status_code in (404, 410):
                    raise missing
                if answer.status_code not in (200, 206):
                    raise self._refusal(answer.status_code, answer.reason or "", answer.headers, None)
                yield answer
        except requests.RequestException as error:
            was, reason = "were" if self._many else "was", self._said(str(error))
            raise AskAgain(f"{self._name} cannot be reached or {was} cut off ({reason})") from None

    def _refusal(self, status: int, said: str, headers: Mapping[str, str], what: str | None) -> ArgusicError | AskAgain:
        answer = self._said(f"{status} {said}")
        answers, is_ = f"{self._does('answer')} {answer}", "are" if self._many else "is"
        wait = seconds_to_wait({name.lower(): value for name, value in headers.items()})
        if wait is None and status in (403, 429) and "rate limit" in said.lower():
            wait = _A_MINUTE
        if status == 507:
            return EnvironmentLack(f"{self._name} {is_} full ({answer}); nothing was kept there.")
        if status in (408, 429) or status >= 500 or (status == 403 and wait is not None):
            return AskAgain(f"{self._name} {answers}", wait)
        if status in (401, 403):
            return EnvironmentLack(f"{self._name} {self._does('refuse')} this token ({answer}).", advice=self._mend)
        if what is not None and (status in (404, 410) or (status == 422 and "No commit found" in said)):
            return InputError(
                f"{self._name} {'have' if self._many else 'has'} no {what}, or this token may not see it."
            )
        if status == 404:
            token = "this token" if self._token else "whoever has no token"
            it = "them" if self._many else "it"
            return InputError(f"{self._name} {is_} not there, or {token} may not see {it}.", advice=self._mend)
        if status == 422 and ("already_exists" in said or "already exists" in said):
            return AskAgain(f"{self._name} {'were' if self._many else 'was'} changed by somebody else meanwhile")
        return EnvironmentLack(f"{self._name} {answers}.")

    def _does(self, verb: str) -> str:
        return verb if self._many else f"{verb}s"

    def _said(self, text: str) -> str:
        """Return another's words on one line, without the token, should it be among them."""
        hidden = text.replace(self._token, "***") if self._token else text
        return " ".join(hidden.split()).rstrip(".")[:300]


def said_by(error: GithubException) -> str:
    """Return what GitHub said, with the codes of what is wrong where it names them."""
    if not isinstance(error.data, dict):
        return str(error.data or "")[:200]
    found = error.data.get("errors")
    listed = found if isinstance(found, list) else []
    said = [one.get("message") or one.get("code") if isinstance(one, dict) else one for one in listed]
    return " ".join([str(error.data.get("message", "")), *(f"({one})" for one in said)])[:300]
