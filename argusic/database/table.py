"""The one table of what lies where: each shape of path, the record in it, which code writes it, and its nature."""

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
from argusic.records.findings import ClaimScreening, Dispute, DisputeRevision, Invalidation, Screening, Withdrawal
from argusic.records.index import Addendum, RankingInputs, Reference
from argusic.records.index_ranking import Ranking
from argusic.records.kind import Kind
from argusic.records.manifest import Manifest
from argusic.records.reproduction import Reproduction
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.runners import Runners
from argusic.records.sealed import Recipients
from argusic.records.subject import Subject
from argusic.records.trust import Trust
from argusic.records.verdicts import Verdicts

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
    Row("runners", "rules/runners.yaml", Runners, "people", "rule"),
    Row("rule change", "rules/changes/<change>.yaml", RuleChange, "argusic.referee.changelog.stating", "rule"),
    Row("recipe", "rules/environment/recipe.yaml", Recipe, "people", "rule"),
    Row("packages", "rules/environment/packages.yaml", Packages, "argusic.sandbox.environment.renewing", "rule"),
    Row("environment", "rules/environment/environment.yaml", Environment, "argusic.sandbox.environment.build", "rule"),
    Row(
        "reproduction",
        "runs/reproductions/<cycle>/<reproduction>.yaml",
        Reproduction,
        "argusic.referee.reproducing.recording",
        "fact",
    ),
    Row("close", "runs/<cycle>/close.yaml", Close, "argusic.referee.close", "fact"),
    Row("invalidation", "runs/<cycle>/invalidations/<run>.yaml", Invalidation, "argusic.referee.findings", "fact"),
    Row("dispute", "runs/<cycle>/disputes/<issue>.yaml", Dispute, "argusic.referee.disputes", "fact"),
    Row(
        "dispute revision",
        "runs/<cycle>/disputes/<issue>/<edited>.yaml",
        DisputeRevision,
        "argusic.referee.disputes",
        "fact",
    ),
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
        "reproduction request",
        "runs/<cycle>/requests/reproductions/<run>.yaml",
        ReproductionRequest,
        "argusic.referee.requests",
        "fact",
    ),
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
    Row("sources of the index", "leaderboards/index/data/sources.csv", None, "people", "fact"),
    Row("benchmarks", "leaderboards/index/data/benchmarks.csv", None, "people", "fact"),
    Row("models", "leaderboards/index/data/models.csv", None, "people", "fact"),
    Row(
        "results of benchmarks",
        "leaderboards/index/data/results/<source>.csv",
        None,
        "argusic.leaderboards.index.importing",
        "fact",
    ),
    Row(
        "inputs of a ranking",
        "leaderboards/index/rankings/<date>.yaml",
        RankingInputs,
        "argusic.leaderboards.index.opening, and people",
        "fact",
    ),
    Row(
        "reference",
        "leaderboards/index/references/<reference>.yaml",
        Reference,
        "argusic.leaderboards.index.freezing",
        "fact",
    ),
    Row(
        "addendum",
        "leaderboards/index/references/<reference>/<date>.yaml",
        Addendum,
        "argusic.leaderboards.index.freezing",
        "fact",
    ),
    Row("ranking", "leaderboards/index/derived/<date>.yaml", Ranking, "argusic.referee.recompute", "derived"),
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
