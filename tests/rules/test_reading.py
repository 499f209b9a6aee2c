"""Reading reports: whatever an agent leaves, the answer is an accepted report or a reason, never a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argusic.database.codec import dump, parse_record
from argusic.records.edition import Edition
from argusic.records.report import VerifiedHow
from argusic.records.run import Run
from argusic.rules.reading import MAX_REPORT_BYTES, read_report
from argusic.rules.rubric import score_report

GOOD: dict[str, Any] = {
    "installed": True,
    "launched": True,
    "errors": [{"what": "no compiler", "fix": "installed one", "fixed": True}],
    "test_depth": "tier1_real",
    "verified_how": {"command": "python check.py", "result": "3 rows"},
    "final_state": "It stored three rows and read them back.",
}


def given_as(**changes: Any) -> bytes:
    fields = {key: value for key, value in (GOOD | changes).items() if value is not ...}
    return json.dumps(fields).encode()


def test_a_report_is_read_from_yaml_and_from_json(edition: Edition) -> None:
    as_yaml = b"""
installed: true
launched: true
errors:
  - {what: no compiler, fix: installed one, fixed: true}
test_depth: tier1_real
verified_how:
  command: python check.py
  result: 3 rows
final_state: It stored three rows and read them back.
"""
    assert read_report(as_yaml, edition) == read_report(given_as(), edition)
    assert read_report(as_yaml, edition).state == "read"


def test_fields_of_the_agents_own_invention_are_ignored(edition: Edition) -> None:
    own = given_as(mood="fine", errors=[{"fixed": False, "colour": "red"}], schema=7)
    assert read_report(own, edition).state == "read"


def test_no_report_is_missing(edition: Edition) -> None:
    assert read_report(None, edition).state == "missing"


@pytest.mark.parametrize("how", ["not verified", "I listened to the file.", {"command": "c", "result": "r"}])
def test_the_proof_is_a_text_or_a_command_with_its_result(how: Any, edition: Edition) -> None:
    read = read_report(given_as(verified_how=how), edition).content
    assert read is not None
    assert read.verified_how == (VerifiedHow(**how) if isinstance(how, dict) else how)


MALFORMED = [
    (b"", "not a mapping"),
    (b"installed", "not a mapping"),
    (b"- installed: true", "not a mapping"),
    (b"installed: true\ninstalled: false\n", "twice"),
    (b"installed: [", "line 2: is not valid YAML"),
    (b"\xff\xfe\x00", "byte order mark"),
    (b"a: &x 1\nb: *x\n", "line 1: uses the anchor"),
    (b"--- {a: 1}\n--- {b: 2}\n", "more than one"),
    (b"[" * 10_000, "line 1: "),
    (b"a: " + b"9" * 5_000, "a number has"),
    (b" " * (MAX_REPORT_BYTES + 1), "more than the 262,144"),
    (given_as(installed="yes"), "installed:"),
    (given_as(installed=1), "installed:"),
    (given_as(installed=...), "installed:"),
    (given_as(launched=None), "launched:"),
    (given_as(errors=...), "errors is missing"),
    (given_as(errors={}), "errors:"),
    (given_as(errors=[True]), "errors.0: must be a mapping"),
    (given_as(errors=[{"fixed": "true"}]), "errors.0.fixed:"),
    (given_as(errors=[{"what": "no compiler"}]), "errors.0.fixed:"),
    (given_as(test_depth="tier0"), "test_depth:"),
    (given_as(test_depth=...), "test_depth:"),
    (given_as(verified_how=...), "verified_how is missing, which edition v1.5 requires"),
    (given_as(verified_how=None), "verified_how is missing, which edition v1.5 requires"),
    (given_as(verified_how=" "), "verified_how"),
    (given_as(verified_how=5), "verified_how: must be a mapping"),
    (given_as(verified_how={"command": "c"}), "verified_how.result:"),
    (given_as(final_state=""), "final_state:"),
    (given_as(errors=..., errors_encountered=1, errors_fixed=2), "claims 2 errors fixed of 1 encountered"),
    (given_as(errors=..., errors_encountered=1), "come together"),
    (given_as(errors=..., errors_encountered=-1, errors_fixed=-1), "errors_encountered:"),
    (given_as(errors=..., errors_encountered=True, errors_fixed=True), "errors_encountered:"),
    (given_as(errors=..., errors_encountered=10**300, errors_fixed=1), "errors_encountered:"),
    (given_as(errors_encountered=2, errors_fixed=2), "claims 2 of 2 errors fixed, but lists 1 of 1"),
    (given_as(final_state="\ud800"), "is not valid YAML"),
]


@pytest.mark.parametrize(("data", "reason"), MALFORMED)
def test_a_malformed_report_says_why_and_scores_zero(data: bytes, reason: str, edition: Edition) -> None:
    read = read_report(data, edition)
    assert read.state == "malformed"
    assert reason in (read.problem or "")
    result = score_report(read, edition)
    assert result.outcome == "fail"
    assert result.total == 0
    assert read.problem and read.problem in (result.reason or "")


def test_counts_that_agree_with_the_list_are_accepted(edition: Edition) -> None:
    read = read_report(given_as(errors_encountered=1, errors_fixed=1), edition)
    assert read.state == "read"


def test_before_the_proof_was_required_a_report_needs_none(edition: Edition) -> None:
    older = edition.model_copy(update={"report": edition.report.model_copy(update={"verified_how": False})})
    assert read_report(given_as(verified_how=...), older).state == "read"
    assert read_report(given_as(verified_how=...), edition).state == "malformed"


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
any_fields = st.fixed_dictionaries(
    {},
    optional={
        "installed": st.booleans() | json_like,
        "launched": st.booleans() | json_like,
        "errors": st.lists(st.fixed_dictionaries({"fixed": st.booleans()}), max_size=3) | json_like,
        "errors_encountered": st.integers(-1, 5) | json_like,
        "errors_fixed": st.integers(-1, 5) | json_like,
        "test_depth": st.sampled_from(["tier1_real", "tier2_mock", "tier3_none"]) | json_like,
        "verified_how": st.just("not verified") | st.text() | json_like,
        "final_state": st.text() | json_like,
    },
)


def check_the_answer(data: bytes, edition: Edition, make_run: Callable[..., Run]) -> None:
    read = read_report(data, edition)
    assert score_report(read, edition).total is not None
    run = make_run().model_copy(update={"report": read})
    assert parse_record(dump(run), Run, file="run.yaml") == run


@given(data=st.binary(max_size=200))
@example(data=b"\xef\xbb\xbfinstalled: true")
@example(data=b"!!python/object/apply:os.system ['true']")
def test_no_bytes_crash_the_reader(data: bytes, edition: Edition, make_run: Callable[..., Run]) -> None:
    check_the_answer(data, edition, make_run)


@given(fields=any_fields | json_like, as_ascii=st.booleans())
def test_no_document_crashes_the_reader_and_every_answer_can_be_stored(
    fields: Any, as_ascii: bool, edition: Edition, make_run: Callable[..., Run]
) -> None:
    data = json.dumps(fields, ensure_ascii=as_ascii).encode("utf-8", errors="surrogatepass")
    check_the_answer(data, edition, make_run)
