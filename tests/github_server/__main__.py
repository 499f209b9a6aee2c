"""The server as a program of its own, for programs that run outside the test."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from tests.github_server.server import GitHubServer


def main() -> None:
    """Serve until SIGTERM or an interrupt. The first line of output is the address."""
    parser = argparse.ArgumentParser(prog="python -m tests.github_server", description=main.__doc__)
    parser.add_argument("--remote", type=Path, required=True, help="the bare repository; made where there is none")
    parser.add_argument("--folder", type=Path, required=True, help="where artifacts/<run>/<name>.zip and jobs/ lie")
    parser.add_argument("--repository", default="ada/referee", help="owner/name")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", action="append", default=[], help="token=login of one more who may write")
    parser.add_argument("--public", action="store_true", help="whoever has no token may read")
    given = parser.parse_args()
    # Blocked before the server's threads begin, so that none of them is ended by it.
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with GitHubServer(given.remote, given.folder, repository=given.repository, port=given.port) as server:
        server.hub.private = not given.public
        for pair in given.token:
            token, _, login = pair.partition("=")
            server.add_person(token, login)
        assert server.remote.is_dir()
        print(server.url, flush=True)
        signal.sigwait(ends)


if __name__ == "__main__":
    main()
