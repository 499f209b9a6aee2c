"""Reading an agent's report: untrusted bytes in, an accepted report or the reason against it out. Never a crash.

A report is YAML of limited size. What cannot be accepted is the agent's fault and scores 0 on every
line; bytes that *our* tooling could not fetch never come here, they are the ending `report_unreadable`.
"""

from __future__ import annotations

import re

from pydantic import ValidationError

from argusic.database.codec import parse
from argusic.errors import InputError
from argusic.records.edition import Edition
from argusic.records.report import Report
from argusic.records.run import RunReport

#: The largest report that is read, in bytes. A longer one is malformed.
MAX_REPORT_BYTES = 256 * 1024

#: How much of a parser's own words is kept in the reason.
_MAX_REASON = 400


def read_report(data: bytes | None, edition: Edition) -> RunReport:
    """Read what the agent left at the report's path.

    Args:
        data: The bytes it left, or None where it left nothing.
        edition: The edition of the run, which says what a report must carry.
    """
    if data is None:
        return RunReport(state="missing", problem="The agent left no report.")
    if len(data) > MAX_REPORT_BYTES:
        return _malformed(f"it has {len(data):,} bytes, more than the {MAX_REPORT_BYTES:,} that are read")
    try:
        value = parse(data, file="report")
    except InputError as error:
        line = error.place.line if error.place is not None else None
        return _malformed(f"line {line}: {error.what}" if line else error.what)
    if not isinstance(value, dict):
        return _malformed("it is not a mapping of field names to values")
    try:
        content = Report.model_validate(value)
    except ValidationError as error:
        return _malformed(_first_problem(error))
    if edition.report.verified_how and content.verified_how is None:
        return _malformed(f"verified_how is missing, which edition {edition.edition} requires")
    if not edition.report.verified_how:
        # A field that the edition does not know is one of the agent's own invention.
        content = content.model_copy(update={"verified_how": None})
    return RunReport(state="read", content=content)


def _malformed(reason: str) -> RunReport:
    one_line = " ".join(reason.split())
    short = one_line if len(one_line) <= _MAX_REASON else one_line[: _MAX_REASON - 1] + "…"
    return RunReport(state="malformed", problem=short.rstrip("."))


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # The branches of a union stand in the place of an error too, under names that are no field of a report.
    field = ".".join(str(part) for part in first["loc"] if re.fullmatch(r"[a-z_]+|\d+", str(part)))
    message = "must be a mapping" if first["type"] == "model_type" else first["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message
