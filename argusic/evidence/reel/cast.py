"""The recording with a reel's edits made: the same output in the same order, each event at its time in the reel."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from argusic.evidence.castreader import CastReader
from argusic.evidence.reel.source import Source
from argusic.evidence.reel.timing import TimeMap
from argusic.evidence.reel.typeface import drawable


def write_cast(source: Source, times: TimeMap, path: Path) -> str:
    """Write the edited recording; return its digest.

    Nothing but output is in it: what was typed is echoed, and markers are not shown.
    """
    digest = hashlib.sha256()
    last = 0.0
    with source.recording.open("rb") as reading, path.open("xb") as writing:

        def line(fields: object) -> None:
            data = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(data)
            writing.write(data)

        line({"version": 2, "width": source.header.width, "height": source.header.height})
        for event in CastReader(reading, source.recording.name):
            last = max(last, event.time)
            if event.kind == "o" and event.data:
                line([round(times.at(last), 4), "o", drawable(event.data)])
        # The last picture stays until the reel ends, with whatever is said of it.
        line([round(times.length, 4), "o", ""])
    return digest.hexdigest()
