"""A pull request's difference in words: Markdown made here, out of ids and figures that were validated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from argusic.records.difference import Changed, Difference, IndexChanged, Proposal

#: The most rows of the table; a person reads it.
MOST_ROWS: Final = 50
_NONE: Final = "–"


def table(found: Difference) -> str:
    """Return what would be derived otherwise, as Markdown.

    Args:
        found: The difference.
    """
    total = sum(found.counts.values())
    index = _index(found.index)
    if not total:
        return index or "No board, verdict or count would change.\n"
    counted = ", ".join(f"{number} of {aspect}" for aspect, number in sorted(found.counts.items()))
    lines = [f"{total} figures would change: {counted}.", ""]
    lines += ["| What | Cycle | Of | Now | Then |", "|---|---|---|---|---|", *_rows(found.changed[:MOST_ROWS])]
    if total > MOST_ROWS:
        lines += ["", f"And {total - MOST_ROWS} more: `argusic recompute --difference REV --json` names them."]
    return "\n".join([*lines, "", *filter(None, [index])])


def _index(changed: IndexChanged | None) -> str:
    """Return what would be another in the index, as Markdown; empty where nothing would."""
    if changed is None:
        return ""
    since = f" against that of {changed.before}" if changed.before not in (None, changed.after) else ""
    said = [
        f"Index of {changed.after}{since}: {changed.moved} models would stand otherwise, by at most "
        f"{changed.largest:.1f} points; {changed.ranked} would have a place."
    ]
    for word, names in (("Enters", changed.entered), ("Leaves", changed.left)):
        if names:
            more = f" and {len(names) - MOST_ROWS} more" if len(names) > MOST_ROWS else ""
            said.append(f"{word} the panel: {', '.join(f'`{name}`' for name in names[:MOST_ROWS])}{more}.")
    return " ".join(said) + "\n"


def comment(proposal: Proposal) -> str:
    """Return what is said below a pull request.

    Args:
        proposal: What it comes to, as a job of the pull request itself said.
    """
    if proposal.findings:
        said = f"`argusic check` found {proposal.findings} to mend; the checks of this pull request name file and line."
    else:
        said = "`argusic check` found nothing wrong."
    derived = "Nothing could be derived from it.\n" if proposal.difference is None else table(proposal.difference)
    return "\n".join(
        [
            "### What this changes",
            "",
            said,
            "",
            derived,
            f"Of {proposal.head[:12]} against {proposal.base[:12]}, as the pull request's own job reckoned it with the "
            "program of the main branch. Nothing of it is committed: once merged, the main branch derives it anew.",
            "",
        ]
    )


def _rows(changed: Sequence[Changed]) -> Iterator[str]:
    for one in changed:
        of = " on ".join(f"`{name}`" for name in (one.agent, one.subject) if name is not None) or f"`{one.kind}`"
        if one.subject is None and one.agent is not None:
            of = f"{of} on the board of `{one.kind}`"
        cycle = f"`{one.cycle}`" if one.cycle is not None else "all"
        yield f"| {one.aspect} | {cycle} | {of} | {_value(one.before)} | {_value(one.after)} |"


def _value(value: str | None) -> str:
    return value.replace("_", " ") if value is not None else _NONE
