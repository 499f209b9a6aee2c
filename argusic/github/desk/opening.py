"""The desk of a checkout: its database, the repository on GitHub that the environment names, and its remote."""

from __future__ import annotations

from collections.abc import Mapping

from argusic.database.database import Database
from argusic.github.desk.desk import Desk
from argusic.github.desk.remote import RemoteBranches
from argusic.github.pygithub_forge import GitHubForge


def open_desk(database: Database, remote: str, environment: Mapping[str, str]) -> Desk:
    """Return the desk.

    Args:
        database: The database.
        remote: The name of the remote that branches are put on.
        environment: Where the repository on GitHub and the token are named.

    Raises:
        EnvironmentLack: One of the two is not.
    """
    return Desk(database, GitHubForge.of_environment(environment), RemoteBranches(database, remote, environment))
