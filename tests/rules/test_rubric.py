"""The four lines, the outcomes and the total, against a slow twin written from the methodology's own sentences."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.errors import InputError
from argusic.records.edition import Edition
from argusic.records.findings import Invalidation
from argusic.records.report import Report
from argusic.records.run import Run, RunReport
from argusic.rules.rubric import score, score_report


def _report(draw: st.DrawFn) -> dict[str, Any]:
    fixed = draw(st.lists(st.booleans(), max_size=9))
    fields: dict[str, Any] = {
        "installed": draw(st.booleans()),
        "launched": draw(st.booleans()),
        "test_depth": draw(st.sampled_from(["tier1_real", "tier2_mock", "tier3_none"])),
        "verified_how": draw(
            st.sampled_from(["not verified", "Not verified.", "ran it", {"command": "c", "result": "r"}])
        ),
        "final_state": "It ended.",
    }
    how = draw(st.sampled_from(["list", "counts", "both"]))
    if how != "counts":
        fields["errors"] = [{"fixed": value} for value in fixed]
    if how != "list":
        fields["errors_encountered"], fields["errors_fixed"] = len(fixed), sum(fixed)
    return fields


reports = st.composite(_report)()


def accepted(fields: dict[str, Any]) -> RunReport:
    return RunReport(state="read", content=Report.model_validate(fields))


def slow_twin(fields: dict[str, Any]) -> tuple[str, list[Fraction]]:
    """Reckon outcome and lines with nothing but the sentences of section 8."""
    met = fields["errors_encountered"] if "errors_encountered" in fields else len(fields["errors"])
    mended = fields["errors_fixed"] if "errors_fixed" in fields else len([e for e in fields["errors"] if e["fixed"]])
    depth = fields["test_depth"]
    if isinstance(fields["verified_how"], str) and "not verified" in fields["verified_how"].lower():
        depth = "tier3_none"
    install = Fraction(0)
    if fields["installed"]:
        install = Fraction(30)
    launch = Fraction(0)
    if fields["installed"] and fields["launched"]:
        launch = Fraction(30)
    recovery = Fraction(20)
    if met > 0:
        recovery = Fraction(20) * mended / met
    verification = Fraction(0)
    outcome = "fail"
    if launch > 0 and depth == "tier1_real":
        verification, outcome = Fraction(20), "pass_full"
    if launch > 0 and depth == "tier2_mock":
        verification, outcome = Fraction(12), "pass_mock"
    return outcome, [install, launch, recovery, verification]


@given(fields=reports)
def test_every_report_scores_as_the_methodology_says(fields: dict[str, Any], edition: Edition) -> None:
    result = score_report(accepted(fields), edition)
    outcome, points = slow_twin(fields)
    assert result.lines is not None
    assert result.outcome == outcome
    assert [line.points for _, line in result.lines] == points
    assert result.total == sum(points)


@given(fields=reports)
def test_no_line_is_below_zero_or_above_what_it_is_out_of(fields: dict[str, Any], edition: Edition) -> None:
    lines = score_report(accepted(fields), edition).lines
    assert lines is not None
    assert [line.of for _, line in lines] == [30, 30, 20, 20]
    assert all(0 <= line.points <= line.of for _, line in lines)
    assert all(line.rule.startswith(f"{name}.") and line.sentence for name, line in lines)


@given(fields=reports)
def test_more_errors_fixed_never_lowers_a_score(fields: dict[str, Any], edition: Edition) -> None:
    mended = {key: value for key, value in fields.items() if key not in ("errors_encountered", "errors_fixed")}
    met = fields.get("errors_encountered", len(fields.get("errors", ())))
    mended["errors"] = [{"fixed": True}] * met
    before, after = score_report(accepted(fields), edition), score_report(accepted(mended), edition)
    assert before.total is not None and after.total is not None
    assert after.total >= before.total


def test_nothing_went_wrong_scores_error_recovery_in_full_even_when_the_install_failed(edition: Edition) -> None:
    fields = {
        "installed": False,
        "launched": False,
        "errors": [],
        "test_depth": "tier3_none",
        "verified_how": "not verified",
        "final_state": "It did not install.",
    }
    result = score_report(accepted(fields), edition)
    assert result.outcome == "fail"
    assert result.lines is not None
    assert [line.points for _, line in result.lines] == [0, 0, 20, 0]


def test_installed_and_launched_but_unverified_is_eighty_and_a_fail(edition: Edition) -> None:
    fields = {
        "installed": True,
        "launched": True,
        "errors": [{"fixed": True}],
        "test_depth": "tier3_none",
        "verified_how": "not verified",
        "final_state": "It came up.",
    }
    result = score_report(accepted(fields), edition)
    assert result.outcome == "fail"
    assert result.total == 80


@pytest.mark.parametrize("depth", ["tier1_real", "tier2_mock"])
@pytest.mark.parametrize(
    "how",
    [
        "not verified",
        "NOT  VERIFIED!",
        "Not verified: it needs a GPU.",
        '"not verified"',
        "not\u00a0verified",
        {"command": "not verified", "result": "not verified"},
        {"command": "python check.py", "result": "not verified"},
    ],
)
def test_a_depth_that_its_own_proof_denies_scores_as_not_verified(how: Any, depth: str, edition: Edition) -> None:
    fields = {
        "installed": True,
        "launched": True,
        "errors": [],
        "test_depth": depth,
        "verified_how": how,
        "final_state": "It came up.",
    }
    result = score_report(accepted(fields), edition)
    assert result.lines is not None
    assert result.outcome == "fail"
    assert result.total == 80
    assert result.lines.verification_depth.rule == "verification_depth.contradicted"


@pytest.mark.parametrize(
    "how",
    [
        "I decoded it; the thumbnail is not verified.",
        "not verified by ffprobe but decoded by ffmpeg",
        {"command": "grep 'not verified' log", "result": "0 lines are not verified"},
    ],
)
def test_a_proof_that_only_mentions_the_words_stands(how: Any, edition: Edition) -> None:
    fields = {
        "installed": True,
        "launched": True,
        "errors": [],
        "test_depth": "tier1_real",
        "verified_how": how,
        "final_state": "It ran.",
    }
    assert score_report(accepted(fields), edition).outcome == "pass_full"


def test_scores_are_exact_fractions(edition: Edition, make_run: Callable[..., Run]) -> None:
    content = {
        "installed": True,
        "launched": True,
        "errors": [{"fixed": True}, {"fixed": False}, {"fixed": False}],
        "test_depth": "tier1_real",
        "verified_how": "decoded it",
        "final_state": "It ran.",
    }
    result = score(make_run(report={"state": "read", "content": content}), edition)
    assert result.total == Fraction(260, 3)


@given(fields=reports)
def test_a_timeout_scores_zero_on_every_line(
    fields: dict[str, Any], edition: Edition, make_run: Callable[..., Run]
) -> None:
    run = make_run(ending={"how": "time_limit"}, report={"state": "read", "content": fields})
    result = score(run, edition)
    assert result.lines is not None
    assert result.outcome == "timeout"
    assert [line.points for _, line in result.lines] == [0, 0, 0, 0]


@pytest.mark.parametrize("state", ["missing", "malformed"])
def test_a_report_that_is_missing_or_malformed_fails_with_zero_on_every_line(
    state: str, edition: Edition, make_run: Callable[..., Run]
) -> None:
    result = score(make_run(report={"state": state, "problem": "Nothing usable"}), edition)
    assert result.lines is not None
    assert result.outcome == "fail"
    assert [line.points for _, line in result.lines] == [0, 0, 0, 0]
    assert result.reason


def test_a_stored_report_without_the_proof_that_its_edition_requires_is_malformed(
    edition: Edition, make_run: Callable[..., Run]
) -> None:
    content = make_run().report.model_dump(mode="json")["content"] | {"verified_how": None}
    result = score(make_run(report={"state": "read", "content": content}), edition)
    assert result.outcome == "fail"
    assert result.total == 0


def test_an_invalidation_makes_a_run_invalid_with_its_reason_and_no_score(
    edition: Edition, make_run: Callable[..., Run]
) -> None:
    run = make_run()
    finding = Invalidation(run=run.run, cycle=run.cycle, reason="A mirror was down.", by="ada", at=run.finished)
    result = score(run, edition, finding)
    assert (result.outcome, result.lines, result.total, result.reason) == ("invalid", None, None, "A mirror was down.")


def test_a_run_is_scored_under_its_own_edition_alone(edition: Edition, make_run: Callable[..., Run]) -> None:
    with pytest.raises(InputError, match="for ever"):
        score(make_run(edition="v1.4"), edition)


def test_an_invalidation_of_another_run_is_refused(edition: Edition, make_run: Callable[..., Run]) -> None:
    run = make_run()
    other = Invalidation(run="20260101T000000Z-bbbbbb", cycle=run.cycle, reason="No.", by="ada", at=run.finished)
    with pytest.raises(InputError):
        score(run, edition, other)


@given(weights=st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100)).filter(lambda w: sum(w) <= 100))
def test_the_lines_follow_the_editions_weights(weights: tuple[int, int, int], edition: Edition) -> None:
    install, launch, recovery = weights
    other = edition.weights.model_copy(
        update={
            "install": install,
            "launch": launch,
            "error_recovery": recovery,
            "verification_depth": edition.weights.verification_depth.model_copy(
                update={"tier1_real": 100 - sum(weights)}
            ),
        }
    )
    fields = {
        "installed": True,
        "launched": True,
        "errors": [],
        "test_depth": "tier1_real",
        "verified_how": "decoded it",
        "final_state": "It ran.",
    }
    result = score_report(accepted(fields), edition.model_copy(update={"weights": other}))
    assert result.total == 100
