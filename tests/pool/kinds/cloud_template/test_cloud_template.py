"""Prebuilt cloud templates: looked up, pinned, proved, handed in, from git and from registries, over real sockets."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from argusic.database.database import Database
from argusic.database.paths import subject_path
from argusic.errors import CheckFailed, InputError
from argusic.pool.flavours import FLAVOURS
from argusic.pool.kinds.cloud_template import KIND, CloudTemplateKind
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable
from argusic.pool.templates import MAX_ENTRY
from argusic.records.cycle import PoolEntry
from argusic.records.published import PublishedSource
from argusic.records.sources.cloud_template import EntryFile, Flavour, Pin, Source
from argusic.records.subject import Subject
from argusic.runs.attempt import attempt
from argusic.runs.order import order
from tests.loopback import OnLoopback
from tests.pool.conftest import Index, Said, node_package, sdist
from tests.runs.test_attempt import Bench

HASTY = CloudTemplateKind(pauses=())
STACK = "Resources:\n  Bucket:\n    Type: AWS::S3::Bucket\n"
WORKER = {
    "templates/hello/wrangler.jsonc": '{\n  // The worker.\n  "main": "./src/index.js",\n}\n',
    "templates/hello/src/index.js": 'export default { fetch: () => new Response("Hello") };\n',
}

Git = Callable[..., str]


def subject(found: Resolved) -> Subject:
    return Subject(kind="cloud-template", slug="stack", name=found.name, source=found.source)


def pin_of(found: Resolved) -> Pin:
    assert isinstance(found.pin, Pin)
    return found.pin


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def stacks(tmp_path: Path, git: Git) -> Path:
    """A repository that holds a stack, a link to it, a folder behind a link, and a file of another size."""
    folder = tmp_path / "origin" / "stacks"
    (folder / "aws").mkdir(parents=True)
    (folder / "README.md").write_text("# stacks\n")
    (folder / "aws" / "stack.yaml").write_text(STACK)
    (folder / "link.yaml").symlink_to("aws/stack.yaml")
    (folder / "away").symlink_to("/etc")
    (folder / "large.yaml").write_bytes(b"#" * (MAX_ENTRY + 1))
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_every_flavour_says_what_it_is_and_what_counts() -> None:
    assert set(FLAVOURS) == set(get_args(Flavour))
    mocked = {flavour for flavour, facts in FLAVOURS.items() if "tier2_mock" in facts.counts}
    assert mocked == {"cloudformation", "sam", "worker"}


def test_a_template_of_a_repository_is_pinned_by_commit_and_by_its_own_file(
    stacks: Path, workshop: Said, git: Git, tmp_path: Path
) -> None:
    found = HASTY.resolve(f"template:cloudformation:{stacks}//aws/stack.yaml", workshop.workshop)
    assert found.name == "stacks/stack" and found.languages == ("YAML",)
    assert pin_of(found).commit == git(stacks, "rev-parse", "HEAD")
    assert pin_of(found).files == (EntryFile(path="aws/stack.yaml", sha256=digest(STACK)),)
    cached = HASTY.fetch(subject(found), found.pin, workshop.workshop)
    (tmp_path / "handed").mkdir()
    HASTY.hand_in(subject(found), found.pin, cached, tmp_path / "handed")
    assert (tmp_path / "handed" / "aws" / "stack.yaml").read_text() == STACK


def test_a_template_of_an_archive_of_npm_is_pinned_by_the_commit_that_the_archive_makes(
    workshop: Said, index: Index
) -> None:
    index.publish("create-worker", "1.2.0", node_package("create-worker", "1.2.0", WORKER, license="MIT"))
    found = HASTY.resolve("template:worker:npm:create-worker@1.2.0//templates/hello", workshop.workshop)
    assert (found.name, found.readme, found.licence) == ("create-worker/hello", True, "MIT")
    assert found.languages == ("JavaScript",)
    assert [file.path for file in pin_of(found).files] == list(WORKER)
    assert [file.sha256 for file in pin_of(found).files] == [digest(text) for text in WORKER.values()]
    HASTY.fetch(subject(found), found.pin, workshop.workshop)
    with pytest.raises(PinMismatch, match="makes the commit"):
        HASTY.fetch(subject(found), pin_of(found).model_copy(update={"commit": "2" * 40}), workshop.workshop)


def test_a_template_of_a_python_package_is_taken_from_its_source(workshop: Said, index: Index) -> None:
    index.add("cookie-tmpl", *sdist("cookie-tmpl", "0.2", {"cookiecutter.json": b'{"name": "made"}'}))
    found = HASTY.resolve("template:cookiecutter:cookie-tmpl", workshop.workshop)
    assert isinstance(found.source, Source) and found.source.published is not None
    assert found.source.published.file == "cookie-tmpl-0.2.tar.gz" and found.source.path is None
    assert found.name == "cookie-tmpl"
    assert pin_of(found).files == (EntryFile(path="cookiecutter.json", sha256=digest('{"name": "made"}')),)


def test_pointers_of_git_lfs_are_counted_and_said(stacks: Path, workshop: Said, git: Git) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'9' * 64}\nsize 5\n"
    (stacks / "aws" / "picture.png").write_text(pointer)
    git(stacks, "add", ".")
    git(stacks, "commit", "--quiet", "-m", "a picture")
    found = HASTY.resolve(f"template:sam:{stacks}//aws/stack.yaml", workshop.workshop)
    assert pin_of(found).pointers == 1 and "pointer" in found.notes[0]
    HASTY.fetch(subject(found), found.pin, workshop.workshop)


#: What a user may write, and what is said to it.
MISTAKES = [
    ("cloudformation:{}//aws/missing.yaml", "no file of a template at aws/missing.yaml"),
    ("cloudformation:{}", "no file of a template at the top"),
    ("cloudformation:{}//link.yaml", "no file of a template at link.yaml"),
    ("cloudformation:{}//away/hostname", "no file of a template at away/hostname"),
    ("cloudformation:{}//large.yaml", "no file of a template at large.yaml"),
    ("cloudformation:{}//aws", "no file of a template at aws"),
    ("cloudformation:{}//aws/../../secret", "without '.', '..'"),
    ("cloudformation:{}//.git/config", "without '.', '..' and '.git'"),
    ("cloudformation:{}//aws/\x1b[2J", "control characters"),
    ("worker:{}//aws", "no wrangler.jsonc or wrangler.json or wrangler.toml in aws"),
    ("cookiecutter:{}", "no cookiecutter.json in the top of its files"),
    ("sam:not a thing", "neither a git address, nor a folder here, nor a package's name"),
]


def test_what_is_no_template_is_the_users_mistake(stacks: Path, workshop: Said) -> None:
    for target, message in MISTAKES:
        with pytest.raises(InputError, match=message):
            HASTY.resolve(f"template:{target.format(stacks)}", workshop.workshop)


@pytest.mark.parametrize(
    "target", ["cloudformation:npm:a//b", "template:terraform:npm:a//b", "template:sam:", "cowsay"]
)
def test_anything_else_is_of_other_kinds(target: str) -> None:
    assert not KIND.recognises(target)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"url": "https://h.example/o/n.git", "path": "../x"},
        {"url": "https://h.example/o/n.git", "path": "/etc/passwd"},
        {"url": "https://token@h.example/o/n.git"},
        {"url": "https://h.example/o/n.git", "flavour": "terraform"},
    ],
)
def test_a_source_is_one_place_and_a_path_inside_it(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Source.model_validate({"kind": "cloud-template", "flavour": "sam", **fields})


def test_a_pin_names_each_of_its_files_once() -> None:
    file = EntryFile(path="a.yaml", sha256="0" * 64)
    for files in ((), (file, file)):
        with pytest.raises(ValidationError, match="at least one entry file, and each once"):
            Pin(commit="0" * 40, files=files)


def test_another_file_than_the_pinned_one_is_refused_before_it_is_handed_in(
    stacks: Path, workshop: Said, tmp_path: Path
) -> None:
    found = HASTY.resolve(f"template:sam:{stacks}//aws/stack.yaml", workshop.workshop)
    cached = HASTY.fetch(subject(found), found.pin, workshop.workshop)
    (tmp_path / "handed").mkdir()
    for path in ("aws/stack.yaml", "link.yaml", "aws/missing.yaml"):
        wrong = pin_of(found).model_copy(update={"files": (EntryFile(path=path, sha256="1" * 64),)})
        with pytest.raises(PinMismatch, match=path):
            HASTY.fetch(subject(found), wrong, workshop.workshop)
    with pytest.raises(PinMismatch, match="missing"):
        HASTY.hand_in(subject(found), wrong, cached, tmp_path / "handed")


class _Answers(BaseHTTPRequestHandler):
    """A git server that is down, or ends in the middle of what it says."""

    cut = False

    def do_GET(self) -> None:
        self.send_response(200 if self.cut else 503)
        self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
        self.send_header("Content-Length", "4000")
        self.end_headers()
        self.wfile.write(b"001e# service=git-upload-pack\n0000015b")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def place(how: str) -> Iterator[str]:
    """Give the address of a git server that does not serve."""
    if how == "refused":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            yield f"http://127.0.0.1:{free.getsockname()[1]}/o/n.git"
        return
    handler = type("Handler", (_Answers,), {"cut": how == "cut off"})
    with OnLoopback(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.port}/o/n.git"


@pytest.mark.parametrize("how", ["refused", "503", "cut off"])
def test_a_git_server_that_does_not_serve_makes_a_template_unavailable(workshop: Said, how: str) -> None:
    with place(how) as address:
        with pytest.raises(SubjectUnavailable):
            HASTY.resolve(f"template:sam:{address}//template.yaml", workshop.workshop)
        one = Subject(kind="cloud-template", slug="s", name="s", source=Source(flavour="sam", url=address))
        with pytest.raises(SubjectUnavailable):
            HASTY.fetch(one, Pin(commit="0" * 40, files=(EntryFile(path="t", sha256="0" * 64),)), workshop.workshop)


def test_a_registry_that_is_down_makes_a_template_unavailable(workshop: Said, index: Index) -> None:
    index.status = 503
    source = Source(
        flavour="worker",
        published=PublishedSource(
            ecosystem="npm", name="create-worker", version="1.2.0", file="create-worker-1.2.0.tgz", sha256="0" * 64
        ),
    )
    one = Subject(kind="cloud-template", slug="s", name="s", source=source)
    with pytest.raises(SubjectUnavailable):
        HASTY.fetch(one, Pin(commit="0" * 40, files=(EntryFile(path="t", sha256="0" * 64),)), workshop.workshop)


@pytest.mark.parametrize("flavour", list(get_args(Flavour)))
def test_the_task_says_what_it_is_where_it_lies_and_what_its_files_are(flavour: Flavour) -> None:
    source = Source(flavour=flavour, url="https://host.example/o/n.git", path="aws/stack.yaml")
    one = Subject(kind="cloud-template", slug="s", name="n/stack", source=source)
    task = KIND.task(one, Pin(commit="6" * 40, files=(EntryFile(path="aws/stack.yaml", sha256="7" * 64),)))
    assert f"Flavour: {flavour}\n" in task and "Template: /root/subject/aws/stack.yaml\n" in task
    assert f"  {'7' * 64}  /root/subject/aws/stack.yaml\n" in task
    assert "A template that was patched first, or rewritten, does not count." in task
    assert max(len(line) for line in task.splitlines()) < 130


@pytest.mark.sandbox
def test_a_template_that_is_not_what_was_pinned_leaves_no_run(
    small_database: Callable[..., Database], stacks: Path, git: Git
) -> None:
    pin = Pin(commit=git(stacks, "rev-parse", "HEAD"), files=(EntryFile(path="aws/stack.yaml", sha256="8" * 64),))
    one = Subject(kind="cloud-template", slug="stack", name="stack", source=Source(flavour="sam", url=str(stacks)))
    bench = Bench(small_database(subjects=(PoolEntry(subject=one.ref, pin=pin),)))
    bench.database.write(subject_path("cloud-template", "stack"), one)
    made = order(bench.database, bench.database.cycle("small"), one.ref, "newcomer")
    ran: list[bool] = []
    with pytest.raises(CheckFailed, match="Nothing was run"):
        attempt(bench.equipment(lambda session, mission: ran.append(True)), made)
    assert ran == [] and list(bench.database.runs()) == []
