"""`argusic pull check` on pull requests that would do something to whoever checks them."""

from __future__ import annotations

import json
import random
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest

from argusic.cli.context import choose
from argusic.database import laying_out
from argusic.database.cache import RecordCache
from argusic.database.codec import dump
from argusic.database.database import Database, StoredRun
from argusic.database.paths import MANIFEST_FILE, RUN_FILE, run_folder
from argusic.github.checking import Checked, check_commit
from argusic.records.difference import Proposal
from tests.github.proposing import git, linked, made_base, merged
from tests.github_server import GitHubServer
from tests.made_database import make_run, with_evidence
from tests.program import Done, argusic


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a base that no test changes: a pull request is a commit beside it."""
    choose(None)
    return made_base(tmp_path_factory.mktemp("checking").resolve() / "base")


def check(base: Database, merge: str) -> Checked:
    return check_commit(base.root, merge)


def said(checked: Checked) -> list[str]:
    return [str(finding) for finding in checked.findings]


TOP = Path(__file__).parents[2]
EVIL = b"#!/bin/sh\ntouch ran\n"
SUBJECT = "pool/subjects/package/a/a-made0000.yaml"


def test_an_empty_pull_request_changes_nothing(base: Database) -> None:
    checked = check(base, merged(base.root, {}))
    assert (checked.findings, checked.by_this_program) == ((), ())
    assert checked.difference is not None and not checked.difference.counts


def test_no_filter_hook_or_code_that_it_brings_is_run(base: Database, tmp_path: Path) -> None:
    config = base.root / ".git" / "config"
    kept = config.read_text()
    # The clone of whoever checks may well have filters: git-lfs is set up on every runner.
    config.write_text(
        f'{kept}[filter "lfs"]\n\tclean = touch {tmp_path}/ran; cat\n\tsmudge = touch {tmp_path}/ran; cat\n'
        f"\tprocess = touch {tmp_path}/ran\n\trequired = true\n"
    )
    files: dict[str, bytes | tuple[str, str] | None] = {
        ".gitattributes": b"* filter=lfs diff=lfs merge=lfs\n",
        "pool/.gitattributes": b"* filter=lfs\n",
        ".githooks/post-checkout": EVIL,
        "argusic/__init__.py": f"open('{tmp_path}/ran', 'w')\n".encode(),
        "sitecustomize.py": f"open('{tmp_path}/ran', 'w')\n".encode(),
        "conftest.py": f"open('{tmp_path}/ran', 'w')\n".encode(),
    }
    try:
        check(base, merged(base.root, files))
    finally:
        config.write_text(kept)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "attributes", [b"*.yaml working-tree-encoding=UTF-7\n", b"* text eol=crlf\n", b"* ident\n", b"*.yaml -diff\n"]
)
def test_files_are_read_as_the_commit_holds_them_whatever_its_attributes_say(
    base: Database, attributes: bytes, tmp_path: Path
) -> None:
    # In this encoding the plus sign is written as +-, and what is read would not be what is merged.
    text = (base.root / SUBJECT).read_bytes() + b"# 1 + 1 $Id$\n"
    key = b"# AGE-SECRET-KEY-1" + b"Q" * 58 + b"\n"
    files: dict[str, bytes | tuple[str, str] | None] = {".gitattributes": attributes, SUBJECT: text + key}
    commit = laying_out.Commit(base.root, merged(base.root, files))
    database = commit.lay_out(tmp_path / "laid-out")
    assert (database.root / SUBJECT).read_bytes() == text + key
    assert database.git is not None and not database.git.is_dirty()
    assert any("holds a private key of age" in line for line in said(check(base, commit.id)))


def test_a_cache_that_it_brings_is_refused_and_believed_by_nobody(base: Database, tmp_path: Path) -> None:
    stored = next(iter(base.runs()))
    blob = base.listing("runs").blobs[str(stored.path)]
    root = tmp_path / "forged"
    RecordCache(root, base.root).store(type(stored.run), {blob: stored.run.model_copy(update={"commands": 1})})
    (folder,) = root.iterdir()
    files: dict[str, bytes | tuple[str, str] | None] = {
        f".argusic/cache/{folder.name}/cache.sqlite3": (folder / "cache.sqlite3").read_bytes()
    }
    merge = merged(base.root, files)
    (line,) = said(check(base, merge))
    assert line.startswith(".argusic/cache/") and "which each checkout has of its own" in line
    there = tmp_path / "checkout"
    git(base.root, "worktree", "add", "-q", "--detach", str(there), merge)
    try:
        done = argusic(Database(there), "check", "--base", "main", "--annotate")
    finally:
        git(base.root, "worktree", "remove", "--force", str(there))
    assert done.returncode == 1 and "which each checkout has of its own" in done.stdout


@pytest.mark.parametrize("place", ["runs", "pool/cycles", "rules/editions/v1.5.yaml", SUBJECT])
def test_nothing_is_read_through_a_link(base: Database, place: str, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("schema: 1\nsecret: of the machine\n")
    tracked = git(base.root, "ls-files", place).split("\n")
    files: dict[str, bytes | tuple[str, str] | None] = dict.fromkeys(tracked)
    files[place] = linked(base.root, str(tmp_path / "outside.yaml" if place.endswith("yaml") else tmp_path))
    found = said(check(base, merged(base.root, files)))
    assert any("symbolic link" in line for line in found)
    assert not any("of the machine" in line for line in found)


@pytest.mark.parametrize(
    "place",
    [".github/workflows/x.yml", ".github", "docs/methodology.md", "argusic/rules/x.py", "rules/editions/v1.5.yaml"],
)
def test_nothing_is_read_without_end(base: Database, place: str) -> None:
    files: dict[str, bytes | tuple[str, str] | None] = {
        "docs/methodology.md": b"# How\n",
        "rules/harness.yaml": (TOP / "rules/harness.yaml").read_bytes(),
        place: linked(base.root, "/dev" if place == ".github" else "/dev/zero"),
    }
    began = time.process_time()
    check(base, merged(base.root, files))
    assert time.process_time() - began < 5


def test_folders_that_hold_each_other_without_end_are_not_listed(
    base: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laying_out, "MOST_LISTED", 10_000_000)
    tree = git(base.root, "rev-parse", "main:pool")
    for _ in range(12):
        entries = "".join(f"040000 tree {tree}\tf{number}\0" for number in range(10))
        tree = git(base.root, "mktree", "-z", stdin=entries.encode())
    commit = git(base.root, "commit-tree", tree, "-p", "main", "-m", "A bomb")
    began = time.process_time()
    assert said(check(base, commit)) == [".: the commit holds more files than 10,000,000 bytes can name."]
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["pool/" + "x" * 300, ".git/config", "pool/.GIT/hooks/x", "pool/\x7f\\..\\x"])
def test_a_name_that_no_checkout_may_have_is_a_finding(base: Database, name: str) -> None:
    blob = git(base.root, "hash-object", "-w", "--stdin", stdin=b"[core]\n")
    tree, entry = "", f"100644 blob {blob}"
    for part in reversed(name.split("/")):
        tree = git(base.root, "mktree", "-z", stdin=f"{entry}\t{part}\0".encode())
        entry = f"040000 tree {tree}"
    commit = git(base.root, "commit-tree", tree, "-p", "main", "-m", "A name")
    assert check(base, commit).findings


def test_the_methodology_page_is_not_removed(base: Database) -> None:
    assert not check(base, merged(base.root, {"docs/other.md": b"x\n"})).findings
    commit = git(base.root, "rev-parse", merged(base.root, {"docs/methodology.md": b"# How\n"}))
    gone = merged(base.root, {"docs/methodology.md": None}, base=commit)
    assert said(check(base, gone)) == [
        "docs/methodology.md: was removed, and with it what says in words how is measured."
    ]


def test_a_submodule_is_named_and_not_entered(base: Database) -> None:
    main = git(base.root, "rev-parse", "main")
    files: dict[str, bytes | tuple[str, str] | None] = {
        ".gitmodules": b'[submodule "x"]\n\tpath = pool/x\n\turl = ext::sh -c "touch /tmp/ran"\n',
        "pool/x": ("160000", main),
    }
    assert "pool/x: is a folder where a file is tracked; the database holds regular files alone." in said(
        check(base, merged(base.root, files))
    )


def test_what_is_too_large_is_refused_unread(base: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laying_out, "MOST_BYTES", 10_000)
    monkeypatch.setattr(laying_out, "MOST_FILES_CHANGED", 3)
    monkeypatch.setattr(laying_out.Commit, "lay_out", None)
    large: dict[str, bytes | tuple[str, str] | None] = {"pool/README.md": b"x" * 10_001}
    assert said(check(base, merged(base.root, large))) == [
        "pool/README.md: has 10,001 bytes; a file has 10,000 at most."
    ]
    many: dict[str, bytes | tuple[str, str] | None] = {f"pool/{number}": b"x" for number in range(4)}
    assert said(check(base, merged(base.root, many))) == [
        ".: 4 files of 4 bytes changed; one pull request has 3 files and 2,000,000,000 bytes at most."
    ]


@pytest.mark.parametrize(
    ("bomb", "why"),
    [
        (b"a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "uses the anchor"),
        (b"[" * 100_000, "nesting depth"),
        (b"- " * 200_000, "nests deeper than 32 levels"),
        (b"schema: 1\n" + b"a: !!python/object/apply:os.system [id]\n", "uses the tag"),
        (b"schema: 1\ncycle: " + b"9" * 100_000 + b"\n", "a number has 100,000 characters"),
        (b"x" * 16_777_217, "bytes, the most that is read"),
    ],
    ids=["aliases", "brackets", "dashes", "tag", "number", "size"],
)
def test_a_bomb_of_a_file_is_a_finding_in_a_moment(base: Database, bomb: bytes, why: str) -> None:
    began = time.process_time()
    found = said(check(base, merged(base.root, {"pool/cycles/bomb.yaml": bomb})))
    assert any(line.startswith("pool/cycles/bomb.yaml") and why in line for line in found), found
    assert time.process_time() - began < 5


HOSTILE_NAME = "pool/x\n::set-env name=PATH::y ##[add-path]z,line=1::.yaml"


def test_a_name_that_reads_like_a_command_is_text(base: Database) -> None:
    done = printed(base, merged(base.root, {HOSTILE_NAME: b"x\n"}))
    assert done.returncode == 1
    assert all(line.startswith(("::error file=", "::notice::1 found.")) for line in done.stdout.split("\n")[:-1])
    assert "##[" not in done.stdout
    (error,) = [line for line in done.stdout.split("\n") if line.startswith("::error")]
    assert error.startswith("::error file=pool/x%0A%3A%3Aset-env name=PATH%3A%3Ay # #[add-path]z%2Cline=1%3A%3A.yaml")


def test_what_stops_a_check_is_a_finding_and_no_fault(base: Database) -> None:
    edition = (base.root / "rules/editions/v1.5.yaml").read_bytes()
    files: dict[str, bytes | tuple[str, str] | None] = {
        "rules/editions/v1.5.yaml": edition.replace(b"schema: 1", b"schema: 9"),
        "rules/trust/policy.yaml": b"\xff",
        "rules/harness.yaml": b"- \n",
        "rules/evidence.yaml": b"{",
    }
    checked = check(base, merged(base.root, files))
    assert {str(finding.place.file) for finding in checked.findings} >= set(files)
    assert checked.difference is None


def test_of_a_changed_program_what_is_published_stays_an_error_and_its_files_a_warning(base: Database) -> None:
    run = str(next(iter(base.runs())).path)
    files: dict[str, bytes | tuple[str, str] | None] = {
        "argusic/records/new.py": b"# A record that the program of the base has not.\n",
        "rules/new.yaml": b"schema: 1\n",
        run: (base.root / run).read_bytes() + b"# Edited.\n",
    }
    checked = check(base, merged(base.root, files))
    assert any(line.startswith(f"{run}:") and "was edited" in line for line in said(checked))
    assert not any("rules/new.yaml" in line for line in said(checked))
    assert any("rules/new.yaml" in str(finding) for finding in checked.by_this_program)
    done = printed(base, merged(base.root, files))
    assert "::warning::rules/new.yaml" in done.stdout and "::error file=rules/new.yaml" not in done.stdout


@pytest.mark.parametrize(
    "name",
    [
        ".gitattributes", "requirements.lock", ".github/workflows/ci.yml", "tools/lock", "tests/conftest.py",
        "setup.py", "sitecustomize.py", "Argusic/__init__.py", "makefile", ".GitHub/x.md",
        "argusic\u200b/x.py", "docs/site.js",
    ],
)  # fmt: skip
def test_what_builds_or_checks_out_the_program_comes_apart_from_evidence(base: Database, name: str) -> None:
    run = next(iter(base.runs())).run
    path = f"runs/made-00/invalidations/{run.run}.yaml"
    text = f'schema: 1\nrun: {run.run}\ncycle: made-00\nreason: x\nby: ada\nat: "2026-12-01T00:00:00Z"\n'
    found = said(check(base, merged(base.root, {name: b"x\n", path: text.encode()})))
    assert any(line.startswith(f"{name}:1: is code, and runs/made-00/") for line in found), found


@pytest.mark.parametrize(
    "name", ["Runs/made-00/x", "POOL/x.yaml", "rules\u200b/x", "leaderboards./x", "ｒuns/x", ".argusic\u200b/x"]
)
def test_what_some_systems_take_for_a_folder_of_ours_is_refused(base: Database, name: str) -> None:
    (found,) = said(check(base, merged(base.root, {name: b"x\n"})))
    assert "and nothing checks it." in found


def test_a_merge_is_compared_with_what_it_was_merged_into_and_a_branch_with_where_it_left(base: Database) -> None:
    merge = merged(base.root, {"pool/README.md": b"Hello.\n"})
    head = git(base.root, "rev-parse", f"{merge}^2")
    main = git(base.root, "rev-parse", "main")
    of_merge, of_branch = check(base, merge), check(base, head)
    assert (of_merge.head, of_merge.base) == (of_branch.head, of_branch.base) == (head, main)


def test_a_pull_request_of_a_hundred_runs_is_checked_in_seconds(base: Database, tmp_path: Path) -> None:
    here = Database(shutil.copytree(base.root, tmp_path / "base"))
    cycle, chance = here.cycle("made-00"), random.Random(7)
    files: dict[str, bytes | tuple[str, str] | None] = {}
    begin = max(stored.run.finished for stored in here.runs()) + timedelta(hours=1)
    for number in range(100):
        run = make_run(cycle, "package/a-made0000", "first", begin + timedelta(minutes=number), chance)
        folder = run_folder(run.cycle, run.subject, run.agent, run.run)
        (here.root / folder).mkdir(parents=True)
        (here.root / folder / RUN_FILE).write_bytes(dump(run))
        with_evidence(here, StoredRun(folder / RUN_FILE, run))
        for name in (RUN_FILE, MANIFEST_FILE):
            files[f"{folder}/{name}"] = (here.root / folder / name).read_bytes()
    began = time.process_time()
    checked = check(base, merged(base.root, files))
    assert time.process_time() - began < 10
    assert checked.difference is not None and checked.difference.counts["pass rate"] == 1
    assert len([line for line in said(checked) if "coverage" not in line and "audit" not in line]) == 0


def test_the_summary_and_what_the_comment_is_made_of_are_written_also_where_it_fails(
    base: Database, tmp_path: Path
) -> None:
    merge = merged(base.root, {"pool/unknown": b"x\n"})
    summary = tmp_path / "summary.md"
    words = ("pull", "check", merge, "--annotate", "--number", "7", "--to", str(tmp_path / "out"))
    done = argusic(base, *words, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    proposal = Proposal.model_validate_json((tmp_path / "out" / "proposal.json").read_bytes())
    assert (proposal.number, proposal.findings) == (7, 1)
    assert proposal.head == git(base.root, "rev-parse", f"{merge}^2")
    assert "`pool/unknown:1`: `is no file that the database knows" in summary.read_text()
    assert "No board, verdict or count would change." in summary.read_text()


def test_as_json_it_says_the_same(base: Database) -> None:
    done = argusic(base, "pull", "check", merged(base.root, {"pool/unknown": b"x\n"}), "--json")
    told = json.loads(done.stdout)
    assert [finding["file"] for finding in told["findings"]] == ["pool/unknown"]
    assert told["difference"]["counts"] == {}


def test_the_result_is_stated_on_the_commit_that_is_proposed(base: Database) -> None:
    good, bad = merged(base.root, {}), merged(base.root, {"pool/unknown": b"x\n"})
    with GitHubServer() as github:
        for merge in (good, bad):
            git(base.root, "push", "-q", str(github.remote), f"{merge}^2:refs/heads/proposed-{merge}")
            argusic(base, "pull", "check", merge, "--status", "argusic/check", **github.environment())
        stated = [github.statuses(git(base.root, "rev-parse", f"{merge}^2")) for merge in (good, bad)]
    assert [(one["state"], one["context"], one["description"]) for (one,) in stated] == [
        ("success", "argusic/check", "Nothing wrong was found."),
        ("failure", "argusic/check", "1 found."),
    ]


def printed(base: Database, merge: str) -> Done:
    return argusic(base, "pull", "check", merge, "--annotate")
