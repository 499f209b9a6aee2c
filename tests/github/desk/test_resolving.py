"""A dispute is resolved by a pull request: by those who may write, once, with what it leads to said below the issue."""

from __future__ import annotations

from argusic.database.codec import dump, parse_record
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, dispute_path, invalidation_path, run_folder
from argusic.github.desk.case import case_of
from argusic.github.desk.steps import accept_issue, revise_issue
from argusic.records.findings import Dispute, Invalidation
from argusic.records.manifest import Manifest
from argusic.referee.check import check
from argusic.runs.cycle import still_owed
from tests.github.conftest import CYCLE
from tests.github.desk.conftest import Referee, git
from tests.github.desk.test_accepting import edit, happening_of, mentions_nobody, on
from tests.github.test_hostile import files

CORRECTED = ("--resolution", "corrected", "--reason", "The mirror was down, @octocat.")
STANDS = (
    "--resolution",
    "evidence_stands",
    "--reason",
    "It starts.",
    "--seconds",
    "2 it installs; 14.5 it decodes; 42",
)


def accepted(referee: Referee) -> int:
    """Return an issue that is written down on the main branch."""
    number = referee.issue(referee.body(), "dispute", "accepted")
    case = case_of(referee.database, "dispute", referee.happening(number, "opened").issue)
    referee.github.bare.commit("main", {str(case.path): dump(case.record)})
    git(referee.database.root, "pull", "--quiet", "--ff-only", "origin", "main")
    return number


def resolve(referee: Referee, number: int, *words: str, by: str = "ada", **others: str) -> dict[str, object]:
    return referee.done("dispute", "resolve", str(number), *words, "--by", by, "--pull", **others)


def refused(referee: Referee, number: int, *words: str, by: str = "ada", **others: str) -> str:
    found = referee.call("dispute", "resolve", str(number), *words, "--by", by, "--pull", **others)
    assert found.returncode == 2, found
    return found.stderr


def test_a_correction_invalidates_the_run_on_a_branch_and_its_attempt_is_owed(referee: Referee) -> None:
    number, run = accepted(referee), referee.runs["first"]
    before = files(referee.database.root)
    found = resolve(referee, number, *CORRECTED, by="eve")
    paths = [str(dispute_path(CYCLE, number)), str(invalidation_path(CYCLE, run))]
    assert found["written"] == paths
    now = on(referee, f"disputes/{number}-resolved")
    assert sorted(now) == sorted(paths)
    assert files(referee.database.root) == before
    invalidation = parse_record(now[paths[1]], Invalidation, file=paths[1])
    assert (invalidation.run, invalidation.by) == (run, "eve")
    pull = next(one for one in referee.github.pulls() if one["number"] == found["pull"])
    assert f"Closes #{number}" in pull["body"]
    mentions_nobody(pull["body"], pull["title"], *referee.said(number))
    assert referee.github.labels(number) == ["accepted", "corrected", "dispute"]
    assert "## Corrected" in referee.said(number)[-1] and "Its attempt is owed again." in referee.said(number)[-1]
    owed = len(still_owed(Database(referee.database.root), referee.database.cycle(CYCLE)))
    referee.merge(pull["number"])
    after = Database(referee.database.root)
    assert len(still_owed(after, after.cycle(CYCLE))) >= owed
    assert any(cell.subject == "package/first" for cell in still_owed(after, after.cycle(CYCLE)))
    assert [str(one) for one in check(after, "HEAD~1") if "runs/" in str(one)] == []


def test_that_the_evidence_stands_is_said_with_its_seconds(referee: Referee) -> None:
    number = accepted(referee)
    folder = run_folder(CYCLE, "package/first", "newcomer", referee.runs["first"])
    length = referee.database.read(folder / MANIFEST_FILE, Manifest).coverage.recorded_seconds
    assert "has no second" in refused(referee, number, *STANDS[:-1], f"{length + 1} nothing")
    assert "--seconds is a number" in refused(referee, number, *STANDS)
    found = resolve(referee, number, *STANDS[:-1], "2 it installs; 14.5 it decodes; not more")
    moments = found["dispute"]["resolution"]["moments"]  # type: ignore[index]
    assert moments == [{"seconds": 2.0, "shows": "it installs"}, {"seconds": 14.5, "shows": "it decodes; not more"}]
    assert referee.github.labels(number) == ["accepted", "dispute", "evidence-stands"]
    assert "- at 14.5 s: `it decodes; not more`" in referee.said(number)[-1]


def test_only_those_resolve_who_may_write(referee: Referee) -> None:
    number = accepted(referee)
    branches = referee.github.bare.branches()
    for by in ("tom", "rob", "kim", "stranger", "no login"):
        assert "may not write to this repository" in refused(referee, number, *CORRECTED, by=by)
    started = refused(referee, number, *CORRECTED, GITHUB_TRIGGERING_ACTOR="rob")
    assert "rob started this workflow, and so resolves nothing in the name of ada." in started
    assert referee.github.bare.branches() == branches
    assert resolve(referee, number, *CORRECTED, GITHUB_TRIGGERING_ACTOR="ada")["pull"]


def test_the_same_resolution_again_does_nothing_new_and_another_is_refused(referee: Referee) -> None:
    number = accepted(referee)
    first = resolve(referee, number, *CORRECTED)
    tip, said = referee.github.bare.tip(f"disputes/{number}-resolved"), referee.said(number)
    again = resolve(referee, number, *CORRECTED)
    assert (again["pull"], again["dispute"]) == (first["pull"], first["dispute"])
    assert "another resolution of issue" in refused(referee, number, *CORRECTED, by="eve")
    assert "another resolution of issue" in refused(referee, number, *STANDS[:-1], "2 it installs")
    assert referee.github.bare.tip(f"disputes/{number}-resolved") == tip and referee.said(number) == said
    for by in ("ada", "referee-app[bot]"):
        kept = referee.done("dispute", "accept", "--event", str(referee.labelled(number, "corrected", by)))
        assert kept["came"] == "left alone" and "corrected" in referee.github.labels(number)
    other = referee.done("dispute", "accept", "--event", str(referee.labelled(number, "evidence-stands")))
    assert other["came"] == "not accepted" and "evidence-stands" not in referee.github.labels(number)
    referee.merge(first["pull"])  # type: ignore[arg-type]
    assert "was resolved already" in refused(referee, number, *CORRECTED)


def test_what_waits_for_review_is_not_resolved_yet(referee: Referee) -> None:
    number = referee.issue(referee.body(), "dispute")
    accept_issue(referee.desk, happening_of(referee, number))
    assert f"there is no dispute of issue {number} here" in refused(referee, number, *CORRECTED)


def test_a_checkout_that_is_behind_resolves_nothing(referee: Referee) -> None:
    number = accepted(referee)
    path = str(dispute_path(CYCLE, number))
    referee.github.bare.commit("main", {path: referee.github.bare.files("main")[path] + b"# another\n"})
    assert "is not what the branch main of the remote holds" in refused(referee, number, *CORRECTED)
    git(referee.database.root, "pull", "--quiet", "origin", "main")
    assert resolve(referee, number, *CORRECTED)["pull"]


def test_an_edit_of_a_resolved_dispute_is_not_kept(referee: Referee) -> None:
    number = accepted(referee)
    referee.merge(resolve(referee, number, *CORRECTED)["pull"])  # type: ignore[arg-type]
    done = revise_issue(referee.desk, edit(referee, number, referee.body(claim="Still.")))
    assert done.came == "not revised" and "It was resolved before." in referee.said(number)[-1]
    dispute = Database(referee.database.root).read(dispute_path(CYCLE, number), Dispute)
    assert dispute.resolution is not None
