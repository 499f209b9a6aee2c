"""Which runs are held: a claim that the record contradicts keeps a run from counting until a person has looked.

Decision: a control holds nothing up. The liar is there to be caught, and counts in nothing anyway.
"""

from __future__ import annotations

from argusic.records.run import Run


def hold(run: Run) -> str | None:
    """Return why a run is held by its own facts, in a sentence; None where nothing holds it.

    Whether it is valid, and whether a person has screened it since, is not asked here.
    """
    if run.audit is None or run.purpose == "control" or not run.audit.holds:
        return None
    if run.audit.problem is not None:
        return f"The claims of its report could not be audited ({run.audit.problem}); a person has to look."
    named = ", ".join(run.audit.contradicted)
    return f"The record contradicts what its report claims ({named}); a person has to say what that is."
