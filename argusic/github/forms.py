"""Reading the body of an issue that was opened with a form. The form's own file says what its fields are.

GitHub writes each answer below a heading with the field's label, and answers can hold such headings, too. So labels
are looked for in the form's order, each behind the one before, and the first that is found is the field; whatever else
looks like a heading is text of the answer it stands in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from argusic.database.reading import parse
from argusic.errors import InputError, Place
from argusic.github.outside import readable, says_something

#: The most characters that GitHub lets an issue have.
MOST_OF_A_BODY: Final = 65_536
#: The most characters of one answer.
MOST_OF_AN_ANSWER: Final = 10_000
#: What GitHub writes where nothing was answered.
_NO_ANSWER = "_No response_"


@dataclass(frozen=True)
class Field:
    """One question of a form.

    Attributes:
        name: What the form's file calls it.
        label: The heading that its answer stands below.
        required: Whether it has to be answered.
        one_line: Whether its answer is one line.
        options: The answers to choose from; none where it is free text.
    """

    name: str
    label: str
    required: bool
    one_line: bool
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Form:
    """An issue form.

    Attributes:
        fields: Its questions, in order.
        labels: The labels that it gives an issue, where the repository has them.
    """

    fields: tuple[Field, ...]
    labels: frozenset[str] = frozenset()


def read_form(data: bytes, *, file: PurePath | str) -> Form:
    """Return the questions of a form's file.

    Raises:
        InputError: It is no issue form, or asks in a way that this reader does not know.
    """
    given = parse(data, file=file)
    body = given.get("body") if isinstance(given, Mapping) else None
    if not isinstance(body, list) or not all(isinstance(item, Mapping) for item in body):
        raise InputError("is no issue form: it has no list of fields as its body.", place=Place(file, field="body"))
    fields = tuple(_field(item, file) for item in body if item.get("type") != "markdown")
    labels, names = {field.label for field in fields}, {field.name for field in fields}
    if not fields or len(labels) < len(fields) or len(names) < len(fields):
        raise InputError("needs fields, each with an id and a label of its own.", place=Place(file, field="body"))
    return Form(fields, _labels(given.get("labels")))


def _labels(given: object) -> frozenset[str]:
    listed = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else []
    return frozenset(label.strip() for label in listed if isinstance(label, str) and label.strip())


def _field(item: Mapping[str, Any], file: PurePath | str) -> Field:
    kind, name, attributes = item.get("type"), item.get("id"), item.get("attributes")
    label = attributes.get("label") if isinstance(attributes, Mapping) else None
    if kind not in ("input", "textarea", "dropdown") or not isinstance(name, str) or not isinstance(label, str):
        what = "has a field that is no input, textarea or dropdown with an id and a label."
        raise InputError(what, place=Place(file, field="body"))
    assert isinstance(attributes, Mapping), "its label was read"
    checks = item.get("validations")
    options = attributes.get("options") if kind == "dropdown" else None
    return Field(
        name=name,
        label=label.strip(),
        required=isinstance(checks, Mapping) and checks.get("required") is True,
        one_line=kind != "textarea",
        options=tuple(str(option) for option in options) if isinstance(options, list) else (),
    )


def begins_with(form: Form, body: str) -> bool:
    """Return whether an issue's text begins as the form writes it."""
    first = next((line for line in readable(body[:MOST_OF_A_BODY]).split("\n") if line.strip()), "")
    return first.rstrip() == _heading(form.fields[0])


def _heading(field: Field) -> str:
    return f"### {field.label}"


def read_body(form: Form, body: str) -> dict[str, str]:
    """Return what was answered, by the fields' names; a field without an answer is left out.

    Args:
        form: The form that the issue was opened with.
        body: The issue's text, as GitHub states it.

    Raises:
        InputError: It is too long, was not written with the form, or lacks an answer.
    """
    if len(body) > MOST_OF_A_BODY:
        raise InputError(f"the issue is longer than {MOST_OF_A_BODY:,} characters, which is the most that is read.")
    lines = readable(body).split("\n")
    places = _places(form, lines)
    if not places or any(line.strip() for line in lines[: min(places.values())]):
        raise InputError(f"the issue does not begin with the field “{form.fields[0].label}”, as the form writes it.")
    ends = [*sorted(places.values())[1:], len(lines)]
    answers: dict[str, str] = {}
    for (field, start), end in zip(places.items(), ends, strict=True):
        answer = "\n".join(lines[start + 1 : end]).strip()
        if answer != _NO_ANSWER and says_something(answer):
            answers[field.name] = answer
    for field in form.fields:
        if field.required and field.name not in answers:
            lack = "is not answered" if field in places else "is missing where the form has it"
            raise InputError(f"the field “{field.label}” {lack}.")
    for field in form.fields:
        if field.name in answers:
            _check(field, answers[field.name])
    return answers


def _places(form: Form, lines: list[str]) -> dict[Field, int]:
    """Return the line of each field's heading: the first of its words behind the field before."""
    places: dict[Field, int] = {}
    start = 0
    for field in form.fields:
        heading = _heading(field)
        found = next((number for number in range(start, len(lines)) if lines[number].rstrip() == heading), None)
        if found is not None:
            places[field] = found
            start = found + 1
        elif field.required:
            break  # What stands behind it cannot be told apart any more.
    return places


def _check(field: Field, answer: str) -> None:
    if len(answer) > MOST_OF_AN_ANSWER:
        raise InputError(f"the field “{field.label}” is longer than {MOST_OF_AN_ANSWER:,} characters.")
    if field.one_line and "\n" in answer:
        raise InputError(f"the field “{field.label}” has several lines, and the form has one.")
    if field.options and answer not in field.options:
        raise InputError(f"the field “{field.label}” is none of the answers to choose from.")
