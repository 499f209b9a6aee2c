"""What every record shares: strictness, the schema version, and the scalar types with their rules.

A record is a frozen pydantic model of one YAML file. Unknown fields are refused, times are aware UTC, and
identifiers are restricted to characters that are safe in paths, URLs and shells.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

#: Names that no slug, cycle or agent may take: folders of the database, and device names of Windows, where
#: a fork may be checked out.
RESERVED_NAMES = frozenset(
    [
        "speed",
        "quality",
        "reproductions",
        "disputes",
        "screenings",
        "invalidations",
        "index",
        "data",
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{device}{n}" for device in ("com", "lpt") for n in range(1, 10)),
    ]
)

_SLUG = re.compile(r"[a-z0-9_][a-z0-9._-]{0,99}")
#: Digits are those of ASCII: others sort, and are compared, in another way.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def check_slug(value: str) -> str:
    """Return `value` if it can be a path segment of the database.

    Raises:
        ValueError: It has other characters than `[a-z0-9._-]`, starts with a dot or a dash, ends with a dot,
            is longer than 100 characters, or is a reserved name.
    """
    if not _SLUG.fullmatch(value) or value.endswith("."):
        raise ValueError(
            "must be 1 to 100 characters of a-z, 0-9, '.', '_' and '-', "
            "not starting with '.' or '-' and not ending with '.'"
        )
    if value in RESERVED_NAMES or value.split(".")[0] in RESERVED_NAMES:
        raise ValueError(f"{value!r} is a reserved name")
    return value


def slug_of(name: str) -> str:
    """Return the slug of a public name: `owner/name` and `@scope/name` become `owner--name`, lower case.

    Raises:
        ValueError: Nothing usable is left, or the result is reserved.
    """
    text = name.strip().lstrip("@").lower().replace("/", "--")
    text = re.sub(r"[^a-z0-9._-]+", "-", text).strip(".-")[:100].rstrip(".-")
    return check_slug(text)


#: The years that a time may be of. Whoever adds to one, or takes from it, stays within what there is of time.
_YEARS = range(1970, 3000)


def _read_time(value: Any) -> Any:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError("must be a UTC time such as 2026-11-30T01:45:00Z")
    return datetime.fromisoformat(value[:-1] + "+00:00")


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("must carry a time zone")
    if value.year not in _YEARS:
        raise ValueError(f"must be of the years {_YEARS.start} to {_YEARS.stop - 1}")
    return value.astimezone(UTC)


def format_time(value: datetime) -> str:
    """Return `value` as ISO 8601 in UTC with `Z`; microseconds only where there are any."""
    text = value.astimezone(UTC).isoformat(timespec="microseconds" if value.microsecond else "seconds")
    return text.replace("+00:00", "Z")


def _check_date(value: str) -> str:
    if not _DAY.fullmatch(value):
        raise ValueError("must be a date such as 2026-11-30")
    datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
    return value


def _pattern(pattern: str, says: str) -> AfterValidator:
    compiled = re.compile(pattern, re.ASCII)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise ValueError(says)
        return value

    return AfterValidator(check)


#: A path segment of the database.
Slug = Annotated[str, AfterValidator(check_slug)]
#: An aware UTC time, written with `Z`.
UtcTime = Annotated[
    datetime,
    BeforeValidator(_read_time),
    AfterValidator(_aware),
    PlainSerializer(format_time, return_type=str, when_used="always"),
]
#: A calendar day, `YYYY-MM-DD`, kept as text.
Day = Annotated[str, AfterValidator(_check_date)]
#: A SHA-256 digest, 64 lower-case hex digits.
Sha256 = Annotated[str, _pattern(r"[0-9a-f]{64}", "must be 64 lower-case hex digits (sha256)")]
#: A public key of age, which evidence is sealed to.
AgeRecipient = Annotated[str, _pattern(r"age1[02-9ac-hj-np-z]{58}", "must be a public key of age (age1...)")]
#: A git commit id, 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
CommitId = Annotated[str, _pattern(r"[0-9a-f]{40}([0-9a-f]{24})?", "must be a full commit id in lower-case hex")]
#: A run's id: start time and a random tail, `20261130T014500Z-k3x9q2`.
RunId = Annotated[
    str,
    _pattern(r"\d{8}T\d{6}Z-[a-z2-7]{6}", "must look like 20261130T014500Z-k3x9q2 (start time, random tail)"),
]
#: A subject's address, `<kind>/<slug>`.
SubjectRef = Annotated[
    str,
    _pattern(r"[a-z][a-z-]*/[a-z0-9_][a-z0-9._-]*", "must be KIND/SLUG, such as package/tinydb"),
    AfterValidator(lambda value: f"{value.split('/')[0]}/{check_slug(value.split('/')[1])}"),
]
#: An edition's id, such as `v1.5`.
EditionId = Annotated[str, _pattern(r"v\d+\.\d+", "must be an edition such as v1.5")]
#: The id of a reference of the index: a quarter, and from the second of a quarter on its number.
ReferenceId = Annotated[
    str, _pattern(r"\d{4}-Q[1-4](\.[1-9]\d?)?", "must be a quarter such as 2026-Q4, or 2026-Q4.2 for the second of it")
]
#: A name of an edition's time budget. There are exactly three; nothing else is called tier.
Tier = Literal["standard", "heavy", "gpu"]
_Item = TypeVar("_Item")
#: A sequence: a list in YAML, a tuple in the record. Its items stay strict.
Items = Annotated[tuple[_Item, ...], Field(strict=False)]
#: Text that says something: not empty, not blank.
Text = Annotated[str, _pattern(r"(?s).*\S.*", "must not be empty")]


class Part(BaseModel):
    """A piece of a record. Frozen; unknown fields are refused; no silent coercion between scalar types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True, allow_inf_nan=False)


class Record(Part):
    """One YAML file of the database."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """The version of this record's shape. A change of shape adds a version and an upgrade."""
