"""What a check found, as GitHub's runner reads it: a command for each finding, which marks its file and line.

The runner takes a line that begins with `::` for a command, and so does it with `##[` wherever that stands in a line.
Whatever is printed here may come from a stranger's pull request; escaped, it is nothing but text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from argusic.errors import Finding
from argusic.github.outside import code, readable

#: GitHub shows ten annotations of a step and of one level; the summary names more than they do.
MOST_ANNOTATED: Final = 50
#: The most findings that a summary lists: GitHub takes one of a mebibyte.
MOST_LISTED: Final = 100
#: The most characters of one sentence.
MOST_SAID: Final = 1_000

_OLD_COMMAND = re.compile(r"##(?=\[)")


def annotation(finding: Finding) -> str:
    """Return the command that marks a finding's file and line as wrong."""
    place = finding.place
    properties = [f"file={_property(str(place.file))}"]
    if place.line is not None:
        properties.append(f"line={place.line}")
    said = f"{place.field}: {finding.what}" if place.field else finding.what
    return f"::error {','.join(properties)}::{_data(said)}"


def notice(text: str) -> str:
    """Return the command that shows a sentence which is no finding."""
    return f"::notice::{_data(text)}"


def warning(text: str) -> str:
    """Return the command that warns of something which is no finding of a check."""
    return f"::warning::{_data(text)}"


def commands(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the commands for some findings: the first ones, and how many more there are."""
    yield from map(annotation, findings[:MOST_ANNOTATED])
    if len(findings) > MOST_ANNOTATED:
        yield warning(f"{len(findings) - MOST_ANNOTATED} more were found; the summary lists them.")


def summary(findings: Sequence[Finding], *, passed: str) -> str:
    """Return what a check found as Markdown.

    Args:
        findings: What it found.
        passed: What is said where it found nothing.
    """
    if not findings:
        return f"{passed}\n"
    # A list: in a table a bar would begin the next cell, also within code.
    lines = [f"{len(findings)} found.", "", *_items(findings[:MOST_LISTED])]
    if len(findings) > MOST_LISTED:
        lines += ["", f"And {len(findings) - MOST_LISTED} more, which the check itself prints."]
    return "\n".join([*lines, ""])


def _items(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"- {code(_short(str(finding.place)))}: {code(_short(finding.what))}"


def _short(text: str) -> str:
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}…"


def _data(text: str) -> str:
    shown = _OLD_COMMAND.sub("# #", readable(_short(text)))
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
