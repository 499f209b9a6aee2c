"""Write docs/contributing/paths.md from the table in `argusic.database.paths`; `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from argusic.database.paths import MOST_RUN_FILES, TABLE, Row

PAGE = Path(__file__).resolve().parent.parent / "docs/contributing/paths.md"

HEAD = f"""# Where everything lies

Every file of the database has one place, which follows from ids alone. This page is the table that the program
itself goes by (`argusic/database/paths.py`); `.venv/bin/python tools/paths_page.py` writes it, and a test compares
the two.

- A *fact* is what happened or was decided. It is written once; what is learnt later is a new file beside it.
- A *rule* says how facts are read. An edition that a run was measured under is never edited.
- What is *derived* follows from facts and rules alone, is written by `argusic recompute` and by nothing else, and
  can be made again to the byte.
- *Prose* is for people and decides nothing.

At most {MOST_RUN_FILES} files of a run are in git. Everything else that it leaves lies in the evidence store, under the
fingerprint that its manifest states. Work in progress lies in `.argusic/`, which git ignores.

| path | holds | record | written by | nature |
|---|---|---|---|---|
"""


def line(row: Row) -> str:
    """Return one row of the table."""
    record = f"`{row.model.__name__}`" if row.model else ""
    writer = ", ".join(f"`{word}`" if "." in word else word for word in row.writer.split(", "))
    return f"| `{row.pattern}` | {row.name} | {record} | {writer} | {row.nature} |\n"


def page() -> str:
    """Return the whole page."""
    return HEAD + "".join(map(line, TABLE))


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` say whether it is as it should be."""
    if arguments == ["--check"]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
            return 0
        print(f"{PAGE} is not what the table says; write it with: .venv/bin/python tools/paths_page.py")
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
