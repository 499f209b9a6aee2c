"""The reader of issue forms: what GitHub writes is read back, and nothing that a stranger writes makes it fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.errors import InputError
from argusic.github.forms import MOST_OF_AN_ANSWER, Field, Form, read_body, read_form
from argusic.github.outside import block, code, readable, says_something

TEMPLATES = Path(__file__).parents[2] / ".github/ISSUE_TEMPLATE"
FORM = Form(
    (
        Field("run", "Link to the run", True, True),
        Field("claim", "What is wrong", True, False),
        Field("evidence", "Evidence", False, False),
    )
)
#: Pieces of which a hostile body may be put together.
PIECES = st.lists(
    st.sampled_from(
        [
            *(f"### {field.label}" for field in FORM.fields),
            *(f"###  {field.label} " for field in FORM.fields),
            "_No response_",
            "",
            "```",
            "<!--",
            "words",
            "\r",
            "\x00",
            "\u2028",
            "\u202e",
            "20261130T014500Z-k3x7q2",
        ]
    )
    | st.text(max_size=20)
)


def template(name: str) -> Form:
    path = TEMPLATES / name
    return read_form(path.read_bytes(), file=path.name)


def as_github_writes(form: Form, answers: dict[str, str]) -> str:
    """Return the body that GitHub makes of answers."""
    return "\n\n".join(f"### {field.label}\n\n{answers.get(field.name) or '_No response_'}" for field in form.fields)


def test_the_forms_of_this_repository_ask_what_is_read_of_them() -> None:
    dispute, request = template("dispute.yml"), template("request.yml")
    assert [field.name for field in dispute.fields] == ["run", "claim", "expected", "evidence"]
    assert [field.name for field in request.fields] == ["wanted", "of", "reason"]
    assert len(request.fields[0].options) == 2


@given(PIECES, st.sampled_from(["\n", "\r\n", ""]))
def test_every_body_is_read_or_refused_in_one_sentence(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    try:
        answers = read_body(FORM, text)
    except InputError as error:
        assert "\n" not in str(error) and str(error).endswith(".")
        return
    assert {"run", "claim"} <= answers.keys() <= {"run", "claim", "evidence"}
    shown = readable(text)
    for answer in answers.values():
        assert says_something(answer) and answer in shown
        assert not any(hidden in answer for hidden in "\x00\r\u2028\u202e")
    # The run is what stands behind the very first heading, whatever comes later.
    assert shown.lstrip().startswith("### Link to the run")
    assert shown.index(answers["run"]) < shown.index("### What is wrong")


@given(st.text(max_size=200).map(readable), st.text(max_size=200).map(readable))
def test_what_github_writes_of_answers_is_read_back(claim: str, evidence: str) -> None:
    given = {"run": "20261130T014500Z-k3x7q2", "claim": claim.strip(), "evidence": evidence.strip()}
    if any(line.rstrip() in ("### Evidence", "### What is wrong") for line in (claim + "\n" + evidence).split("\n")):
        return
    if not says_something(claim):
        with pytest.raises(InputError, match="is not answered"):
            read_body(FORM, as_github_writes(FORM, given))
        return
    read = read_body(FORM, as_github_writes(FORM, given))
    assert read["claim"] == given["claim"]
    assert read.get("evidence") == (given["evidence"] if says_something(evidence) else None)


@given(st.text(alphabet=st.sampled_from("`~ ab\n@<"), max_size=60) | st.text(max_size=60))
def test_a_quotation_ends_where_it_is_made_to_end(text: str) -> None:
    first, *middle, last = block(text, 1000).split("\n")
    assert first == f"{last}text" and set(last) == {"`"}
    assert not any(line.strip().startswith(last) for line in middle)
    line = code(text)
    fence = line[: len(line) - len(line.lstrip("`"))]
    assert "\n" not in line and line.endswith(fence) and f"{fence}`" not in line
    assert fence not in line[len(fence) : -len(fence)]


def test_a_field_may_be_left_out_where_the_form_lets_it() -> None:
    assert "evidence" not in read_body(FORM, "### Link to the run\n\nx\n\n### What is wrong\n\ny")


def test_an_answer_longer_than_is_read_is_refused() -> None:
    answers = {"run": "x", "claim": "y" * (MOST_OF_AN_ANSWER + 1)}
    with pytest.raises(InputError, match="the field “What is wrong” is longer than 10,000 characters"):
        read_body(FORM, as_github_writes(FORM, answers))


def test_an_answer_that_was_no_choice_is_refused() -> None:
    form = template("request.yml")
    answers = {"wanted": "Everything", "of": "package/x", "reason": "y"}
    with pytest.raises(InputError, match="is none of the answers to choose from"):
        read_body(form, as_github_writes(form, answers))
    answers["wanted"] = form.fields[0].options[1]
    assert read_body(form, as_github_writes(form, answers)) == answers


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "body: text\n",
        "body: []\n",
        "body:\n  - text\n",
        "body:\n  - {type: checkboxes, id: a, attributes: {label: A}}\n",
        "body:\n  - {type: input, id: a}\n",
        "body:\n  - {type: input, id: a, attributes: {label: A}}\n  - {type: input, id: b, attributes: {label: A}}\n",
    ],
)
def test_a_file_that_asks_in_no_known_way_is_no_form(text: str) -> None:
    with pytest.raises(InputError, match=r"^dispute\.yml"):
        read_form(text.encode(), file="dispute.yml")
