"""A GitHub of its own on the loopback, over a real bare repository: the one stand-in for GitHub that tests have.

It speaks the part of the REST interface that is used here, and git's own protocol. It runs in a test
(`with GitHubServer() as github`), or as a program that other programs talk to: `python -m tests.github_server`.
"""

from tests.github_server.server import GitHubServer
from tests.github_server.state import BOT, TOKEN, Fault

__all__ = ["BOT", "TOKEN", "Fault", "GitHubServer"]
