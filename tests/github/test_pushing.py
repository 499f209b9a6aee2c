"""Files put on a branch of a real remote: races, what is there already, hostile checkouts, and a push that dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from argusic.database.faults import FAULT_VARIABLE, PUSH_POINTS
from argusic.errors import ArgusicError, EnvironmentLack, InputError
from argusic.evidence.stores.patience import Patience
from argusic.github import pushing
from argusic.github.pushing import push_files
from argusic.pool.git import Bounds, Git, GitTookTooLong
from tests.github_server import TOKEN, Fault, GitHubServer
from tests.github_server.bare import BareRepository

BRANCH = "results/pilot"
A, B = PurePosixPath("runs/pilot/a.yaml"), PurePosixPath("runs/pilot/b.yaml")


@pytest.fixture
def bare(tmp_path: Path) -> BareRepository:
    made = BareRepository(tmp_path / "remote.git")
    made.commit("main", {"README": b"here\n", "rules/x": b"rule\n"})
    return made


@pytest.fixture
def clone(bare: BareRepository, tmp_path: Path) -> Path:
    return cloned(str(bare.path), tmp_path / "clone")


def cloned(address: str, folder: Path) -> Path:
    """Make a checkout that knows its remote and has nothing of it yet."""
    ours("init", "-q", "--template=", "-b", "main", str(folder))
    ours("-C", str(folder), "remote", "add", "origin", address)
    return folder


def ours(*arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], env=environment, capture_output=True, check=True, text=True).stdout


def push(clone: Path, files: Mapping[PurePosixPath, Path | bytes | None], **more: object) -> str | None:
    given: dict[str, object] = {"environment": {}, "patience": Patience(sleep=lambda seconds: None), **more}
    return push_files(clone, BRANCH, files, "Runs of pilot", **given)  # type: ignore[arg-type]


def test_a_branch_that_is_not_there_begins_at_main(bare: BareRepository, clone: Path, tmp_path: Path) -> None:
    read = tmp_path / "a file\twith 'signs'"
    read.write_bytes(b"\r\nbytes \xff\0 as they are\n")
    made = push(clone, {A: read, B: b"b"})
    assert made == bare.tip(BRANCH)
    assert bare.files(BRANCH) == {
        "README": b"here\n",
        "rules/x": b"rule\n",
        str(A): b"\r\nbytes \xff\0 as they are\n",
        str(B): b"b",
    }
    assert bare.log(BRANCH)[:2] == ["Runs of pilot", "A commit"]
    assert bare.tip("main") != made


def test_nothing_new_is_no_commit(bare: BareRepository, clone: Path) -> None:
    made = push(clone, {A: b"a", B: b"b"})
    assert push(clone, {B: b"b"}) is None
    assert push(clone, {PurePosixPath("never/there"): None}) is None
    assert bare.tip(BRANCH) == made
    assert push(clone, {PurePosixPath("README"): b"here\n"}, onto="main") is None


def test_what_is_on_the_branch_stays_beside_what_comes(bare: BareRepository, clone: Path) -> None:
    bare.commit(BRANCH, {"runs/pilot/before.yaml": b"before"})
    push(clone, {A: b"a"})
    assert {"runs/pilot/before.yaml", str(A)} <= bare.files(BRANCH).keys()
    assert len(bare.log(BRANCH)) == len(bare.log("main")) + 2


def test_a_file_that_is_there_is_replaced_only_where_it_may_be(bare: BareRepository, clone: Path) -> None:
    first = push(clone, {A: b"a", B: b"b"})
    with pytest.raises(
        InputError, match=r"has 'runs/pilot/a\.yaml' with another content, and it is not to be replaced"
    ):
        push(clone, {A: b"other", PurePosixPath("new"): b"new"})
    with pytest.raises(InputError, match="with another content"):
        push(clone, {A: None})
    assert bare.tip(BRANCH) == first
    assert push(clone, {A: b"other", B: None}, replace=True)
    assert (bare.read(BRANCH, str(A)), bare.read(BRANCH, str(B))) == (b"other", None)


def test_a_link_a_folder_and_a_file_in_the_way_are_named(bare: BareRepository, clone: Path) -> None:
    blob = bare.git("hash-object", "-w", "--stdin", said=b"/etc/passwd")
    tree = bare.git("mktree", said=f"120000 blob {blob}\tlink\n100644 blob {blob}\tfile\n".encode())
    bare.git("update-ref", f"refs/heads/{BRANCH}", bare.git("commit-tree", tree, "-m", "hostile"))
    for path, said in {
        "link": "at 'link' that is no file",
        "link/a": "needs a folder",
        "file/a": "needs a folder",
    }.items():
        with pytest.raises(InputError, match=said):
            push(clone, {PurePosixPath(path): b"x"}, replace=True)
    with pytest.raises(InputError, match="needs a folder, or a folder in its place"):
        push_files(clone, "main", {PurePosixPath("rules"): b"x"}, "m", replace=True, environment={})


def test_a_path_that_leads_elsewhere_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    for path in ("../a", "/a", "a/../../b", ".git/config", "a/.GIT/hooks/x", "a\nb", ".", "x/.git."):
        with pytest.raises(InputError, match="is no path of a file in a repository"):
            push(tmp_path, {PurePosixPath(path): b"x"})


def test_a_file_that_is_another_ones_folder_or_no_plain_file_is_refused(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a' cannot be a file and the folder of 'a/b' at once"):
        push(clone, {PurePosixPath("a"): b"x", PurePosixPath("a/b"): b"x"})
    link = tmp_path / "link"
    link.symlink_to("/etc/passwd")
    for path in (link, tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="is no plain file"):
            push(clone, {A: path})


def test_sixteen_at_once_all_land(bare: BareRepository, tmp_path: Path) -> None:
    clone = cloned(str(bare.path), tmp_path / "clone")
    # The name of a run of the slowest is between those of others; two bring the same file.
    files = [
        {PurePosixPath(f"runs/pilot/{number:02}/run.yaml"): b"%d" % number, PurePosixPath("runs/pilot/same"): b"same"}
        for number in range(16)
    ]
    with ThreadPoolExecutor(16) as pool:
        made = [pool.submit(push, clone, one, patience=Patience()) for one in files]
        commits = [one.result(60) for one in made]
    assert len({*commits}) == 16 and None not in commits
    assert len([name for name in bare.files(BRANCH) if name.startswith("runs/pilot/")]) == 17
    assert bare.git("rev-list", "--count", f"main..{BRANCH}") == "16"
    assert bare.git("rev-list", "--merges", BRANCH) == ""


def test_who_loses_a_race_over_one_file_is_told(
    bare: BareRepository, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pushing._There.push

    def late(there: pushing._There, commit: str, branch: str) -> None:
        monkeypatch.setattr(pushing._There, "push", before)
        bare.commit(BRANCH, {str(A): b"another's"})
        before(there, commit, branch)

    monkeypatch.setattr(pushing._There, "push", late)
    with pytest.raises(InputError, match="with another content"):
        push(clone, {A: b"ours"})
    assert bare.read(BRANCH, str(A)) == b"another's"


def test_others_who_are_always_first_are_left_after_a_while(
    bare: BareRepository, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, slept, number = pushing._There.push, list[float](), iter(range(99))

    def late(there: pushing._There, commit: str, branch: str) -> None:
        bare.commit(BRANCH, {f"other-{next(number)}": b"x"})
        before(there, commit, branch)

    monkeypatch.setattr(pushing._There, "push", late)
    monkeypatch.setattr(pushing, "MOST_RACES", 3)
    with pytest.raises(EnvironmentLack, match=r"others wrote to results/pilot first, 3 times; nothing was pushed"):
        push(clone, {A: b"a"}, patience=Patience(sleep=slept.append))
    assert len(slept) == 3 and max(slept) < 1
    assert bare.read(BRANCH, str(A)) is None


def test_a_remote_that_is_not_there_is_named(clone: Path, tmp_path: Path, bare: BareRepository) -> None:
    with pytest.raises(InputError, match="has no branch elsewhere, so none can begin there"):
        push(clone, {A: b"a"}, onto="elsewhere")
    with pytest.raises(InputError, match="is no name of a branch"):
        push_files(clone, "a..b", {A: b"a"}, "m", environment={})
    with pytest.raises(InputError, match="has no remote 'upstream'"):
        push(clone, {A: b"a"}, remote="upstream")
    bare.path.rename(tmp_path / "moved")
    with pytest.raises(EnvironmentLack, match="the remote 'origin' is not there: /"):
        push(clone, {A: b"a"})


def test_a_remote_that_does_not_answer_is_asked_within_bounds(tmp_path: Path) -> None:
    clone = cloned("http://127.0.0.1:9/ada/referee.git", tmp_path / "clone")
    slept: list[float] = []
    with pytest.raises(EnvironmentLack, match=r"the remote 'origin' did not answer: .*, after 5 tries in") as failed:
        push(clone, {A: b"a"}, patience=Patience(sleep=slept.append))
    assert len(slept) == 4 and "\n" not in str(failed.value)


def test_a_hostile_checkout_runs_nothing_and_changes_nothing(bare: BareRepository, clone: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    hooks = clone / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("pre-push", "reference-transaction", "pre-commit", "post-commit", "post-index-change"):
        (hooks / hook).write_bytes(script.read_bytes())
        (hooks / hook).chmod(0o755)
    (clone / ".gitattributes").write_text("* filter=evil text eol=crlf ident\n")
    (clone / ".git/info").mkdir(exist_ok=True)
    (clone / ".git/info/attributes").write_text("* filter=evil working-tree-encoding=UTF-16\n")
    for key, value in {
        "filter.evil.clean": str(script),
        "filter.evil.process": str(script),
        "filter.evil.required": "true",
        "core.fsmonitor": str(script),
        "core.sshCommand": str(script),
        "core.hooksPath": str(hooks),
        "core.alternateRefsCommand": str(script),
        "credential.helper": f"!{script}",
        "gpg.program": str(script),
        "commit.gpgSign": "true",
        "push.gpgSign": "if-asked",
        "remote.origin.uploadpack": str(script),
        "remote.origin.receivepack": str(script),
        "remote.origin.pushurl": "/nowhere",
        "remote.origin.push": "+refs/heads/*:refs/heads/*",
        "remote.origin.mirror": "true",
        "core.autocrlf": "true",
        "user.name": "Eve\nadmin",
        "user.email": "eve@example.org>\n<ada@example.org",
    }.items():
        ours("-C", str(clone), "config", key, value)
    ours("-C", str(clone), "config", "--add", f"url.{tmp_path}/nowhere.insteadOf", str(bare.path))
    state = {path: path.read_bytes() for path in clone.rglob("*") if path.is_file()}
    assert push(clone, {A: b"one\ntwo\n$Id$\n"})
    assert bare.read(BRANCH, str(A)) == b"one\ntwo\n$Id$\n"
    assert not mark.exists()
    assert {path: path.read_bytes() for path in clone.rglob("*") if path.is_file()} == state
    assert bare.git("log", "-1", "--format=%an <%ae>", BRANCH) == "Eve admin <eve@example.org ada@example.org>"


@pytest.mark.parametrize("address", ["ext::sh -c 'touch ran'", "--upload-pack=touch ran", "fd::3", "file:///nowhere"])
def test_an_address_that_would_run_something_runs_nothing(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clone = cloned("x", tmp_path / "clone")
    ours("-C", str(clone), "config", "remote.origin.url", address)
    with pytest.raises(ArgusicError):
        push(clone, {A: b"a"})
    assert list(tmp_path.rglob("ran")) == []


@pytest.mark.parametrize("point", PUSH_POINTS)
def test_who_is_killed_half_way_leaves_nothing_broken(
    bare: BareRepository, clone: Path, tmp_path: Path, point: str
) -> None:
    program = (
        "from pathlib import *; from argusic.github.pushing import push_files; import sys;"
        "push_files(Path(sys.argv[1]), sys.argv[2], {PurePosixPath(sys.argv[3]): b'a'}, 'm', environment={})"
    )
    environment = {**os.environ, FAULT_VARIABLE: point, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program, clone, BRANCH, str(A)], env=environment, check=False)
    assert done.returncode == -9
    assert (bare.read(BRANCH, str(A)) is not None) == (point == "commit-pushed")
    assert (push(clone, {A: b"a"}) is None) == (point == "commit-pushed")
    assert bare.read(BRANCH, str(A)) == b"a"
    assert bare.ask("fsck", "--strict").returncode == 0
    assert ours("-C", str(clone), "status", "--porcelain") == ""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with GitHubServer() as made:
        made.bare.commit("main", {"README": b"here\n", **{f"runs/{number}": b"x" * 9000 for number in range(50)}})
        yield made


@pytest.fixture
def from_github(server: GitHubServer, tmp_path: Path) -> Path:
    return cloned(server.git_url, tmp_path / "clone")


def test_the_token_goes_to_github_alone_and_by_the_environment(
    server: GitHubServer, from_github: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    real = subprocess.run(["which", "git"], capture_output=True, check=True, text=True).stdout.strip()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\necho "$@" "$(cat config 2>/dev/null)" >> {seen}\nexec {real} "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    environment = {**server.environment(), "GITHUB_ACTIONS": "true"}
    assert push(from_github, {A: b"a"}, environment=environment) == server.bare.tip(BRANCH)
    assert "push --quiet" in seen.read_text() and TOKEN not in seen.read_text()
    author = server.bare.git("log", "-1", "--format=%an <%ae>", BRANCH)
    assert author == "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
    for other in ({**environment, "GITHUB_SERVER_URL": "https://github.com"}, {}):
        with pytest.raises(
            EnvironmentLack, match=r"does not let this machine in: .* a token from GH_TOKEN or"
        ) as failed:
            push(from_github, {B: b"b"}, environment=other)
        assert "\n" not in str(failed.value)
    with pytest.raises(EnvironmentLack, match="does not let this machine in") as failed:
        push(from_github, {B: b"b"}, environment={**environment, "GITHUB_TOKEN": "another-token"})
    assert "another-token" not in str(failed.value)


def test_a_branch_that_takes_nothing_is_named_and_not_asked_again(server: GitHubServer, from_github: Path) -> None:
    hook = server.remote / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed.' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(EnvironmentLack, match=r"does not take the commit: .*pre-receive hook declined"):
        push(from_github, {A: b"a"}, environment=server.environment())
    assert server.count("POST", "git-receive-pack") == 1


def test_a_push_whose_answer_was_lost_landed_once(server: GitHubServer, from_github: Path) -> None:
    lost = threading.Event()

    def others(seconds: float) -> None:
        if not lost.is_set():
            lost.set()
            server.bare.commit(BRANCH, {"runs/other": b"x"})

    server.hub.faults.append(Fault("late", "POST", "git-receive-pack", status=502))
    made = push(from_github, {A: b"a"}, environment=server.environment(), patience=Patience(sleep=others))
    assert lost.is_set() and made == server.bare.git("rev-parse", f"{BRANCH}^")
    assert server.bare.git("rev-list", "--count", f"main..{BRANCH}") == "2"


def test_what_the_files_hold_is_not_brought(server: GitHubServer, from_github: Path) -> None:
    push(from_github, {A: b"a"}, environment=server.environment())
    assert server.count("POST", "git-upload-pack") <= 4
    assert server.count() <= 8


@pytest.mark.parametrize(
    "first", ["init", "check-ref-format", "hash-object", "fetch", "ls-tree", "commit-tree", "push"]
)
def test_git_that_comes_to_no_end_at_any_step_says_so(
    server: GitHubServer, from_github: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    ordinary = Git.run

    def slow(self: Git, *arguments: str, **given: Any) -> bytes:
        if arguments[0] == first:
            raise GitTookTooLong(arguments, -1, "no end within 300 seconds")
        return ordinary(self, *arguments, **given)

    monkeypatch.setattr(Git, "run", slow)
    with pytest.raises(EnvironmentLack, match="no end within 300 seconds"):
        push(from_github, {A: b"a"}, environment=server.environment())
    assert server.bare.git("for-each-ref", "--format=%(refname)", f"refs/heads/{BRANCH}") == ""


def test_a_remote_that_answers_nothing_at_all_is_left_at_a_limit(
    server: GitHubServer, from_github: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "_BOUNDS", Bounds(seconds=0.001))
    with pytest.raises(EnvironmentLack, match="no end within"):
        push(from_github, {A: b"a"}, environment=server.environment())
