"""The files that go from job to job, read as what they are: data that another job wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from argusic.database.atomic import write_file
from argusic.errors import InputError, Place
from argusic.records.base import Part
from argusic.records.handing_over import Plan, PlannedJob

P = TypeVar("P", bound=Part)

#: The list of all files in a hand-over, at its top.
LIST_NAME: Final = "hand-over.json"
#: How the path of a file of the evidence store begins in a hand-over.
STORE: Final = "store/"
#: No such file is larger, by far.
_MOST_BYTES: Final = 64 * 1024 * 1024


def store_path(sha256: str) -> str:
    """Return where a file of the evidence store lies in a hand-over."""
    return f"{STORE}{sha256[:2]}/{sha256}"


def read_json(file: Path, model: type[P]) -> P:
    """Read one record that another job wrote.

    Raises:
        InputError: It is not there, or is something else.
    """
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise InputError(f"is larger than {_MOST_BYTES:,} bytes.", place=Place(file))
        return model.model_validate_json(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", place=Place(file)) from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(f"is no {model.__name__}: {first['msg']}.", place=Place(file, field=field)) from None


def write_json(file: Path, record: Part, *, replace: bool = True) -> None:
    """Write one record for another job.

    Raises:
        InputError: It is there already, and is not to be replaced; or its folder is none.
    """
    try:
        write_file(file, as_json(record), replace=replace)
    except (FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise InputError(f"cannot be written: {error.strerror}.", place=Place(file)) from None


def as_json(record: Part) -> bytes:
    """Return a record as the text that another job reads."""
    return json.dumps(record.model_dump(mode="json", by_alias=True), indent=1).encode() + b"\n"


def job_of(plan: Plan, cycle: str, number: str, file: Path) -> PlannedJob:
    """Return a job of a plan.

    Args:
        plan: The plan.
        cycle: The cycle that it must be of.
        number: The job's number.
        file: Where the plan lies, for messages.

    Raises:
        InputError: It is another cycle's plan, or has no such job.
    """
    if plan.cycle != cycle:
        raise InputError(f"is a plan for cycle {plan.cycle}, not for {cycle}.", place=Place(file))
    for job in plan.jobs:
        if job.job == number:
            return job
    raise InputError(f"has no job {number!r}; it has {len(plan.jobs)}.", place=Place(file))


def tell_workflow(plan: Plan, *, keys: bool, environment: Mapping[str, str]) -> bool:
    """Append what later jobs ask of a plan to the outputs of a GitHub Actions step; return whether there are any.

    Everything in them is a number of ours, a label, or an id by the rules for slugs, so that none can end its line or
    mean anything else to a shell.
    """
    include = [_entry(job) for job in plan.jobs]
    return set_outputs(
        environment,
        matrix=json.dumps({"include": include}, separators=(",", ":")),
        count=len(plan.jobs),
        keys="true" if keys else "false",
    )


def set_outputs(environment: Mapping[str, str], **values: str | int) -> bool:
    """Append to the outputs of a GitHub Actions step; return whether there are any.

    Args:
        environment: Where the runner says which file they are in.
        values: The outputs, of one line each, by our own choice of words.
    """
    file = environment.get("GITHUB_OUTPUT")
    if not file:
        return False
    with Path(file).open("a", encoding="utf-8") as output:
        output.write("".join(f"{name}={value}\n" for name, value in values.items()))
    return True


def _entry(job: PlannedJob) -> dict[str, Any]:
    return {
        "job": job.job,
        "runner": list(job.runner),
        "timeout_minutes": job.timeout_minutes,
        "title": f"Attempt {job.job}: {job.subject} by {job.agent}",
    }
