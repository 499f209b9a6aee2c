"""What is really configured, by address: editions, cycles, workflows and the running program."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType

from argusic.database.codec import parse
from argusic.database.database import Database
from argusic.database.locating import composed, line_in
from argusic.database.paths import cycle_path, edition_path
from argusic.records import cycle as cycle_module
from argusic.records.base import Part
from argusic.records.cycle import Conditions, Cycle
from argusic.records.edition import Edition
from argusic.referee.methodology.reading import Value
from argusic.rules import reading as reading_module

#: Where workflows lie, from the top of the repository.
WORKFLOWS = PurePosixPath(".github/workflows")
#: The fields of an edition that are no rules: what it is called, and its place in the changelog.
_ABOUT = frozenset(
    [
        "schema_version",
        "edition",
        "decided",
        "written",
        "planned",
        "earlier_runs",
        "corrects_description",
        "scoring_changed",
        "changelog",
    ]
)
#: A limit that a plan makes of the budgets of its attempts (`argusic.runs.jobs.times`), longer than each of them.
_PLANNED = "${{ matrix.timeout_minutes }}"
_RUNS_ATTEMPTS = re.compile(r"\bargusic (?:attempt|cycle run)\b")


@dataclass(frozen=True)
class Configured:
    """A value where it is configured.

    Attributes:
        file: The file, from the top of the repository.
        figure: The steps to it in the file, with slashes between.
        value: The value.
        line: Its line in the file, or the line of what it would stand in; None where that is not known.
    """

    file: PurePosixPath
    figure: str
    value: Value
    line: int | None

    @property
    def address(self) -> str:
        """Its address."""
        return f"{self.file}#{self.figure}"

    @property
    def place(self) -> str:
        """Where it stands, as an error names it."""
        return f"{self.file}:{self.line}" if self.line else str(self.file)


@dataclass(frozen=True)
class Job:
    """A job of a workflow: its time limit, and whether it makes attempts."""

    limit: Configured
    makes_attempts: bool


def rules_of(edition: Edition) -> dict[str, Value]:
    """Return every rule that an edition states, by its steps; a rule that it does not have is None."""
    found: dict[str, Value] = {}
    for field, info in type(edition).model_fields.items():
        if field not in _ABOUT:
            found |= _leaves(field, getattr(edition, field), info.annotation)
    return found


def _leaves(name: str, value: object, annotation: object) -> dict[str, Value]:
    model = _model(annotation)
    if model is None:
        assert value is None or isinstance(value, int | float | str), f"{name} is no single value"
        return {name: value}
    found: dict[str, Value] = {}
    for field, info in model.model_fields.items():
        inner = getattr(value, field) if value is not None else None
        found |= _leaves(f"{name}/{field}", inner, info.annotation)
    return found


def _model(annotation: object) -> type[Part] | None:
    """Return the record that a field holds, also where it may hold none."""
    options = [annotation, *getattr(annotation, "__args__", ())]
    return next((one for one in options if isinstance(one, type) and issubclass(one, Part)), None)


def of_edition(database: Database, edition: Edition) -> dict[str, Configured]:
    """Return the rules of an edition, by address."""
    path = edition_path(edition.edition)
    return _located(path, database.read_bytes(path), rules_of(edition))


def of_cycle(database: Database, cycle: Cycle) -> dict[str, Configured]:
    """Return the limits that a cycle gives its attempts, by address."""
    path = cycle_path(cycle.cycle)
    limits: dict[str, Value] = {f"conditions/{name}": value for name, value in cycle.conditions.model_dump().items()}
    return _located(path, database.read_bytes(path), limits)


def _located(path: PurePosixPath, data: bytes, values: Mapping[str, Value]) -> dict[str, Configured]:
    document = composed(data)
    made = (
        Configured(path, figure, value, line_in(document, tuple(figure.split("/")))) for figure, value in values.items()
    )
    return {one.address: one for one in made}


def of_program() -> dict[str, Configured]:
    """Return the limits of the running program, by address."""
    found = [
        _constant("argusic/records/cycle.py", f"Conditions/{name}", value, cycle_module)
        for name, value in Conditions().model_dump().items()
    ]
    name = "argusic/rules/reading.py"
    found.append(_constant(name, "MAX_REPORT_BYTES", reading_module.MAX_REPORT_BYTES, reading_module))
    return {one.address: one for one in found}


def _constant(file: str, figure: str, value: Value, module: ModuleType) -> Configured:
    name = re.compile(rf"\s*{figure.rsplit('/', 1)[-1]}\b\s*[:=]")
    lines = Path(inspect.getfile(module)).read_text(encoding="utf-8").splitlines()
    line = next((number for number, text in enumerate(lines, start=1) if name.match(text)), None)
    return Configured(PurePosixPath(file), figure, value, line)


def jobs(database: Database) -> Iterator[Job]:
    """Yield every job of every workflow; one without a time limit has None for it.

    A job whose limit comes from a plan has no figure of its own, and is left out.

    Raises:
        InputError: A workflow cannot be read.
    """
    folder = database.root / WORKFLOWS
    for path in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        name = WORKFLOWS / path.name
        data = database.read_bytes(name)
        value, document = parse(data, file=name), composed(data)
        held = value.get("jobs") if isinstance(value, dict) else None
        for job, body in held.items() if isinstance(held, dict) else ():
            limit = body.get("timeout-minutes") if isinstance(body, dict) else None
            if limit == _PLANNED:
                continue
            figure = ("jobs", str(job), "timeout-minutes")
            yield Job(
                Configured(name, "/".join(figure), limit, line_in(document, figure)),
                bool(_RUNS_ATTEMPTS.search(str(body))),
            )
