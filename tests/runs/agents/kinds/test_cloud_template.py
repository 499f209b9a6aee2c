"""The newcomer's way with prebuilt cloud templates: deployed as handed in, used, and never claimed beyond that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from argusic.pool.kinds.cloud_template import KIND
from argusic.records.report import Report
from argusic.records.sources.cloud_template import EntryFile, Flavour, Pin, Source
from argusic.records.subject import Subject
from argusic.runs.agents.newcomer.cloud import stack as stack_module
from argusic.runs.agents.newcomer.cloud.brief import read_brief
from argusic.runs.agents.newcomer.cloud.promises import binds, blanks, literals
from argusic.runs.agents.newcomer.cloud.stack import documented_values
from argusic.runs.session import Mission
from argusic.sandbox.protocol import SUBJECT_FOLDER
from tests.conftest import git
from tests.runs.agents.conftest import ShellSession, lay
from tests.runs.agents.kinds import stand_ins
from tests.runs.agents.test_newcomer_honesty import live

BUCKET = {"Type": "AWS::S3::Bucket"}
WORKER = {
    "wrangler.jsonc": '{\n  "name": "hello",\n  "main": "src/index.js",\n}\n',
    "package.json": '{"name": "hello", "type": "module", "scripts": {"dev": "node runtime.mjs"}}',
    "runtime.mjs": stand_ins.RUNTIME,
    "src/index.js": "export default { fetch: () => new Response(`Hello, ${'albatross'}es!`) };\n",
    "test/index.spec.js": 'expect(await response.text()).toBe("Hello, albatrosses!");\n',
}
Live = Callable[..., Report]


@pytest.fixture
def lived(mission: Mission, tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    """Let the newcomer live its day on a template: its flavour, its files, its place, its own files."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(stand_ins.wheels(tmp_path / "wheels")))

    def day(flavour: Flavour, files: dict[str, str], path: str | None, own: tuple[str, ...]) -> Report:
        subject = Path(mission.subject_folder)
        for name, text in files.items():
            (subject / name).parent.mkdir(parents=True, exist_ok=True)
            (subject / name).write_text(text)
        git(subject, "init", "--quiet")
        git(subject, "add", ".")
        git(subject, "commit", "--quiet", "-m", "handed in")
        entries = tuple(EntryFile(path=one, sha256=hashlib.sha256(files[one].encode()).hexdigest()) for one in own)
        source = Source(flavour=flavour, url="https://host.example/o/n.git", path=path)
        template = Subject(kind="cloud-template", slug="one", name="one", source=source)
        task = KIND.task(template, Pin(commit="0" * 40, files=entries)).replace(SUBJECT_FOLDER, str(subject))
        lay(environment, subject.parent / "generator")
        session = ShellSession(subject.parent, environment=lambda: environment)
        return live(session, replace(mission, kind="cloud-template", task=task))

    return day


def stack(**resources: object) -> str:
    return json.dumps({"Description": "A stack.", "Resources": resources})


def test_a_stack_is_deployed_as_its_file_stands_and_what_it_made_is_used(lived: Live) -> None:
    files = {"a/stack.json": stack(Store=BUCKET, Rule={"Type": "AWS::S3::BucketPolicy"}), "README.md": "# Stacks\n"}
    report = lived("cloudformation", files, "a/stack.json", ("a/stack.json",))
    assert report.installed and report.launched and report.errors == ()
    assert report.test_depth == "tier2_mock"
    assert "1 of 2 resources were made" in report.final_state and "AWS::S3::BucketPolicy" in report.final_state
    assert "Store (AWS::S3::Bucket): “351 wandering albatrosses” went in and came out" in str(report.verified_how)


@pytest.mark.endurance
def test_a_stack_that_needs_an_account_is_not_launched_and_the_report_says_why(lived: Live) -> None:
    held = {**BUCKET, "Properties": {"BucketName": {"Ref": "Odd"}}}
    report = lived("sam", {"t.json": stack(Store=held, Odd={"Type": "AWS::Odd::Thing"})}, "t.json", ("t.json",))
    assert report.installed and not report.launched and report.test_depth == "tier3_none"
    assert [error.what for error in report.errors or ()] == [
        "deploying the template: it needs an account: error: it needs an account: nothing here can make Odd "
        "(AWS::Odd::Thing), which the rest of it refers to"
    ]


@pytest.mark.endurance
def test_a_cloud_that_never_listens_is_the_attempts_failure(lived: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_CLOUD", "never")
    monkeypatch.setattr(stack_module, "_COMES_UP", 3)
    report = lived("cloudformation", {"t.json": stack(Store=BUCKET)}, "t.json", ("t.json",))
    assert not report.installed and not report.launched
    assert "What stopped it: the stand-in of the cloud: it did not come up." in report.final_state


def test_a_worker_serves_what_its_own_tests_promise(lived: Live) -> None:
    report = lived("worker", WORKER, None, ("wrangler.jsonc", "src/index.js"))
    assert report.installed and report.launched and report.test_depth == "tier1_real" and report.errors == ()
    assert "It serves “Hello, albatrosses!”, which its own tests promise." in report.final_state


def blank(binding: str = "") -> dict[str, str]:
    """Return a worker with blanks, and the program that fills them in."""
    inside = {f"templates/hello/js/{name}": text for name, text in WORKER.items()}
    inside["templates/hello/js/wrangler.jsonc"] = (
        f'{{\n  "name": "<WORKER_NAME>",\n{binding}  "main": "src/index.js",\n}}\n'
    )
    own = {"package.json": '{"name": "create-one", "bin": "./bin/c.mjs"}', "bin/c.mjs": stand_ins.GENERATOR}
    return {**inside, **own, "README.md": "# create-one\n"}


OWN = ("templates/hello/js/wrangler.jsonc", "templates/hello/js/src/index.js")


@pytest.mark.endurance
def test_blanks_are_filled_in_by_the_vendors_program_and_what_the_runtime_simulates_is_a_mock(lived: Live) -> None:
    report = lived("worker", blank('  "kv_namespaces": [{"binding": "KV"}],\n'), "templates/hello/js", OWN)
    assert report.installed and report.launched and report.test_depth == "tier2_mock"


@pytest.mark.endurance
def test_a_worker_whose_code_was_changed_on_the_way_is_not_installed(
    lived: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {"bin/c.mjs": stand_ins.GENERATOR.replace("process.env.PATCHES", "true")}
    report = lived("worker", {**blank(), **changed}, "templates/hello/js", OWN)
    assert not report.installed and not report.launched
    assert "finding the template's own code in what was made" in (report.errors or ())[0].what


COOKIE = {
    "cookiecutter.json": '{"name": "tern"}',
    "{{cookiecutter.name}}/package.json": json.dumps(
        {"name": "{{cookiecutter.name}}", "scripts": {"test": "node --test --test-reporter=tap"}}
    ),
    "{{cookiecutter.name}}/{{cookiecutter.name}}.test.mjs": (
        'import test from "node:test";\nimport assert from "node:assert";\n'
        'test("flies", () => assert.equal(350 + 1, 351));\n'
    ),
    "{{cookiecutter.name}}/README.md": "# {{cookiecutter.name}}\n",
}


@pytest.mark.endurance
def test_a_project_is_made_of_a_cookiecutter_and_worked_on(lived: Live) -> None:
    report = lived("cookiecutter", COOKIE, None, ("cookiecutter.json",))
    assert "cookiecutter made “tern” of the unchanged template" in report.final_state
    assert report.launched and report.test_depth == "tier1_real"
    assert "1 of its tests passed and none failed" in report.final_state


@pytest.mark.endurance
@pytest.mark.parametrize(
    ("hook", "says"),
    [
        ("raise SystemExit('Set the API key first')", "making a project of the template: it needs an account: "),
        ("open('../../subject/cookiecutter.json', 'a').write(' ')", "finding the template as it was handed in"),
    ],
)
def test_a_hook_that_fails_or_changes_the_template_is_the_attempts_failure(lived: Live, hook: str, says: str) -> None:
    report = lived("cookiecutter", {**COOKIE, "hooks/post_gen_project.py": hook}, None, ("cookiecutter.json",))
    assert not report.installed and (report.errors or ())[0].what.startswith(says)


def test_services_without_an_engine_are_a_failure_that_is_reported(lived: Live) -> None:
    report = lived("compose", {"c/compose.yaml": "services: {}\n"}, "c/compose.yaml", ("c/compose.yaml",))
    assert not report.launched and (report.errors or ())[0].what.startswith("starting its services: ")


def test_a_task_that_names_no_template_is_not_guessed_at() -> None:
    assert read_brief("Flavour: sam\nTemplate: /root/subject/t.yaml\n", "/root/subject") is None


def test_what_documentation_gives_parameters_is_what_they_get() -> None:
    text = (
        "aws cloudformation create-stack --parameters ParameterKey=Size,ParameterValue=t3.micro\n"
        "sam deploy --parameter-overrides Name=one \\\n  Size=large Mail=a@b.example\n"
    )
    assert documented_values(text) == {"Size": "t3.micro", "Name": "one", "Mail": "a@b.example"}


def test_promises_are_the_texts_that_are_expected_or_answered() -> None:
    tests = (
        'it("says Hello to all", () => {\n  expect(text).toMatchInlineSnapshot(`"Hello World!"`);\n  run("other");\n'
    )
    assert literals(tests) == ("Hello World!",)
    assert literals("return new Response('Bye');") == ("Bye",)
    assert blanks('"name": "<WORKER_NAME>"') and not blanks('"name": "a"')
    assert binds('  "queues": {\n  "main": "a"') == ("queues",)
    assert binds('[[kv_namespaces]]\nname = "queues"\n[d1_databases.x]\n') == ("d1_databases", "kv_namespaces")
