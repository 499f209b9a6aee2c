"""Answers to single questions: three ways to write them, one sentence for whatever is none, any order the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.errors import InputError
from argusic.leaderboards.index.items import reading
from argusic.leaderboards.index.items.reading import read_answers
from argusic.leaderboards.index.responses import Responses

GOOD = b"model,question,correct\na,q1,1\na,q2,0\nb,q1,0.5\n"
LINE = b'{"model": "a", "question": "q1", "correct": 1}\n'


def file_of(folder: Path, content: bytes, name: str = "answers") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def rows(responses: Responses) -> list[tuple[str, str, float]]:
    return [
        (responses.models[i], responses.benchmarks[j], float(y))
        for i, j, y in zip(responses.model, responses.benchmark, responses.score, strict=True)
    ]


def test_csv_is_read_with_its_columns_in_any_order_and_others_passed_over(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"\xef\xbb\xbfcorrect,subject,question,model\r\nTrue,math,q2,b\r\n\r\n0.25,,q1,b\r\n")
    assert rows(read_answers([path])) == [("b", "q1", 0.25), ("b", "q2", 1.0)]


def test_lines_of_json_are_read_in_three_shapes_also_mixed(tmp_path: Path) -> None:
    lines = [
        {"model": "a", "question": "q1", "correct": True, "category": "math"},
        {"model": "b", "dataset": "mmlu-pro", "protocol": 1},
        {"question_id": 70, "correct": False, "answer": "C"},
        {"question_id": "q1", "correct": 1},
        {"subject_id": "c", "responses": {"q1": 0, "70": 1}},
    ]
    path = file_of(tmp_path, ("\n\n".join(json.dumps(line) for line in lines)).encode())
    assert rows(read_answers([path])) == [
        ("a", "q1", 1.0),
        ("b", "70", 0.0),
        ("b", "q1", 1.0),
        ("c", "70", 1.0),
        ("c", "q1", 0.0),
    ]


def test_several_files_are_read_together(tmp_path: Path) -> None:
    first, second = file_of(tmp_path, GOOD, "one"), file_of(tmp_path, LINE.replace(b"q1", b"q3"), "two")
    assert read_answers([first, second]).benchmarks == ("q1", "q2", "q3")
    with pytest.raises(InputError, match=r"two:1: the answer of a to q1 stands in .*one:2 already") as raised:
        read_answers([first, file_of(tmp_path, LINE, "two")])
    assert raised.value.exit_code == 2


MALFORMED = {
    "empty": (b"", 1, "is empty"),
    "no header": (b"a,q1,1\n", 1, "lacks the column 'model'"),
    "a column is missing": (b"model,question\na,q1\n", 1, "lacks the column 'correct'"),
    "a column stands twice": (b"model,question,correct,correct\n", 1, "'correct' twice"),
    "no rows": (b"model,question,correct\n", None, "holds no answer"),
    "too few cells": (GOOD + b"c,q1\n", 5, "has 2 cells, the first line 3"),
    "no answer": (GOOD + b"c,q1,\n", 5, "correct: is missing"),
    "a letter for an answer": (GOOD + b"c,q1,B\n", 5, "'B' is no number from 0"),
    "not a number": (GOOD + b"c,q1,nan\n", 5, "'nan' is no number from 0"),
    "percent": (GOOD + b"c,q1,85\n", 5, "'85' is no number from 0"),
    "below nought": (GOOD + b"c,q1,-1\n", 5, "'-1' is no number from 0"),
    "an underscore": (GOOD + b"c,q1,0_1\n", 5, "no number"),
    "an answer twice": (GOOD + b"a,q1,1\n", 5, "the answer of a to q1 stands in line 2 already"),
    "an answer that contradicts itself": (GOOD + b"c,q1,1\na,q2,1\n", 6, "a to q2 stands in line 3 already"),
    "no model": (GOOD + b",q1,1\n", 5, "model: is missing"),
    "no question": (GOOD + b"c, ,1\n", 5, "question: is missing"),
    "a name of a page": (GOOD + b"c," + b"q" * 201 + b",1\n", 5, "has 201 characters"),
    "a name that steers a terminal": (GOOD + b"c\x1b[2J,q1,1\n", 5, "cannot be shown"),
    "no UTF-8": (GOOD + b"\xff\xfe,q1,1\n", 5, "no text in UTF-8"),
    "a null byte": (GOOD + b"c\0,q1,1\n", 5, "null byte"),
    "a quote that never ends": (GOOD + b'"c,q1,1\n', 5, "is no CSV"),
    "half a line of JSON": (LINE + b'{"model": "b", "quest\n', 2, "is no JSON"),
    "a list in JSON": (LINE + b"[1, 2]\n", 2, "is no JSON object"),
    "JSON without end": (LINE + b'{"a":' * 20000 + b"\n", 2, "is no JSON"),
    "a name twice in JSON": (LINE + b'{"model": "b", "model": "c"}\n', 2, "has 'model' twice"),
    "nobody's answer": (b'{"question": "q1", "correct": 1}\n', 1, "no line before it says whose"),
    "no question in JSON": (LINE + b'{"model": "b", "correct": 1}\n', 2, "question_id: is missing"),
    "a question that is a list": (LINE + b'{"model": "b", "question": [1], "correct": 1}\n', 2, "is no name"),
    "a question that is true": (LINE + b'{"model": "b", "question": true, "correct": 1}\n', 2, "is no name"),
    "no answer in JSON": (LINE + b'{"model": "b", "question": "q"}\n', 2, "correct: is missing"),
    "null for an answer": (LINE + b'{"model": "b", "question": "q", "correct": null}\n', 2, "null is no number"),
    "a text for an answer": (LINE + b'{"model": "b", "question": "q", "correct": "1"}\n', 2, '"1" is no number'),
    "no number in JSON": (LINE + b'{"model": "b", "question": "q", "correct": NaN}\n', 2, "NaN is no number"),
    "beyond all numbers": (
        LINE + b'{"model": "b", "question": "q", "correct": 1' + b"0" * 400 + b"}\n",
        2,
        "no number",
    ),
    "an answer of two": (LINE + b'{"subject_id": "b", "responses": {"q": 2}}\n', 2, "responses.q: 2 is no number"),
    "answers in a list": (LINE + b'{"subject_id": "b", "responses": [1]}\n', 2, "is no object"),
    "half a character": (LINE + b'{"model": "\\ud800", "question": "q", "correct": 1}\n', 2, "cannot be shown"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_no_answer_is_one_sentence_with_file_and_line(case: str, tmp_path: Path) -> None:
    content, line, says = MALFORMED[case]
    path = file_of(tmp_path, content)
    with pytest.raises(InputError) as raised:
        read_answers([path])
    said = str(raised.value)
    assert says in said and said.count("\n") == 0 and said.startswith(str(path))
    assert raised.value.place is not None and raised.value.place.line == line


def test_what_is_no_file_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is no file"):
        read_answers([tmp_path])
    monkeypatch.setattr(reading, "MAX_BYTES", 20)
    with pytest.raises(InputError, match="more than 20 bytes"):
        read_answers([file_of(tmp_path, GOOD)])


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["q1", "q2", "q10", "é"])),
        st.sampled_from([0.0, 0.25, 1.0]),
        min_size=1,
    ),
    st.randoms(use_true_random=False),
)
def test_any_order_and_any_shape_of_the_same_answers_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[tuple[str, str], float], random: object
) -> None:
    folder = tmp_path_factory.mktemp("answers")
    expected = Responses.of_rows([(model, question, correct) for (model, question), correct in answers.items()])
    shuffled = list(answers.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    as_csv = "model,question,correct\n" + "".join(f"{m},{q},{y}\n" for (m, q), y in shuffled)
    as_json = "".join(json.dumps({"model": m, "question": q, "correct": y}) + "\n" for (m, q), y in shuffled)
    for text in (as_csv, as_json):
        found = read_answers([file_of(folder, text.encode())])
        assert (found.models, found.benchmarks, found.digest) == (expected.models, expected.benchmarks, expected.digest)
        assert np.array_equal(found.model, expected.model) and np.array_equal(found.score, expected.score)
