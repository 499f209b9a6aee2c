"""How large a repository on GitHub is, as GitHub itself reports it: the figure that the heavy tier goes by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from github.Repository import Repository

from argusic.errors import EnvironmentLack
from argusic.evidence.stores.github_client import API, GitHubClient
from argusic.evidence.stores.github_token import token_of
from argusic.evidence.stores.patience import Patience
from argusic.pool.hosts import Reported

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_SCP: Final = re.compile(r"(?:[^/@:]+@)?(?P<host>[^/@:]+):(?!//)(?P<path>.*)")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
#: A person waits for the answer, and can do without it.
_PATIENCE: Final = Patience(tries=2, longest=10)


class GitHubSizes:
    """GitHub, asked about repositories of strangers.

    Args:
        environment: Names another GitHub than the public one, as a workflow's does (GITHUB_SERVER_URL,
            GITHUB_API_URL), and may hold a token.
        patience: How often a question is asked again.
    """

    def __init__(self, environment: Mapping[str, str], patience: Patience = _PATIENCE) -> None:
        self._environment = environment
        self._patience = patience

    def reported(self, address: str) -> Reported | None:
        """Return what GitHub reports of the repository at an address; None for one of another host.

        Raises:
            EnvironmentLack: It cannot be reached, or refuses.
            InputError: It has no such repository, or none that may be seen.
        """
        server = self._environment.get("GITHUB_SERVER_URL") or "https://github.com"
        name = _repository(address, urlsplit(server).netloc.lower())
        if name is None:
            return None
        api = (self._environment.get("GITHUB_API_URL") or API).rstrip("/")
        place = urlsplit(api)
        if place.scheme != "https" and not (place.scheme == "http" and place.hostname in _LOOPBACK):
            raise EnvironmentLack("GITHUB_API_URL is no address that begins with https://, so it is not asked.")
        client = GitHubClient(
            api,
            token_of(self._environment),
            name=f"{name} on GitHub",
            mend="A token in GH_TOKEN or GITHUB_TOKEN may see more.",
            patience=self._patience,
        )
        owner, _, short = name.partition("/")
        repository = client.program.get_repo(f"{quote(owner)}/{quote(short)}")
        return client.ask(lambda: _read(repository))


def _read(repository: Repository) -> Reported:
    licence = repository.license
    spdx = licence.spdx_id if licence is not None else None
    # GitHub says NOASSERTION of a licence that it does not know.
    return Reported("GitHub", repository.size, None if spdx in (None, "NOASSERTION") else spdx, repository.language)


def _repository(address: str, host: str) -> str | None:
    """Return `owner/name` of an address on a host, whichever protocol it is of; None for one elsewhere."""
    if "://" in address:
        parts = urlsplit(address)
        if parts.scheme not in ("https", "http", "ssh", "git"):
            return None
        there, path = parts.netloc.rpartition("@")[2].lower(), unquote(parts.path)
    else:
        found = _SCP.fullmatch(address)
        if found is None:
            return None
        there, path = found["host"].lower(), found["path"]
    named = [part for part in path.split("/") if part]
    if there != host or len(named) != 2:
        return None
    owner, short = named[0], named[1].removesuffix(".git")
    return f"{owner}/{short}" if _NAME.fullmatch(owner) and _NAME.fullmatch(short) else None
