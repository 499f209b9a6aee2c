"""The two pages of a run's evidence, recording and log, with the files beside them.

They are plain HTML, not Markdown: a log of ten thousand lines costs no Markdown reader, and meets none.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from jinja2 import Environment

from argusic.records.manifest import EvidenceFile, FileRole
from argusic.site.page import Page, subject_page
from argusic.site.views import SIDECAR, RunView
from argusic.site.wording import OUTCOMES

#: The most lines of a log that its page shows.
MOST_LOG_LINES: Final = 5000
#: The most bytes of one line of a log that its page shows.
MOST_LINE_BYTES: Final = 4000
#: The most commands that stand beside a recording.
MOST_COMMANDS: Final = 1000
#: The most bytes of one file that the site carries; a larger one stays in the evidence store.
MOST_FILE_BYTES: Final = 25_000_000

RECORDING_COPY: Final = "recording.cast"
LOG_COPY: Final = "session.log"


@dataclass(frozen=True)
class Viewer:
    """Writes the evidence pages of runs.

    Attributes:
        templates: The templates.
        folder: The top of the site's sources.
        most_log_lines: The most lines of a log that its page shows.
    """

    templates: Environment
    folder: Path
    most_log_lines: int = MOST_LOG_LINES

    def write(self, view: RunView, name: str) -> None:
        """Write the recording's page, the log's page and the files beside them.

        Args:
            view: The run.
            name: The subject's name.
        """
        folder = self.folder / view.href
        folder.mkdir(parents=True)
        self._recording(view, name, folder)
        self._log(view, name, folder)

    def _recording(self, view: RunView, name: str, folder: Path) -> None:
        recording = view.evidence.recording
        file = _file(view, "recording")
        proven = next((item.path for item in view.evidence.files if item.file.role == "recording"), None)
        withheld = view.run.ending.how == "withheld"
        copied = not withheld and proven is not None and _copy(proven, folder / RECORDING_COPY)
        no_recording = view.evidence.no_recording
        if recording is not None and not copied:
            recording, no_recording = None, "The recording is too large for this site and is in the evidence store."
        if recording is not None and view.has_sidecar:
            _write_sidecar(recording.path, folder / SIDECAR)
        text = self._render(
            "recording.html.j2",
            Page(f"{view.href}recording.html", name),
            view,
            what="Recording",
            name=name,
            player=recording is not None,
            recording=recording,
            no_recording=no_recording,
            commands=view.evidence.in_order[:MOST_COMMANDS],
            commands_left_out=max(0, len(view.evidence.in_order) - MOST_COMMANDS),
            file=file,
            copied=copied,
            sidecar=SIDECAR if recording is not None and view.has_sidecar else "",
        )
        (folder / "recording.html").write_text(text, encoding="utf-8")

    def _log(self, view: RunView, name: str, folder: Path) -> None:
        log = view.evidence.log
        shown, left_out, whole = None, False, False
        if log is not None:
            found = list(islice(_lines(log), self.most_log_lines + 1))
            shown, left_out = found[: self.most_log_lines], len(found) > self.most_log_lines
            whole = _copy(log, folder / LOG_COPY)
        text = self._render(
            "log.html.j2",
            Page(f"{view.href}log.html", name),
            view,
            what="Log",
            name=name,
            player=False,
            lines=shown,
            left_out=left_out,
            whole=whole,
            no_log=view.evidence.no_log,
            file=_file(view, "log"),
        )
        (folder / "log.html").write_text(text, encoding="utf-8")

    def _render(self, template: str, page: Page, view: RunView, **more: object) -> str:
        outcome = OUTCOMES[view.score.outcome]
        return self.templates.get_template(template).render(
            page=page,
            run=view.run,
            agent=view.published.agent,
            attempt=view.published.number,
            control=view.published.control,
            contradicted=view.contradicted,
            outcome=f"{outcome.label}: {outcome.means}",
            subject_href=subject_page(view.run.subject),
            **more,
        )


def _file(view: RunView, role: FileRole) -> EvidenceFile | None:
    return next((item.file for item in view.evidence.files if item.file.role == role), None)


def _copy(source: Path, destination: Path) -> bool:
    """Copy a file of evidence beside its page, unless it is too large for the site."""
    if source.stat().st_size > MOST_FILE_BYTES:
        return False
    shutil.copyfile(source, destination)
    return True


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a log as the command table counts them, a very long one cut."""
    with path.open("rb") as stream:
        while raw := stream.readline(MOST_LINE_BYTES):
            cut = not raw.endswith(b"\n") and len(raw) == MOST_LINE_BYTES
            while cut and (more := stream.readline(MOST_LINE_BYTES)) and not more.endswith(b"\n"):
                pass
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            yield text + " \u2026" if cut else text


def _write_sidecar(recording: Path, destination: Path) -> None:
    text = recording.read_bytes().decode("utf-8", "replace")
    destination.write_text(f"window.argusicRecording = {json.dumps(text)};\n", encoding="ascii")
