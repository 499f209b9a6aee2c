"""What a reviewer of results reads: the text of their pull request, of a length that GitHub takes.

Facts are in our words. Whatever an attempt, a machine or an artifact said stands as code, cut short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from argusic.github.ladder.bundles import Signature
from argusic.github.outside import code
from argusic.github.proposal import table
from argusic.records.difference import Difference
from argusic.records.handing_over import Collected
from argusic.rules.figures import shown
from argusic.rules.rubric import OUTCOMES
from argusic.rules.scored import ScoredRun

T = TypeVar("T")
#: GitHub takes 65,536 characters.
MOST_CHARACTERS: Final = 60_000
#: The most rows of one table, and characters of one quotation.
MOST_ROWS: Final = 60
MOST_QUOTED: Final = 200


@dataclass(frozen=True)
class Review:
    """What there is to say of results.

    Attributes:
        cycle: The cycle.
        edition: Its rules.
        base: The commit that the results were proven on.
        waiting: Every run that waits for review, scored, with what was learnt of it later.
        new: How many of them were brought by this commit.
        collected: What was collected with it.
        signatures: The signatures over the new runs.
        unsigned: How many of the new runs nobody vouches for.
        evidence: Where their evidence is kept, in a sentence.
        held_back: How many sealed files are kept nowhere.
        difference: What would be derived otherwise once this is merged; None where nothing could be derived.
    """

    cycle: str
    edition: str
    base: str
    waiting: tuple[ScoredRun, ...]
    new: int
    collected: Collected
    signatures: tuple[Signature, ...]
    unsigned: int
    evidence: str
    held_back: int
    difference: Difference | None


def title_of(review: Review) -> str:
    """Return the title of the pull request."""
    return f"Results of {review.cycle}: {_runs(len(review.waiting))}"


def text_of(review: Review) -> str:
    """Return the text of the pull request."""
    sections = [_opening, _outcomes, _cells, _held, _invalid, _missing, _refused, _vouched, _derived, _closing]
    text = "\n".join(line for section in sections for line in section(review))
    if len(text) <= MOST_CHARACTERS:
        return f"{text}\n"
    kept = text[:MOST_CHARACTERS].rpartition("\n")[0]
    return f"{kept}\n\nThe rest is left out: `argusic` prints it in a checkout of this branch.\n"


def _opening(review: Review) -> Iterator[str]:
    verb = "waits" if len(review.waiting) == 1 else "wait"
    yield f"{_runs(len(review.waiting))} of the cycle {code(review.cycle)} under edition {code(review.edition)} {verb}"
    yield f"for review; this commit brought {_runs(review.new)}. All was proven anew on {code(review.base[:12])}:"
    yield "digests, manifests, what recordings cover, what reports claim, and all that `argusic check` asks."
    yield ""


def _outcomes(review: Review) -> Iterator[str]:
    counts: Counter[str] = Counter(run.outcome for run in review.waiting)
    yield "## Outcomes"
    yield ""
    yield "| Outcome | Runs |"
    yield "|---|---|"
    for outcome in (*OUTCOMES, "held"):
        if counts[outcome]:
            yield f"| {outcome.replace('_', ' ')} | {counts[outcome]} |"
    yield ""


def _cells(review: Review) -> Iterator[str]:
    cells: dict[tuple[str, str], list[ScoredRun]] = {}
    for run in review.waiting:
        cells.setdefault((run.subject, run.agent), []).append(run)
    yield "## Runs"
    yield ""
    yield "| Subject | Agent | Runs | Outcomes | Scores |"
    yield "|---|---|---|---|---|"

    def row(cell: tuple[tuple[str, str], list[ScoredRun]]) -> str:
        (subject, agent), runs = cell
        ordered = sorted(runs, key=lambda run: (run.started, run.run))
        outcomes = Counter(run.outcome.replace("_", " ") for run in ordered)
        scores = [f"{shown(run.total):g}" for run in ordered if run.total is not None]
        more = " …" if len(scores) > 10 else ""
        said = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        mark = " (control)" if ordered[0].control else ""
        return f"| {code(subject)} | {code(agent)}{mark} | {len(ordered)} | {said} | {', '.join(scores[:10])}{more} |"

    yield from _rows(sorted(cells.items()), row)


def _held(review: Review) -> Iterator[str]:
    held = [run for run in review.waiting if run.held]
    if not held:
        return
    yield "## Held until a person has looked"
    yield ""
    yield "The record contradicts what these reports claim. `argusic screening claims` writes down what a person found."
    yield ""
    yield from _rows(held, lambda run: f"- {code(run.run)}, {code(run.subject)}: {_quoted(run.reason)}")


def _invalid(review: Review) -> Iterator[str]:
    invalid = [run for run in review.waiting if run.outcome == "invalid"]
    if not invalid:
        return
    yield "## Invalid, and counted nowhere"
    yield ""
    yield from _rows(invalid, lambda run: f"- {code(run.run)}, {code(run.subject)}: {_quoted(run.reason)}")


def _missing(review: Review) -> Iterator[str]:
    collected = review.collected
    if collected.missing:
        yield "## Jobs that handed nothing over"
        yield ""
        yield "Their cells stay owed, and the next plan has them."
        yield ""
        yield from _rows(
            collected.missing,
            lambda job: f"- {code(job.job)}, {code(job.subject)} by {code(job.agent)}: {_quoted(job.why)}",
        )
    if collected.left:
        yield f"The plan left {collected.left} more cells to the next one."
        yield ""


def _refused(review: Review) -> Iterator[str]:
    if review.collected.refused:
        yield "## Artifacts of which nothing was taken"
        yield ""
        yield from _rows(review.collected.refused, lambda one: f"- {code(one.name[:MOST_QUOTED])}: {_quoted(one.why)}")


def _vouched(review: Review) -> Iterator[str]:
    yield "## Who vouches for it"
    yield ""
    for signature in review.signatures[:MOST_ROWS]:
        by = _quoted(signature.by) if signature.by else "an authority that is not known here"
        yield f"- {code(signature.path.name)}: {_runs(len(signature.folders))}, signed by {by}"
    if review.unsigned:
        yield f"- Nobody vouches for {_runs(review.unsigned)} of this commit; this repository states nobody who may."
    if not review.signatures and not review.unsigned:
        yield "- This commit brought no run that was not signed here before."
    yield ""
    yield review.evidence
    if review.held_back:
        yield f"{review.held_back} sealed raw files of the cycle are in no public place; those that jobs sent along"
        yield "are kept by `argusic evidence archive`."
    yield ""


def _derived(review: Review) -> Iterator[str]:
    yield "## What would be derived otherwise"
    yield ""
    yield "Nothing can be derived from it." if review.difference is None else table(review.difference)
    yield ""


def _closing(review: Review) -> Iterator[str]:
    yield "## What a reviewer does"
    yield ""
    yield "Look at what is held, invalid and missing, at who signed, and at a recording or two. Merging publishes the"
    yield "runs; boards and verdicts are then derived on the main branch, by `argusic recompute` alone. Nothing that is"
    yield "merged is edited or removed later: what is learnt of a run afterwards is a file beside it."


def _rows(items: Sequence[T], row: Callable[[T], str]) -> Iterator[str]:
    for item in items[:MOST_ROWS]:
        yield row(item)
    yield ""
    if len(items) > MOST_ROWS:
        yield f"And {len(items) - MOST_ROWS:,} more."
        yield ""


def _quoted(text: str | None) -> str:
    said = text or "no reason is stated"
    return code(said if len(said) <= MOST_QUOTED else f"{said[:MOST_QUOTED]} …")


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
