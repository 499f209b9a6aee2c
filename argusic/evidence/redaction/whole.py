"""Redacting the files that are held whole: the log, the command table, the report, the trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from argusic.evidence.asciicast import prompt
from argusic.evidence.redaction.banners import BannerSearch
from argusic.evidence.redaction.commands import Echoed
from argusic.evidence.redaction.finding import Finder
from argusic.evidence.redaction.masking import Run, characters, masked_bytes, merged, without
from argusic.evidence.redaction.recordings import Redacting
from argusic.evidence.redaction.texts import look_at, unescaped, written_at

#: The first screenful of a log is within so many bytes.
_BANNER_WITHIN: Final = 64 * 1024


def mask_commands(commands: Iterable[Echoed], finder: Finder) -> None:
    """Give each command the masks for what is found in it, as it is written and as it is echoed."""
    for echoed in commands:
        command = echoed.row.command
        for text, origin in ((command, range(len(command))), (prompt(command) + "\n", echoed.origin("\n"))):
            for found in finder.find(text.encode("utf-8", "surrogatepass")):
                echoed.add(origin[n] for n in characters(text, found.places))


def redact_text(source: Path, target: Path, finder: Finder) -> Redacting:
    """Write the redacted copy of a file that is plain text."""
    data = source.read_bytes()
    result = Redacting()
    places = _places_in(data, finder, result)
    _finish(result, data, masked_bytes(data, places), target)
    return result


def redact_json(source: Path, target: Path, finder: Finder) -> Redacting:
    """Write the redacted copy of a JSON file: it is searched as it stands, and with its escapes resolved."""
    data = source.read_bytes()
    result = Redacting()
    places = _places_in(data, finder, result)
    shown = data
    if b"\\" in data:
        shown, written = unescaped(data)
        for looked, base in look_at(shown, finder):
            result.unsearchable = result.unsearchable or looked.unsearchable
            for found in looked.found:
                spans = [written_at(written, base + start, base + end) for start, end in found.places]
                result.tally.add(found._replace(places=tuple(spans)), 0)
                places += spans
    _finish(result, data, masked_bytes(data, places), target)
    return result


def redact_log(
    source: Path, target: Path, finder: Finder, commands: Sequence[Echoed], banner: BannerSearch | None = None
) -> Redacting:
    """Write the redacted copy of the log, each command at its prompt masked as everywhere."""
    data = source.read_bytes()
    result = Redacting()
    places = _places_in(data, finder, result)
    runs = merged(places)
    prompts = _prompts(data, commands)
    for echoed, start in prompts:
        text = prompt(echoed.row.command) + "\n"
        end = start + len(text.encode("utf-8", "surrogatepass"))
        inside = [
            Run(max(run.start, start) - start, min(run.end, end) - start)
            for run in runs
            if run.end > start and run.start < end
        ]
        origin = echoed.origin("\n")
        if inside:
            result.new_in_commands |= echoed.add(origin[n] for n in characters(text, inside))
            runs = without(runs, [(start, end)])
        if echoed.masked:
            runs += _spans(text, {n for n, of in enumerate(origin) if of in echoed.masked}, start)
    blanks: list[tuple[int, int]] = []
    at = next((at for at, (echoed, _) in enumerate(prompts) if echoed.starts_program), None)
    if banner is not None and at is not None:
        begin = prompts[at][1] + len((prompt(prompts[at][0].row.command) + "\n").encode("utf-8", "surrogatepass"))
        end = prompts[at + 1][1] if at + 1 < len(prompts) else len(data)
        blanks = [(begin + first, begin + last) for first, last in banner.find(data[begin:end][:_BANNER_WITHIN])]
        result.banner = bool(blanks)
    _finish(result, data, masked_bytes(data, runs, blanks), target)
    return result


def redact_table(source: Path, target: Path, finder: Finder, commands: Sequence[Echoed]) -> Redacting:
    """Write the redacted copy of the command table: the commands with their masks, all else searched as text."""
    data = source.read_bytes()
    result = Redacting()
    masked = {echoed.row.line(): echoed for echoed in commands if echoed.masked}
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if (echoed := masked.get(line)) is not None:
            lines[number] = echoed.row.model_copy(update={"command": echoed.command()}).line()
            for found in finder.find(echoed.row.command.encode("utf-8", "surrogatepass")):
                result.tally.add(found, number << 32)
            continue
        places: list[tuple[int, int]] = []
        for found in finder.find(line):
            result.tally.add(found, number << 32)
            places += found.places
        lines[number] = masked_bytes(line, places)
    _finish(result, data, b"".join(lines), target)
    return result


def _places_in(data: bytes, finder: Finder, result: Redacting) -> list[tuple[int, int]]:
    """Search `data`, note what is found, and return where it stands."""
    places: list[tuple[int, int]] = []
    for looked, base in look_at(data, finder):
        result.unsearchable = result.unsearchable or looked.unsearchable
        for found in looked.found:
            result.tally.add(found, base)
            places += [(base + start, base + end) for start, end in found.places]
    return places


def _finish(result: Redacting, data: bytes, served: bytes, target: Path) -> None:
    result.lines_masked = int(served != data)
    target.write_bytes(served)


def _prompts(data: bytes, commands: Sequence[Echoed]) -> list[tuple[Echoed, int]]:
    """Return the commands whose prompt stands in the log at its line, and the place of each."""
    found = []
    line, at = 1, 0
    for echoed in sorted(commands, key=lambda one: one.row.log_line):
        while line < echoed.row.log_line and (end := data.find(b"\n", at)) >= 0:
            line, at = line + 1, end + 1
        text = (prompt(echoed.row.command) + "\n").encode("utf-8", "surrogatepass")
        if line == echoed.row.log_line and data.startswith(text, at):
            found.append((echoed, at))
    return found


def _spans(text: str, numbers: set[int], base: int) -> list[Run]:
    """Return where characters of a text stand as bytes."""
    spans = []
    at = base
    for number, character in enumerate(text):
        size = len(character.encode("utf-8", "surrogatepass"))
        if number in numbers:
            spans.append(Run(at, at + size))
        at += size
    return spans
