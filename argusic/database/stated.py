"""The path that the ids inside a record give it: a file whose content disagrees with its path is known to be wrong."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath

from argusic.database import paths
from argusic.database.writing import dump
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
from argusic.records.reproduction import Reproduction
from argusic.records.request import ReproductionRequest, StrongerRequest
from argusic.records.rule_change import RuleChange
from argusic.records.run import Run
from argusic.records.runners import Runners
from argusic.records.sealed import Recipients
from argusic.records.subject import Subject
from argusic.records.trust import Trust
from argusic.records.verdicts import Verdicts


def stated_path(record: Record) -> PurePosixPath | None:
    """Return the path that the ids inside `record` give it; None for a record that lies in a run's folder
    without naming its subject (a manifest), or that is no file of the database."""
    match record:
        case Run():
            return paths.run_folder(record.cycle, record.subject, record.agent, record.run) / paths.RUN_FILE
        case Subject():
            return paths.subject_path(record.kind, record.slug)
        case Cycle():
            return paths.cycle_path(record.cycle)
        case Agent():
            return paths.agent_path(record.agent)
        case Edition():
            return paths.edition_path(record.edition)
        case Kind():
            return paths.kind_path(record.kind)
        case Invalidation():
            return paths.invalidation_path(record.cycle, record.run)
        case Screening():
            return paths.screening_path(record.cycle, record.subject)
        case ClaimScreening():
            return paths.claim_screening_path(record.cycle, record.run)
        case Dispute():
            return paths.dispute_path(record.cycle, record.issue)
        case DisputeRevision():
            return paths.dispute_revision_path(record.cycle, record.issue, record.edited)
        case Reproduction():
            return paths.reproduction_path(record.cycle, record.reproduction)
        case Withdrawal():
            return paths.withdrawal_path(record.cycle, record.run)
        case Recipients():
            return paths.recipients_path(record.cycle)
        case Configuration():
            return paths.revealed_path(record.agent)
        case StrongerRequest():
            return paths.request_path(record.cycle, record.subject)
        case ReproductionRequest():
            return paths.reproduction_request_path(record.cycle, record.run)
        case CycleConditions():
            return paths.conditions_path(record.cycle, hashlib.sha256(dump(record)).hexdigest())
        case HarnessChange():
            return paths.harness_change_path(record.cycle, record.conditions)
        case RuleChange():
            return paths.rule_change_path(hashlib.sha256(dump(record)).hexdigest())
        case Harness():
            return paths.HARNESS_PATH
        case Runners():
            return paths.RUNNERS_PATH
        case Trust():
            return paths.TRUST_PATH
        case EvidenceHome():
            return paths.EVIDENCE_HOME_PATH
        case Recipe():
            return paths.RECIPE_PATH
        case Packages():
            return paths.PACKAGES_PATH
        case Environment():
            return paths.ENVIRONMENT_PATH
        case Close():
            return paths.close_path(record.cycle)
        case Board():
            return paths.board_path(record.cycle, record.kind)
        case Verdicts():
            return paths.verdicts_path(record.cycle, record.kind)
        case RankingInputs():
            return paths.ranking_inputs_path(record.date)
        case Reference():
            return paths.reference_path(record.reference)
        case Addendum():
            return paths.addendum_path(record.reference, record.date)
        case Ranking():
            return paths.ranking_path(record.date)
    return None
