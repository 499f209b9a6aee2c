"""What is carried into the sandbox to deploy a template: hostile files, parameters, and stacks that need an account."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from argusic.runs.agents.newcomer.cloud import deploy, exercise
from tests.loopback import OnLoopback
from tests.runs.agents.kinds import stand_ins

BUCKET = {"Type": "AWS::S3::Bucket"}
VALUE = "351 wandering albatrosses"


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The stand-in of the cloud behind a socket, its client in reach, and a folder to work in."""
    monkeypatch.chdir(tmp_path)
    client, cloud = ModuleType("boto3"), ModuleType("moto")
    exec(stand_ins.CLIENT, client.__dict__)
    exec(stand_ins.CLOUD, cloud.__dict__)
    monkeypatch.setitem(sys.modules, "boto3", client)
    server = OnLoopback(ThreadingHTTPServer(("127.0.0.1", 0), cloud.Handler))
    with (tmp_path / "log").open("w", encoding="utf-8") as log, server:
        monkeypatch.setattr(sys, "stderr", log)
        yield f"http://127.0.0.1:{server.port}"


def deployed(endpoint: str, text: str, *given: str, sha256: str | None = None) -> int:
    """Deploy a template; return the exit status."""
    Path("t.yaml").write_text(text, encoding="utf-8")
    found = sha256 or hashlib.sha256(text.encode()).hexdigest()
    return deploy.main(["create", endpoint, "s", "t.yaml", found, "log", *given])


def stack(**resources: Any) -> str:
    return json.dumps({"Resources": resources})


def test_what_a_stack_made_is_used_and_the_stack_is_deleted(endpoint: str, capsys: Any) -> None:
    assert deployed(endpoint, stack(Store=BUCKET, Key={"Type": "AWS::KMS::Key"}, Cut={**BUCKET, "Condition": "C"})) == 0
    assert exercise.main(endpoint, VALUE) == 0
    assert deploy.main(["delete", endpoint, "s"]) == 0
    said = capsys.readouterr().out
    assert f"Store (AWS::S3::Bucket): “{VALUE}” went in and came out" in said
    assert "3 of 3 parts that hold things gave back what went in." in said and "DELETE_COMPLETE" in said


def test_what_does_not_come_out_as_it_went_in_is_no_proof(
    endpoint: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVES", "something else")
    assert deployed(endpoint, stack(Store=BUCKET)) == 0
    assert exercise.main(endpoint, VALUE) == 1
    assert "but not out: 'something else'" in capsys.readouterr().out


def test_a_stack_of_things_that_hold_nothing_is_no_proof(endpoint: str) -> None:
    Path("stack.json").write_text('[{"name": "Role", "type": "AWS::IAM::Role", "id": "r"}]')
    assert exercise.main(endpoint, VALUE) == 1


@pytest.mark.parametrize(
    ("resources", "status", "says"),
    [
        ({"Odd": {"Type": "AWS::Odd::Thing"}}, "CREATE_COMPLETE", "nothing of it could be made without an account"),
        (
            {
                "Store": {**BUCKET, "Properties": {"Name": {"Fn::Sub": "x-${Odd.Arn}"}}},
                "Odd": {"Type": "AWS::Odd::Thing"},
            },
            "CREATE_COMPLETE",
            "it needs an account: nothing here can make Odd (AWS::Odd::Thing), which the rest of it refers to",
        ),
        ({"Store": BUCKET}, "ROLLBACK_COMPLETE", "the stack ended as ROLLBACK_COMPLETE: it says no more"),
    ],
)
def test_a_stack_that_is_not_made_whole_says_why(
    endpoint: str, capsys: Any, monkeypatch: pytest.MonkeyPatch, resources: Any, status: str, says: str
) -> None:
    monkeypatch.setenv("STACK", status)
    assert deployed(endpoint, stack(**resources)) == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"error: {says}"


def test_another_file_than_the_one_that_was_handed_in_is_not_sent(endpoint: str, capsys: Any) -> None:
    assert deployed(endpoint, stack(Store=BUCKET), sha256="0" * 64) == 1
    assert "this is not the template that was handed in" in capsys.readouterr().out


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 60)}]\n" for n in range(1, 30))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BOMB, "refers to itself more than 1000 times"),
        ("[" * 5000, "nested deeper than 100 levels"),
        ("{" * 100_000, "cannot be read"),
        ("Resources: !Include other.yaml\n", "Fn::Include has no Type"),
        ("Resources: [", "cannot be read"),
        ("- a list\n", "it has no Resources"),
        ("Resources: {a: !!python/object/apply:os.system [false]}\n", "cannot be read"),
        ("#" * (deploy.MAX_BYTES + 1), "larger than 1000000 bytes"),
    ],
    ids=range(8),
)
def test_a_hostile_template_ends_in_a_sentence(endpoint: str, capsys: Any, text: str, says: str) -> None:
    assert deployed(endpoint, text) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("error: ") and says in said and len(said) < 400


def test_short_forms_of_functions_are_read_as_the_long_ones() -> None:
    found = deploy.read_template(
        "Resources:\n  A: {Type: T, B: !GetAtt X.Arn, C: !Sub ['${Y}-${!no}', {}],"
        " D: !If [c, !Ref Z, !Ref 'AWS::NoValue']}\n"
    )
    assert deploy.references(found) == {"X", "Y", "Z", "AWS::NoValue"}


def test_parameters_get_what_is_told_what_is_allowed_what_conditions_name_or_what_fits(endpoint: str) -> None:
    declared = {
        "Told": {"Type": "String"},
        "Kept": {"Type": "String", "Default": "x"},
        "Listed": {"Type": "String", "AllowedValues": [True, False]},
        "Empty": {"Type": "String"},
        "Count": {"Type": "Number", "MinValue": 3},
        "Network": {"Type": "String", "AllowedPattern": r"\d+\.\d+\.\d+\.\d+/\d+"},
        "Long": {"Type": "String", "MinLength": 30, "MaxLength": 31},
    }
    conditions = {"Missing": {"Fn::Equals": [{"Ref": "Empty"}, ""]}}
    template = {"Parameters": declared, "Conditions": conditions}
    found = deploy.parameters(template, {"Told": "told", "Other": "x"}, endpoint)
    assert found == {
        **{"Told": "told", "Listed": "true", "Empty": "", "Count": "3", "Network": "10.0.0.0/16"},
        "Long": "argusicargusicargusicargusicargusic"[:31],
    }


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"Type": "AWS::Route53::HostedZone::Id"}, "it needs an account: nothing here can give the parameter Zone"),
        ({"Type": "String", "AllowedPattern": "zzz+"}, "a value of the pattern zzz+"),
    ],
)
def test_a_parameter_that_only_an_account_can_give_is_said_to_be_one(declared: Any, says: str) -> None:
    with pytest.raises(deploy.Refused) as refused:
        deploy.parameters({"Parameters": {"Zone": declared}}, {}, "http://127.0.0.1:9")
    assert says in str(refused.value)


def test_a_cloud_that_went_away_is_a_sentence_and_no_traceback(capsys: Any, endpoint: str) -> None:
    assert deployed("http://127.0.0.1:9", stack(Store=BUCKET)) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("error: the stand-in of the cloud did not take it: ")


def test_the_code_of_a_function_lies_beside_its_template(tmp_path: Path) -> None:
    (tmp_path / "t" / "app").mkdir(parents=True)
    (tmp_path / "t" / "app" / "main.py").write_text("x")
    (tmp_path / "t" / "app" / "key").symlink_to("/etc/hostname")
    assert b"main.py" in deploy._zipped(tmp_path / "t", "app/") and b"key" not in deploy._zipped(tmp_path / "t", "app/")
    for away in ("../t2", "/etc", "missing"):
        with pytest.raises(deploy.Refused, match="does not lie beside the template"):
            deploy._zipped(tmp_path / "t", away)
