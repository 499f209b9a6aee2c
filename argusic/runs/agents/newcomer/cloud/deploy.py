"""Deploy a template of CloudFormation, as its file stands, to a server that stands in for the cloud.

Usage: python deploy.py create ENDPOINT STACK TEMPLATE SHA256 LOG [NAME=VALUE ...]
       python deploy.py delete ENDPOINT STACK

`create` sends the file whose digest is SHA256 and no other. Parameters without a default get the values that are given,
else values made of their own constraints. What was made goes to stack.json; LOG is what the server writes, where it
says which resources it knows nothing of. A SAM template is sent as AWS's own library transforms it. Carried into the
sandbox as it is: it needs boto3 and PyYAML, and aws-sam-translator for a SAM template.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
import re
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

#: What CloudFormation takes at most, and how deep a file may be nested and how often it may refer to a part of itself.
MAX_BYTES, MAX_DEPTH, MAX_ALIASES = 1_000_000, 100, 1000
#: How long a stack may take, in seconds, and how large the code of a function may be.
PATIENCE, MAX_CODE = 300, 50_000_000
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]
SERVERLESS = "AWS::Serverless-2016-10-31"
#: What a parameter's pattern may ask for: names, words with signs, networks, numbers, regions, addresses, paths.
WORDS = ["argusic", "argusic1", "Argusic-1", "Argusic1!x", "10.0.0.0/16", "10.0.0.0/24", "10.0.0.1", "1", "/argusic"]
WORDS += ["123456789012", "us-east-1", "t3.micro", "example.com", "someone@example.com", "https://example.com/", "true"]
#: Where a value can be had that an account has from its beginning: the service, what lists it, and its name there.
HELD = {
    "AWS::EC2::VPC::Id": ("describe_vpcs", "Vpcs", "VpcId"),
    "AWS::EC2::Subnet::Id": ("describe_subnets", "Subnets", "SubnetId"),
    "AWS::EC2::SecurityGroup::Id": ("describe_security_groups", "SecurityGroups", "GroupId"),
    "AWS::EC2::Image::Id": ("describe_images", "Images", "ImageId"),
    "AWS::EC2::AvailabilityZone::Name": ("describe_availability_zones", "AvailabilityZones", "ZoneName"),
}


class Refused(Exception):
    """Why the template is not deployed, in a sentence."""


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def client(service: str, endpoint: str) -> Any:
    """Return a client of a service of the server, past every proxy, with keys that are nobody's."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    boto3 = importlib.import_module("boto3")
    return boto3.client(service, endpoint_url=endpoint, region_name="us-east-1", **keys)


def read_template(text: str) -> dict[str, Any]:
    """Return a template as plain data: short forms of functions as the long ones.

    Raises:
        Refused: It is no template, or one that nobody writes.
    """
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else _read_yaml(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the template cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(found, dict) or not isinstance(found.get("Resources"), dict):
        raise Refused("the file is no template: it has no Resources")
    for name, resource in found["Resources"].items():
        if not isinstance(resource, dict) or not isinstance(resource.get("Type"), str):
            raise Refused(f"the file is no template: its resource {str(name)[:100]} has no Type")
    return found


def _read_yaml(text: str) -> Any:
    yaml = importlib.import_module("yaml")

    def function(loader: Any, suffix: str, node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            value: Any = loader.construct_scalar(node)
        elif isinstance(node, yaml.SequenceNode):
            value = loader.construct_sequence(node, deep=True)
        else:
            value = loader.construct_mapping(node, deep=True)
        return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}

    loader: Any = type("Loader", (yaml.SafeLoader,), {})
    loader.add_multi_constructor("!", function)
    try:
        depth = aliases = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            aliases += isinstance(event, yaml.AliasEvent)
            if depth > MAX_DEPTH or aliases > MAX_ALIASES:
                what = f"is nested deeper than {MAX_DEPTH} levels or refers to itself more than {MAX_ALIASES} times"
                raise Refused(f"the template {what}")
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, TypeError) as error:
        raise ValueError(str(error)) from error


def references(node: Any) -> set[str]:
    """Return the names that a piece of a template refers to. A piece that stands in many places is read once."""
    found: set[str] = set()
    waiting, seen = [node], set()
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, (dict, list)):
            if id(piece) in seen:
                continue
            seen.add(id(piece))
        if isinstance(piece, dict):
            for key, value in piece.items():
                if key == "Ref" and isinstance(value, str):
                    found.add(value)
                elif key == "Fn::GetAtt":
                    found.add(str(value if isinstance(value, str) else (value or [""])[0]).split(".")[0])
                elif key == "Fn::Sub":
                    text = value if isinstance(value, str) else (value or [""])[0]
                    found |= {name.split(".")[0] for name in re.findall(r"\$\{([^!}]+)\}", str(text))}
            waiting += piece.values()
        elif isinstance(piece, list):
            waiting += piece
    return found


def compared(template: dict[str, Any], name: str) -> list[str]:
    """Return the values that the conditions of a template compare a parameter with, the shortest first."""
    found: list[str] = []
    waiting: list[Any] = [template.get("Conditions")]
    while waiting and len(found) < 100:
        piece = waiting.pop()
        if isinstance(piece, dict):
            sides = piece.get("Fn::Equals")
            if isinstance(sides, list) and {"Ref": name} in sides:
                found += [side for side in sides if isinstance(side, str)]
            waiting += piece.values()
        elif isinstance(piece, list):
            waiting += piece
    return sorted(found, key=len)


def value_for(name: str, declared: dict[str, Any], told: list[str], endpoint: str) -> str:
    """Return a value for a parameter that has no default.

    Raises:
        Refused: Nothing here can give it one.
    """
    kind = str(declared.get("Type", "String"))
    one = re.sub(r"^List<(.*)>$", r"\1", kind)
    if declared.get("AllowedValues"):
        return _spelled(declared["AllowedValues"][0])
    if one in HELD:
        listing, many, field = HELD[one]
        held = getattr(client("ec2", endpoint), listing)()[many]
        if held:
            return str(held[0][field])
    if one == "Number":
        return str(declared.get("MinValue", min(1, declared.get("MaxValue", 1))))
    if one not in ("String", "CommaDelimitedList"):
        raise Refused(f"it needs an account: nothing here can give the parameter {name} ({kind}) a value")
    least, most = int(declared.get("MinLength", 0)), min(int(declared.get("MaxLength", 4096)), 4096)
    pattern = str(declared.get("AllowedPattern", ".*"))
    long = "argusic" * (least // 7 + 1)
    for word in (*told, *WORDS, long[:most], long[:least]):
        if least <= len(word) <= most and re.fullmatch(pattern, word):
            return word
    raise Refused(f"nothing here can give the parameter {name} a value of the pattern {pattern[:100]}")


def parameters(template: dict[str, Any], given: dict[str, str], endpoint: str) -> dict[str, str]:
    """Return the values of all parameters that need one."""
    declared = template.get("Parameters") or {}
    if not isinstance(declared, dict):
        raise Refused("its Parameters are no list of names")
    found = {name: value for name, value in given.items() if name in declared}
    for name, says in declared.items():
        if name not in found and isinstance(says, dict) and "Default" not in says:
            found[name] = value_for(name, says, compared(template, name), endpoint)
    return found


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def transformed(template: dict[str, Any], file: Path, endpoint: str) -> str:
    """Return a SAM template as AWS's own library transforms it, the code of its functions uploaded."""
    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    bucket = None
    shared = ((template.get("Globals") or {}).get("Function") or {}).get("CodeUri")
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties") or {}
        code = properties.get("CodeUri", shared)
        if resource.get("Type") != "AWS::Serverless::Function" or "InlineCode" in properties:
            continue
        if isinstance(code, str) and not code.startswith("s3://"):
            bucket = bucket or _bucket(endpoint)
            content = _zipped(file.parent, code)
            client("s3", endpoint).put_object(Bucket=bucket, Key=f"{name}.zip", Body=content)
            properties["CodeUri"] = {"Bucket": bucket, "Key": f"{name}.zip"}
            say(f"packaged  {name}: {len(content)} bytes of {code}")
    transform = importlib.import_module("samtranslator.translator.transform").transform
    policies = type("Policies", (), {"load": lambda self: {}})()
    return json.dumps(transform(template, {}, policies))


def _bucket(endpoint: str) -> str:
    client("s3", endpoint).create_bucket(Bucket="argusic-code")
    return "argusic-code"


def _zipped(folder: Path, code: str) -> bytes:
    """Return a folder of code as a ZIP archive. Links are left out, and no path leads out of the template's folder."""
    top = (folder / code).resolve()
    if not top.is_relative_to(folder.resolve()) or not top.exists():
        raise Refused(f"the code {code} does not lie beside the template")
    data = io.BytesIO()
    size = 0
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(top.rglob("*") if top.is_dir() else [top]):
            if path.is_file() and not path.is_symlink():
                size += path.stat().st_size
                if size > MAX_CODE:
                    raise Refused(f"the code {code} is larger than {MAX_CODE} bytes")
                archive.write(path, path.relative_to(top if top.is_dir() else top.parent))
    return data.getvalue()


def create(endpoint: str, stack: str, file: Path, sha256: str, log: Path, given: dict[str, str]) -> None:
    """Make the stack, and say what became of it.

    Raises:
        Refused: It was not made, or lacks something that the rest of it needs.
    """
    body = file.read_bytes()
    found = hashlib.sha256(body).hexdigest()
    say(f"template  sha256 {found}, {len(body)} bytes")
    if found != sha256:
        raise Refused(f"this is not the template that was handed in, whose sha256 is {sha256}")
    if len(body) > MAX_BYTES:
        raise Refused(f"it is larger than {MAX_BYTES} bytes, the most that CloudFormation takes")
    sent = body.decode("utf-8", "replace")
    template = read_template(sent)
    values = parameters(template, given, endpoint)
    for name, value in values.items():
        say(f"parameter {name} = {value}")
    if SERVERLESS in (template.get("Transform") or ()):
        sent = transformed(template, file, endpoint)
        template = json.loads(sent)
    cloud = client("cloudformation", endpoint)
    chosen = [{"ParameterKey": name, "ParameterValue": value} for name, value in values.items()]
    cloud.create_stack(StackName=stack, TemplateBody=sent, Parameters=chosen, Capabilities=CAPABILITIES)
    end = time.monotonic() + PATIENCE
    while (state := _state(cloud, stack))["StackStatus"].endswith("_IN_PROGRESS") and time.monotonic() < end:
        time.sleep(1)
    say(f"stack     {state['StackStatus']}")
    if state["StackStatus"] != "CREATE_COMPLETE":
        raise Refused(f"the stack ended as {state['StackStatus']}: {state.get('StackStatusReason', 'it says no more')}")
    for output in state.get("Outputs") or ():
        say(f"output    {output['OutputKey']} = {output['OutputValue']}")
    _tell(cloud, stack, template, log)


def _state(cloud: Any, stack: str) -> Any:
    return cloud.describe_stacks(StackName=stack)["Stacks"][0]


def _tell(cloud: Any, stack: str, template: dict[str, Any], log: Path) -> None:
    """Say which resources were made, and refuse the stack where one is missing that something refers to."""
    said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    unknown = set(re.findall(r"No Moto CloudFormation support for ([\w:]+)", said))
    listed = {
        row["LogicalResourceId"]: row for row in cloud.list_stack_resources(StackName=stack)["StackResourceSummaries"]
    }
    made, missing = [], []
    for name, declared in template["Resources"].items():
        kind = str(declared.get("Type"))
        row = listed.get(name) or {}
        if row.get("PhysicalResourceId"):
            say(f"made      {name} ({kind})")
            made.append({"name": name, "type": kind, "id": row["PhysicalResourceId"]})
        elif kind in unknown or "Condition" not in declared:
            say(f"missing   {name} ({kind}): the stand-in of the cloud has no such thing")
            missing.append(name)
        else:
            say(f"left out  {name} ({kind}): its condition is not met")
    Path("stack.json").write_text(json.dumps(made), encoding="utf-8")
    say(f"{len(made)} of {len(made) + len(missing)} resources were made.")
    if not made:
        raise Refused("nothing of it could be made without an account")
    needed = references(template.get("Outputs")) | references([template["Resources"][one["name"]] for one in made])
    lacks = [f"{name} ({template['Resources'][name].get('Type')})" for name in missing if name in needed]
    if lacks:
        raise Refused(f"it needs an account: nothing here can make {', '.join(lacks)}, which the rest of it refers to")


def delete(endpoint: str, stack: str) -> None:
    """Delete the stack."""
    cloud = client("cloudformation", endpoint)
    cloud.delete_stack(StackName=stack)
    left = [row["StackStatus"] for row in cloud.describe_stacks()["Stacks"] if row["StackName"] == stack]
    say(f"stack     {left[0] if left else 'DELETE_COMPLETE'}")
    if left and left[0] != "DELETE_COMPLETE":
        raise Refused(f"the stack was not deleted: {left[0]}")


def _broke(log: Path) -> str | None:
    """Return the error that the server itself ended a request with, which it writes after its answer."""
    time.sleep(1)
    found = re.findall(r"^\w+(?:Error|Exception)\b.*", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    return f"it broke with {found[-1][:200]}" if found else None


def main(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit status."""
    try:
        if arguments[0] == "create":
            _, endpoint, stack, file, sha256, log, *given = arguments
            create(endpoint, stack, Path(file), sha256, Path(log), dict(one.split("=", 1) for one in given))
        else:
            delete(*arguments[1:])
    except Refused as refused:
        say(f"error: {refused}")
        return 1
    except Exception as error:
        broke = _broke(Path(arguments[5])) if len(arguments) > 5 and "Internal Server Error" in str(error) else None
        what = broke or " ".join(f"{type(error).__name__}: {error}".split())[:300]
        say(f"error: the stand-in of the cloud did not take it: {what}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
