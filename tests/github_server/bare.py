"""A real bare repository: what the server's clients push to, and what tests look into."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class BareRepository:
    """A bare repository, begun with one empty commit on `main` where there is none yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / "HEAD").exists():
            path.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--bare", "--template=", "--initial-branch=main")
            (path / "hooks").mkdir()
            with (path / "config").open("a") as config:
                config.write("[uploadpack]\n\tallowFilter = true\n")
            self.commit("main", {}, "Begin")

    def git(self, *arguments: str, said: bytes = b"", extra: Mapping[str, str] | None = None) -> str:
        """Return what git answers."""
        done = self.ask(*arguments, said=said, extra=extra)
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def ask(
        self, *arguments: str, said: bytes = b"", extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git in it."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
        }
        ours = {"GIT_DIR": str(self.path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        environment = {**clean, **who, **ours, **(extra or {})}
        return subprocess.run(["git", *arguments], input=said, env=environment, capture_output=True, check=False)

    def tip(self, branch: str) -> str | None:
        """Return the commit of a branch; None where there is no such branch."""
        done = self.ask("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
        return done.stdout.decode().strip() or None

    def branches(self) -> dict[str, str]:
        """Return the commit of each branch."""
        listed = self.git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")
        return dict(line.split(" ") for line in listed.splitlines())

    def files(self, branch: str) -> dict[str, bytes]:
        """Return the files of a branch."""
        listed = self.git("ls-tree", "-r", "-z", "--name-only", branch)
        return {name: self.ask("cat-file", "blob", f"{branch}:{name}").stdout for name in listed.split("\0") if name}

    def read(self, branch: str, path: str) -> bytes | None:
        """Return a file of a branch; None where it has none."""
        done = self.ask("cat-file", "blob", f"{branch}:{path}")
        return done.stdout if done.returncode == 0 else None

    def log(self, branch: str) -> list[str]:
        """Return the subjects of a branch's commits, the latest first."""
        return self.git("log", "--format=%s", branch).splitlines()

    def holds(self, commit: str) -> bool:
        """Return whether there is such a commit."""
        return self.ask("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def is_ancestor(self, one: str, other: str) -> bool:
        """Return whether `other` comes behind `one`, or is it."""
        return self.ask("merge-base", "--is-ancestor", one, other).returncode == 0

    def commit(self, branch: str, files: Mapping[str, bytes | None], message: str = "A commit") -> str:
        """Add a commit to a branch, which begins at `main` where it is not there; None removes a file."""
        ref = f"refs/heads/{branch}"
        tip = self.tip(branch) or self.tip("main")
        said = [f"commit {ref}\ncommitter Ada <ada@example.org> now\n".encode(), _data(message.encode())]
        said += [f"from {tip}\n".encode()] if tip else []
        for name, content in files.items():
            quoted = json.dumps(name, ensure_ascii=False).encode()
            said += [b"D %s\n" % quoted] if content is None else [b"M 100644 inline %s\n" % quoted, _data(content)]
        self.git("fast-import", "--quiet", "--date-format=now", said=b"".join(said))
        made = self.tip(branch)
        assert made
        return made

    def merge(self, head: str, base: str, message: str) -> str | None:
        """Merge one branch into another and return the commit; None where they conflict."""
        ours, theirs = self.tip(base), self.tip(head)
        assert ours and theirs
        done = self.ask("merge-tree", "--write-tree", ours, theirs)
        if done.returncode:
            return None
        tree = done.stdout.decode().split()[0]
        made = self.git("commit-tree", tree, "-p", ours, "-p", theirs, "-m", message)
        self.git("update-ref", f"refs/heads/{base}", made, ours)
        return made

    def changed(self, base: str, head: str) -> list[tuple[str, str]]:
        """Return what `head` changes since it left `base`: each file's letter and name."""
        fields = self.git("diff", "--no-renames", "--name-status", "-z", f"{base}...{head}").split("\0")
        return list(zip(fields[0::2], fields[1::2], strict=False))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
