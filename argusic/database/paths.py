"""Where each record lies: paths from ids, ids from paths, and the one table of who writes what.

Every path is relative to the top of the database and follows from ids alone, so that two writers never meet
and a file whose content disagrees with its path is known to be wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from argusic.records.agent import Agent
from argusic.records.base import Record
from argusic.records.board import Board
from argusic.records.conditions import CycleConditions, Harness, HarnessChange
from argusic.records.configuration import Configuration
from argusic.records.cycle import Close, Cycle
from argusic.records.edition import Edition
from argusic.records.environment import Environment, Packages, Recipe
from argusic.records.evidence_home import EvidenceHome
from argusic.records.findings import ClaimScreening, Dispute, Invalidation, Screening, Withdrawal
from argusic.records.kind import Kind
from argusic.records.manifest import Manifest
from argusic.records.request import StrongerRequest
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.sealed import Recipients
from argusic.records.subject import Subject
from argusic.records.trust import Trust
from argusic.records.verdicts import Verdicts

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
#: The published environment: what is asked for, every package pinned, and what was built of it.
RECIPE_PATH = PurePosixPath("rules/environment/recipe.yaml")
PACKAGES_PATH = PurePosixPath("rules/environment/packages.yaml")
ENVIRONMENT_PATH = PurePosixPath("rules/environment/environment.yaml")

#: The folder of screenings that are of runs' claims, where others have a kind of subject.
CLAIMS = "claims"

Nature = Literal["fact", "rule", "derived", "prose"]


@dataclass(frozen=True)
class Row:
    """One row of the table: a shape of path, what it holds, which code writes it, and of what nature it is.

    Attributes:
        name: What such a file is called.
        pattern: The path, with each id in angle brackets.
        model: The record in it; None where it is no record.
        writer: The code that writes it.
        nature: `fact` (what happened or was decided), `rule`, `derived` (by `recompute` alone), or `prose`.
    """

    name: str
    pattern: str
    model: type[Record] | None
    writer: str
    nature: Nature

    def expression(self) -> re.Pattern[str]:
        """Return the pattern as a regular expression with one named group an id."""
        parts = re.split(r"(<\w+>|\*\*/)", self.pattern)
        return re.compile("".join(_expression(part) for part in parts))


@dataclass(frozen=True)
class Holding:
    """What one path holds.

    Attributes:
        row: Its row of the table.
        ids: The ids that the path states, by the name of the record's field.
    """

    row: Row
    ids: dict[str, str]


def _expression(part: str) -> str:
    if part == "**/":
        return "(?:[^/]+/)*"
    if part in ("<file>", "<rest>"):
        return f"(?P{part}[^/]+)"
    if part.startswith("<"):
        return f"(?P{part}[a-z0-9_][A-Za-z0-9._-]*)"
    return re.escape(part)


#: The table, most particular first. It ships in the documentation.
TABLE: tuple[Row, ...] = (
    Row("cycle", "pool/cycles/<cycle>.yaml", Cycle, "argusic.pool.trial, and people", "fact"),
    Row(
        "revealed configuration", "pool/agents/revealed/<agent>.yaml", Configuration, "argusic.evidence.sealing", "fact"
    ),
    Row("agent", "pool/agents/<agent>.yaml", Agent, "argusic.evidence.sealing, and people", "fact"),
    Row("subject", "pool/subjects/<kind>/<initial>/<slug>.yaml", Subject, "argusic.pool.trial, and people", "fact"),
    Row("edition", "rules/editions/<edition>.yaml", Edition, "people", "rule"),
    Row("kind", "rules/kinds/<kind>.yaml", Kind, "people", "rule"),
    Row("instructions", "rules/instructions/<instructions>.md", None, "people", "rule"),
    Row("trust", "rules/trust/policy.yaml", Trust, "argusic.evidence.trust.publishing, and people", "rule"),
    Row("evidence store", "rules/evidence.yaml", EvidenceHome, "people", "rule"),
    Row("harness", "rules/harness.yaml", Harness, "people", "rule"),
    Row("rule change", "rules/changes/<change>.yaml", RuleChange, "argusic.referee.changelog.stating", "rule"),
    Row("recipe", "rules/environment/recipe.yaml", Recipe, "people", "rule"),
    Row("packages", "rules/environment/packages.yaml", Packages, "argusic.sandbox.environment.renewing", "rule"),
    Row("environment", "rules/environment/environment.yaml", Environment, "argusic.sandbox.environment.build", "rule"),
    Row("close", "runs/<cycle>/close.yaml", Close, "argusic.referee.close", "fact"),
    Row("invalidation", "runs/<cycle>/invalidations/<run>.yaml", Invalidation, "argusic.referee.findings", "fact"),
    Row("dispute", "runs/<cycle>/disputes/<issue>.yaml", Dispute, "argusic.referee.disputes", "fact"),
    Row(
        "claim screening",
        "runs/<cycle>/screenings/claims/<run>.yaml",
        ClaimScreening,
        "argusic.referee.screening_claims",
        "fact",
    ),
    Row("screening", "runs/<cycle>/screenings/<kind>/<slug>.yaml", Screening, "argusic.referee.findings", "fact"),
    Row("withdrawal", "runs/<cycle>/withdrawn/<run>.yaml", Withdrawal, "argusic.referee.withdrawing", "fact"),
    Row(
        "request",
        "runs/<cycle>/requests/<kind>/<slug>.yaml",
        StrongerRequest,
        "argusic.referee.requests",
        "fact",
    ),
    Row("conditions", "runs/<cycle>/conditions/<conditions>.yaml", CycleConditions, "argusic.runs.conditions", "fact"),
    Row(
        "harness change",
        "runs/<cycle>/harness-changes/<conditions>.yaml",
        HarnessChange,
        "argusic.runs.harness_change",
        "fact",
    ),
    Row("recipients", "runs/<cycle>/recipients.yaml", Recipients, "argusic.evidence.sealing", "fact"),
    Row("signature", "runs/<cycle>/signatures/<batch>.sigstore.json", None, "argusic.evidence.signing", "fact"),
    Row("pack", "runs/<cycle>/packs/<sha256>.zip", None, "argusic.evidence.stores.committed", "fact"),
    Row("run", "runs/<cycle>/<kind>/<initial>/<slug>/<agent>/<run>/run.yaml", Run, "argusic.runs.publish", "fact"),
    Row(
        "manifest",
        "runs/<cycle>/<kind>/<initial>/<slug>/<agent>/<run>/evidence.yaml",
        Manifest,
        "argusic.runs.publish",
        "fact",
    ),
    Row("evidence", "runs/<cycle>/<kind>/<initial>/<slug>/<agent>/<run>/<file>", None, "argusic.runs.publish", "fact"),
    Row("board", "leaderboards/boards/<cycle>/<kind>.yaml", Board, "argusic.referee.recompute", "derived"),
    Row("verdicts", "leaderboards/verdicts/<cycle>/<kind>.yaml", Verdicts, "argusic.referee.recompute", "derived"),
    Row("read me", "**/README.md", None, "people", "prose"),
    Row("place holder", "**/.gitkeep", None, "people", "prose"),
)

_EXPRESSIONS = tuple((row, row.expression()) for row in TABLE)


def what_is(path: PurePosixPath | str) -> Holding | None:
    """Return what the file at `path` (from the top of the database) holds; None where nothing may lie."""
    text = str(path)
    for row, expression in _EXPRESSIONS:
        match = expression.fullmatch(text)
        if match:
            return Holding(row, match.groupdict())
    return None


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


def close_path(cycle: str) -> PurePosixPath:
    """Return where a cycle's close lies."""
    return PurePosixPath("runs", cycle, "close.yaml")


def withdrawal_path(cycle: str, run: str) -> PurePosixPath:
    """Return where the tombstone of a run's withdrawn files lies."""
    return PurePosixPath("runs", cycle, "withdrawn", f"{run}.yaml")


def request_path(cycle: str, subject: str) -> PurePosixPath:
    """Return where the request lies that the stronger agent be run on a subject (by its address)."""
    return PurePosixPath("runs", cycle, "requests", f"{subject}.yaml")


def conditions_path(cycle: str, sha256: str) -> PurePosixPath:
    """Return where conditions of a cycle's runs lie, by their digest."""
    return PurePosixPath("runs", cycle, "conditions", f"{sha256}.yaml")


def harness_change_path(cycle: str, sha256: str) -> PurePosixPath:
    """Return where the statement lies that the change to the conditions with this digest has no effect."""
    return PurePosixPath("runs", cycle, "harness-changes", f"{sha256}.yaml")


def rule_change_path(sha256: str) -> PurePosixPath:
    """Return where the statement with this digest lies, that a change of rules or harness has no effect."""
    return PurePosixPath("rules/changes", f"{sha256}.yaml")


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
