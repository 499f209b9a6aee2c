"""Where each record lies: paths from ids, and what a path holds by the one table of who writes what.

Every path is relative to the top of the database and follows from ids alone, so that two writers never meet
and a file whose content disagrees with its path is known to be wrong.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath

from argusic.database.table import TABLE as TABLE
from argusic.database.table import Holding as Holding
from argusic.database.table import Row as Row
from argusic.database.table import what_is as what_is

#: The folders of the database at the top of a checkout.
DATA_FOLDERS = ("pool", "runs", "rules", "leaderboards")
#: The record of a run, and the manifest of its evidence, in the run's folder.
RUN_FILE = "run.yaml"
MANIFEST_FILE = "evidence.yaml"
#: The depth of a run's folder below the top.
RUN_DEPTH = 7
#: The most files that one run keeps in git.
MOST_RUN_FILES = 3

#: Who may sign what, as the repository states it.
TRUST_PATH = PurePosixPath("rules/trust/policy.yaml")
#: Which code is the harness.
HARNESS_PATH = PurePosixPath("rules/harness.yaml")
#: Where the evidence is kept that git does not hold.
EVIDENCE_HOME_PATH = PurePosixPath("rules/evidence.yaml")
#: What the composite index is made from: tables, and results as they were published.
INDEX_DATA = PurePosixPath("leaderboards/index/data")
#: The machines that workflows make attempts on.
RUNNERS_PATH = PurePosixPath("rules/runners.yaml")
#: The published environment: what is asked for, every package pinned, and what was built of it.
RECIPE_PATH = PurePosixPath("rules/environment/recipe.yaml")
PACKAGES_PATH = PurePosixPath("rules/environment/packages.yaml")
ENVIRONMENT_PATH = PurePosixPath("rules/environment/environment.yaml")

#: The folder of screenings that are of runs' claims, where others have a kind of subject.
CLAIMS = "claims"


def initial(slug: str) -> str:
    """Return the folder that keeps a slug among few others: its first character."""
    return slug[0]


def subject_path(kind: str, slug: str) -> PurePosixPath:
    """Return where a subject's identity lies."""
    return PurePosixPath("pool/subjects", kind, initial(slug), f"{slug}.yaml")


def cycle_path(cycle: str) -> PurePosixPath:
    """Return where a cycle lies."""
    return PurePosixPath("pool/cycles", f"{cycle}.yaml")


def agent_path(agent: str) -> PurePosixPath:
    """Return where an agent lies."""
    return PurePosixPath("pool/agents", f"{agent}.yaml")


def revealed_path(agent: str) -> PurePosixPath:
    """Return where the exact configuration of an agent lies that was sealed, once it is revealed."""
    return PurePosixPath("pool/agents/revealed", f"{agent}.yaml")


def edition_path(edition: str) -> PurePosixPath:
    """Return where an edition of the rules lies."""
    return PurePosixPath("rules/editions", f"{edition}.yaml")


def kind_path(kind: str) -> PurePosixPath:
    """Return where a kind's declaration lies."""
    return PurePosixPath("rules/kinds", f"{kind}.yaml")


def instructions_path(instructions: str) -> PurePosixPath:
    """Return where a version of the standard instructions lies."""
    return PurePosixPath("rules/instructions", f"{instructions}.md")


def run_folder(cycle: str, subject: str, agent: str, run: str) -> PurePosixPath:
    """Return the folder of one run.

    Args:
        cycle: The cycle's id.
        subject: The subject's address, `<kind>/<slug>`.
        agent: The agent's id.
        run: The run's id.
    """
    kind, slug = subject.split("/")
    return PurePosixPath("runs", cycle, kind, initial(slug), slug, agent, run)


def invalidation_path(cycle: str, run: str) -> PurePosixPath:
    """Return where a run's invalidation lies."""
    return PurePosixPath("runs", cycle, "invalidations", f"{run}.yaml")


def screening_path(cycle: str, subject: str) -> PurePosixPath:
    """Return where the screening of a subject (by its address) lies."""
    return PurePosixPath("runs", cycle, "screenings", f"{subject}.yaml")


def claim_screening_path(cycle: str, run: str) -> PurePosixPath:
    """Return where the screening of a run's claims lies."""
    return PurePosixPath("runs", cycle, "screenings", CLAIMS, f"{run}.yaml")


def dispute_path(cycle: str, issue: int) -> PurePosixPath:
    """Return where a dispute lies."""
    return PurePosixPath("runs", cycle, "disputes", f"{issue}.yaml")


def dispute_revision_path(cycle: str, issue: int, edited: datetime) -> PurePosixPath:
    """Return where the words of a dispute lie from the moment on at which its issue was edited."""
    return PurePosixPath("runs", cycle, "disputes", str(issue), f"{edited.astimezone(UTC):%Y%m%dT%H%M%SZ}.yaml")


def close_path(cycle: str) -> PurePosixPath:
    """Return where a cycle's close lies."""
    return PurePosixPath("runs", cycle, "close.yaml")


def withdrawal_path(cycle: str, run: str) -> PurePosixPath:
    """Return where the tombstone of a run's withdrawn files lies."""
    return PurePosixPath("runs", cycle, "withdrawn", f"{run}.yaml")


def request_path(cycle: str, subject: str) -> PurePosixPath:
    """Return where the request lies that the stronger agent be run on a subject (by its address)."""
    return PurePosixPath("runs", cycle, "requests", f"{subject}.yaml")


def reproduction_request_path(cycle: str, run: str) -> PurePosixPath:
    """Return where the request lies that a run of a sealed agent be made again."""
    return PurePosixPath("runs", cycle, "requests", "reproductions", f"{run}.yaml")


def conditions_path(cycle: str, sha256: str) -> PurePosixPath:
    """Return where conditions of a cycle's runs lie, by their digest."""
    return PurePosixPath("runs", cycle, "conditions", f"{sha256}.yaml")


def harness_change_path(cycle: str, sha256: str) -> PurePosixPath:
    """Return where the statement lies that the change to the conditions with this digest has no effect."""
    return PurePosixPath("runs", cycle, "harness-changes", f"{sha256}.yaml")


def rule_change_path(sha256: str) -> PurePosixPath:
    """Return where the statement with this digest lies, that a change of rules or harness has no effect."""
    return PurePosixPath("rules/changes", f"{sha256}.yaml")


def reproduction_path(cycle: str, reproduction: str) -> PurePosixPath:
    """Return where a reproduction of a cycle lies, by its id."""
    return PurePosixPath("runs/reproductions", cycle, f"{reproduction}.yaml")


def recipients_path(cycle: str) -> PurePosixPath:
    """Return where the public keys lie that a cycle's raw evidence is sealed to."""
    return PurePosixPath("runs", cycle, "recipients.yaml")


def signatures_folder(cycle: str) -> PurePosixPath:
    """Return the folder of a cycle's signatures."""
    return PurePosixPath("runs", cycle, "signatures")


def signature_path(cycle: str, batch: str) -> PurePosixPath:
    """Return where the signature of a batch, or with `close` that of the cycle's close, lies."""
    return signatures_folder(cycle) / f"{batch}.sigstore.json"


def packs_folder(cycle: str) -> PurePosixPath:
    """Return the folder of a cycle's packs of evidence, where the repository itself keeps them."""
    return PurePosixPath("runs", cycle, "packs")


def pack_path(cycle: str, sha256: str) -> PurePosixPath:
    """Return where a pack lies, by its own digest."""
    return packs_folder(cycle) / f"{sha256}.zip"


def board_path(cycle: str, kind: str) -> PurePosixPath:
    """Return where the board of a cycle and kind lies."""
    return PurePosixPath("leaderboards/boards", cycle, f"{kind}.yaml")


def verdicts_path(cycle: str, kind: str) -> PurePosixPath:
    """Return where the verdicts of a cycle and kind lie."""
    return PurePosixPath("leaderboards/verdicts", cycle, f"{kind}.yaml")


def index_results_path(source: str) -> PurePosixPath:
    """Return where the results lie that were imported from a source, by its id."""
    return INDEX_DATA / "results" / f"{source}.csv"


def ranking_inputs_path(date: str) -> PurePosixPath:
    """Return where it lies what the ranking of a date is made from."""
    return PurePosixPath("leaderboards/index/rankings", f"{date}.yaml")


def reference_path(reference: str) -> PurePosixPath:
    """Return where a reference of the index lies."""
    return PurePosixPath("leaderboards/index/references", f"{reference}.yaml")


def addendum_path(reference: str, date: str) -> PurePosixPath:
    """Return where the addendum of a date to a reference lies."""
    return PurePosixPath("leaderboards/index/references", reference, f"{date}.yaml")


def ranking_path(date: str) -> PurePosixPath:
    """Return where the ranking of a date lies."""
    return PurePosixPath("leaderboards/index/derived", f"{date}.yaml")
