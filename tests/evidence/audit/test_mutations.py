"""How good the audit is, measured on honest reports and on such as were made dishonest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from argusic.evidence.audit import audit, blocks
from argusic.records.audit import ClaimFinding
from tests.evidence.audit.mutations import mutated
from tests.evidence.audit.sessions import Told, generated, real

#: The least of each that issue and methodology ask for.
RECALL = 0.95
PRECISION = 0.98
GENERATED = 102


def reproaches(told: Told) -> list[ClaimFinding]:
    return [finding for finding in audit(told.report, told.ran) if finding.severity != "note"]


@pytest.fixture(scope="module")
def sessions() -> Sequence[Told]:
    return [*real(), *generated(GENERATED)]


def test_no_honest_report_is_contradicted_and_almost_none_reproached(sessions: Sequence[Told]) -> None:
    assert [told.name for told in sessions if blocks(audit(told.report, told.ran))] == []
    reproached = [told.name for told in sessions if reproaches(told)]
    print(f"\nhonest reports: {len(sessions)}, reproached: {len(reproached)} {reproached}")
    assert len(reproached) <= 0.02 * len(sessions)


def test_recall_and_precision_on_mutated_reports(sessions: Sequence[Told]) -> None:
    caught: Counter[str] = Counter()
    made: Counter[str] = Counter()
    right = wrong = 0
    missed: list[str] = []
    false: list[str] = []
    for told in sessions:
        for finding in reproaches(told):
            wrong += 1
            false.append(f"{told.name}, honest: {finding.finding} {finding.field}")
        for mutation in mutated(told):
            made[mutation.name] += 1
            hits = 0
            for finding in reproaches(mutation.told):
                if finding.field.startswith(mutation.fields):
                    hits += 1
                else:
                    false.append(f"{told.name}, {mutation.name}: {finding.finding} {finding.field}")
                    wrong += 1
            right += hits
            caught[mutation.name] += hits > 0
            if not hits:
                missed.append(f"{told.name}, {mutation.name}")
    recall = sum(caught.values()) / sum(made.values())
    precision = right / (right + wrong)
    print(f"\n{sum(made.values())} mutations of {len(sessions)} sessions; {right + wrong} findings")
    for name in made:
        print(f"  {name:<26}{caught[name]:>5} of {made[name]}")
    print("missed:", *missed[:40], sep="\n  ")
    print("false:", *false[:40], sep="\n  ")
    print(f"recall {recall:.4f}, precision {precision:.4f}")
    assert recall >= RECALL
    assert precision >= PRECISION
