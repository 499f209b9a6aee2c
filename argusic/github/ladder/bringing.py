"""Bringing prepared results to review: one push, and one pull request whose text is of all that waits by then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from argusic.database.faults import fault_point
from argusic.database.git import Git
from argusic.database.paths import EVIDENCE_HOME_PATH, what_is
from argusic.errors import ArgusicError
from argusic.evidence.stores.configured import home_of
from argusic.github.forge import Forge
from argusic.github.ladder.committing import Preparing, Results
from argusic.github.ladder.review import Review, text_of, title_of
from argusic.github.outside import code
from argusic.records.difference import Difference
from argusic.records.evidence_home import RepositoryHome
from argusic.referee.difference import difference
from argusic.rules.scored import ScoredRun, scored
from argusic.runs.held import learnt_later

#: The branch that results are proposed for.
MAIN: Final = "main"
#: How often the text is written anew because more runs came meanwhile.
_MOST_RENEWALS: Final = 4


#: Makes one commit of files on a branch of the remote; returns its id, or None where nothing changed.
Push = Callable[[Mapping[PurePosixPath, Path | bytes], str], str | None]


@dataclass(frozen=True)
class Brought:
    """What came of it.

    Attributes:
        results: What was prepared.
        commit: The commit that was pushed; None where everything was there, or nothing was to be pushed.
        pull: The number of the pull request; None where none was asked for, or nothing waits.
        review: What the pull request says.
    """

    results: Results
    commit: str | None
    pull: int | None
    review: Review


def bring(preparing: Preparing, results: Results, branch: str, push: Push | None, forge: Forge | None) -> Brought:
    """Push what was prepared, and open or renew the pull request.

    Args:
        preparing: What prepared it.
        results: The results.
        branch: The branch.
        push: What pushes; None to change nothing anywhere.
        forge: Where the pull request goes; None for none.

    Raises:
        EnvironmentLack: The remote or GitHub cannot be reached, or refuses.
    """
    commit = None
    if push is not None and results.files:
        commit = push(results.contents(), _message(results))
    tip = preparing.renew(results) if push is not None else None
    review = review_of(results)
    pull = None
    for _ in range(_MOST_RENEWALS if forge is not None and tip is not None and review.waiting else 0):
        assert forge is not None, "the loop is of a pull request"
        pull = forge.pull(branch, MAIN, title_of(review), text_of(review))
        fault_point("pull-opened")
        newest = preparing.renew(results)
        if newest in (tip, None):
            break
        tip, review = newest, review_of(results)
    return Brought(results, commit, pull, review)


def review_of(results: Results) -> Review:
    """Return what there is to say of all that waits for review."""
    collected, laid = results.collected, results.laid
    cycle = laid.cycle(collected.cycle)
    return Review(
        cycle=cycle.cycle,
        edition=cycle.edition,
        base=results.base,
        waiting=_waiting(results),
        new=len(results.new),
        collected=collected,
        signatures=results.signatures,
        unsigned=len(results.unsigned),
        evidence=_evidence(results),
        held_back=results.sent.held_back if results.sent is not None else 0,
        difference=_difference(results),
    )


def _waiting(results: Results) -> tuple[ScoredRun, ...]:
    """Return every run that is laid out and not in the commit that it is proven on."""
    laid, name = results.laid, results.collected.cycle
    added = set()
    for change in Git.required_around(laid.root).changes(results.base, f"runs/{name}"):
        holding = what_is(change.path) if change.status == "A" else None
        if holding is not None and holding.row.name == "run":
            added.add(change.path)
    later = learnt_later(laid, name)
    edition, _ = laid.edition(laid.cycle(name).edition)
    runs = [stored.run for stored in laid.runs(name) if stored.path in added]
    return tuple(later.stands(scored(run, edition)) for run in sorted(runs, key=lambda run: (run.started, run.run)))


def _difference(results: Results) -> Difference | None:
    try:
        return difference(results.laid, results.base)
    except ArgusicError:
        return None


def _evidence(results: Results) -> str:
    home = home_of(results.laid)
    if isinstance(home, RepositoryHome):
        return "Their evidence lies in packs beside the runs, on this very branch."
    if results.sent is not None:
        return f"Their evidence is in {results.sent.store}."
    if home is not None:
        return f"Their evidence is where {code(str(EVIDENCE_HOME_PATH))} says."
    return "Their logs and reports lie in the artifacts alone: this repository names no store for its evidence."


def _message(results: Results) -> str:
    count = len(results.new)
    runs = "1 run" if count == 1 else f"{count} runs"
    return f"Results of {results.collected.cycle}: {runs}\n\nCollected, proven again and signed. Evidence alone.\n"
