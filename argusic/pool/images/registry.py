"""The client of image registries: what the OCI's distribution interface says of an image, fetched and proved.

It needs no account and has none: where a registry wants a token it is asked for as anybody may ask for one. The answer
counts for nothing until its digest is the one that was wanted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from argusic.pool.images.asking import PATIENCE, Answer, Asking, Patience, TooMuch
from argusic.pool.images.manifests import ACCEPTED, MAX_MANIFEST, Described
from argusic.pool.images.names import address_of
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable

_Read = TypeVar("_Read")
_TOKEN_BYTES = 100_000
_PARAMETER = re.compile(r'(\w+)="([^"]*)"')
_TOKEN = re.compile(r"[\x21-\x7e]{1,20000}")


class Missing(Exception):
    """The registry has no such image, or shows it to nobody who did not log in."""


class Fetched(NamedTuple):
    """A manifest or a list of them, as the registry sent it."""

    body: bytes
    media_type: str
    """What the registry says that it is."""
    digest: str
    """Its digest, reckoned here."""


class Registry:
    """One registry.

    Args:
        host: Its host.
        environment: The host's environment.
        patience: How long it is waited for.
    """

    def __init__(self, host: str, environment: Mapping[str, str], patience: Patience = PATIENCE) -> None:
        self._host = host
        self._asking = Asking(address_of(host), environment, patience)
        self._tokens: dict[str, str] = {}

    def manifest(self, repository: str, reference: str) -> Fetched:
        """Fetch what a tag or a digest leads to. What a digest leads to is proved.

        Raises:
            Missing: There is no such thing.
            PinMismatch: It has another digest.
            SubjectUnavailable: The registry cannot be reached, or sends nonsense.
        """

        def read(answer: Answer) -> Fetched:
            body = b"".join(answer.body)
            digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
            return Fetched(body, answer.headers.get("content-type", ""), digest)

        fetched = self._get(repository, f"manifests/{reference}", read, most=MAX_MANIFEST)
        if reference.startswith("sha256:") and fetched.digest != reference:
            raise PinMismatch(f"{self._host} sends for {reference} something that has the digest {fetched.digest}")
        return fetched

    def blob(self, repository: str, wanted: Described, file: Path) -> None:
        """Fetch one part of an image into a new file, and prove it.

        Raises:
            Missing: There is no such part.
            PinMismatch: It has another digest or size.
            SubjectUnavailable: The registry cannot be reached, or breaks off.
        """

        def read(answer: Answer) -> tuple[str, int]:
            reckoned, size = hashlib.sha256(), 0
            with file.open("wb") as out:
                for piece in answer.body:
                    reckoned.update(piece)
                    size += len(piece)
                    out.write(piece)
            length = answer.headers.get("content-length", "")
            if length.isdigit() and size < int(length):
                raise SubjectUnavailable(f"the registry {self._host} broke off in the middle of a layer")
            return f"sha256:{reckoned.hexdigest()}", size

        try:
            digest, size = self._get(repository, f"blobs/{wanted.digest}", read, most=wanted.size)
        except TooMuch as error:
            raise PinMismatch(f"{self._host} sends for {wanted.digest} more than its {wanted.size} bytes") from error
        if size != wanted.size or digest != wanted.digest:
            raise PinMismatch(
                f"{self._host} sends for {wanted.digest} ({wanted.size} bytes) "
                f"something that has the digest {digest} ({size} bytes)"
            )

    def _get(self, repository: str, what: str, read: Callable[[Answer], _Read], *, most: int) -> _Read:
        address = f"{self._asking.address}/v2/{repository}/{what}"
        for last in (False, True):
            token = self._tokens.get(repository)
            headers = {"Accept": ACCEPTED, **({"Authorization": f"Bearer {token}"} if token else {})}
            with self._asking.get(address, headers, most=most) as answer:
                if answer.status == 200:
                    return read(answer)
                if answer.status in (403, 404) or (answer.status == 401 and last):
                    raise Missing(f"{self._host} shows nobody an image called {repository} with such a {what[:8]}")
                if answer.status != 401:
                    raise SubjectUnavailable(f"the registry {self._host} answers {answer.status}")
                challenge = answer.headers.get("www-authenticate", "")
            self._tokens[repository] = self._token(challenge, repository)
        raise AssertionError("the second answer ends it")

    def _token(self, challenge: str, repository: str) -> str:
        """Ask for a token as a registry says that anybody may get one."""
        scheme, _, said = challenge.partition(" ")
        if scheme.lower() == "basic":
            raise Missing(f"{self._host} shows {repository} only to those who log in")
        asked = dict(_PARAMETER.findall(said))
        realm = asked.get("realm", "")
        if scheme.lower() != "bearer" or not realm.startswith(("http://", "https://")):
            raise SubjectUnavailable(f"the registry {self._host} wants a token and does not say from where")
        query = {"service": asked.get("service", ""), "scope": f"repository:{repository}:pull"}
        address = f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}"
        with self._asking.get(address, {"Accept": "application/json"}, most=_TOKEN_BYTES) as answer:
            if answer.status in (401, 403):
                raise Missing(f"{self._host} shows {repository} only to those who log in")
            if answer.status != 200:
                raise SubjectUnavailable(f"the token service of {self._host} answers {answer.status}")
            body = b"".join(answer.body)
        try:
            says = json.loads(body)
        except (ValueError, RecursionError):
            says = None
        token = (says.get("token") or says.get("access_token")) if isinstance(says, dict) else None
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise SubjectUnavailable(f"the token service of {self._host} gives no token")
        return token
