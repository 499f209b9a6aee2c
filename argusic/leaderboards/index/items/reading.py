"""Reads answers to single questions, as CSV or as lines of JSON; one sentence with file and line for whatever is none.

CSV has the columns `model`, `question` and `correct`; others are passed over. Lines of JSON come in three shapes, also
mixed:

- `{"model": "m", "question": "q17", "correct": 1}`: one answer.
- `{"model": "m"}`, and after it `{"question_id": 17, "correct": true}`: a quality run, whose first line says whose the
  answers are.
- `{"subject_id": "m", "responses": {"q17": 1}}`: all answers of a model, as other programs of this field write them.

`correct` is 0, 1, true, false, or a share between them. A wrong answer and one that could not be read from what a model
said are both 0: nothing is guessed.
"""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from argusic.errors import InputError, Place
from argusic.leaderboards.index.items.answers import responses_of
from argusic.leaderboards.index.reading.cells import MAX_NAME, check_name
from argusic.leaderboards.index.reading.rows import check_width, columns_of, numbered, read_text
from argusic.leaderboards.index.responses import Responses

COLUMNS: Final = ("model", "question", "correct")
#: The largest file that is read, in bytes: some five million answers.
MAX_BYTES: Final = 256_000_000


class Answer(NamedTuple):
    """One answer, and the line on which it stands."""

    line: int
    model: str
    question: str
    correct: float


def read_answers(paths: Sequence[Path]) -> Responses:
    """Return the answers of some files together, each question a benchmark of its own.

    Raises:
        InputError: A file cannot be read, a line of it cannot be used, an answer stands twice, or there is none at all.
    """
    models, questions = _Column(), _Column()
    correct, lines, files = array("d"), array("q"), array("q")
    for number, path in enumerate(paths):
        for answer in each_answer(path):
            models.add(answer.model)
            questions.add(answer.question)
            correct.append(answer.correct)
            lines.append(answer.line)
            files.append(number)
    if not correct:
        raise InputError("holds no answer.", place=Place(paths[0] if paths else "the input"))
    made = responses_of(models.names, models.places, questions.names, questions.places, correct)
    if made.again is not None:
        first, second = made.again
        path = paths[files[second]]
        there = (
            f"line {lines[first]}" if files[first] == files[second] else str(Place(paths[files[first]], lines[first]))
        )
        named = f"{models.named(second)} to {questions.named(second)}"
        raise InputError(f"the answer of {named} stands in {there} already.", place=Place(path, lines[second]))
    return made.responses


def each_answer(path: Path) -> Iterator[Answer]:
    """Yield the answers of a file as they stand.

    Raises:
        InputError: The file cannot be read, or a line of it cannot be used.
    """
    text = read_text(path, MAX_BYTES)
    return _of_json(path, text) if text.lstrip()[:1] == "{" else _of_csv(path, text)


class _Column:
    """Names, each held once, and which of them stands in each row."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.places = array("q")
        self._known: dict[str, int] = {}

    def add(self, name: str) -> None:
        place = self._known.setdefault(name, len(self.names))
        if place == len(self.names):
            self.names.append(name)
        self.places.append(place)

    def named(self, row: int) -> str:
        return self.names[self.places[row]]


def _of_csv(path: Path, text: str) -> Iterator[Answer]:
    names = _Names()
    lines = numbered(path, text)
    _, header = next(lines)
    where = columns_of(path, header, COLUMNS).values()
    for line, cells in lines:
        check_width(path, line, cells, header)
        model, question, written = (cells[place].strip() for place in where)
        names.check(path, line, "model", model)
        names.check(path, line, "question", question)
        yield Answer(line, model, question, _written(path, line, written))


def _of_json(path: Path, text: str) -> Iterator[Answer]:
    names, whose = _Names(), None
    # A line ends with a line feed and with nothing else: other ends of lines may stand inside of a text.
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        said = _object(path, line, written)
        if "responses" in said:
            model = names.named(path, line, "subject_id" if "subject_id" in said else "model", said)
            if not isinstance(said["responses"], dict):
                raise InputError("is no object of questions and answers.", place=Place(path, line, "responses"))
            for question, correct in said["responses"].items():
                names.check(path, line, "responses", question)
                yield Answer(line, model, question, _said(path, line, f"responses.{question}", correct))
            continue
        if "model" in said:
            model = names.named(path, line, "model", said)
            if "question" not in said and "question_id" not in said and "correct" not in said:
                whose = model
                continue
        elif whose is None:
            what = "is missing, and no line before it says whose the answers are."
            raise InputError(what, place=Place(path, line, "model"))
        else:
            model = whose
        question = names.named(path, line, "question" if "question" in said else "question_id", said)
        if "correct" not in said:
            raise InputError("is missing.", place=Place(path, line, "correct"))
        yield Answer(line, model, question, _said(path, line, "correct", said["correct"]))


def _object(path: Path, line: int, written: str) -> dict[str, Any]:
    try:
        said = json.loads(written, object_pairs_hook=_once)
    except _TwiceError as error:
        raise InputError(f"has {str(error)[:MAX_NAME]!r} twice.", place=Place(path, line)) from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no JSON.", place=Place(path, line)) from error
    if not isinstance(said, dict):
        raise InputError("is no JSON object.", place=Place(path, line))
    return said


class _TwiceError(Exception):
    """An object of JSON has a name twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        times = Counter(name for name, _ in pairs)
        raise _TwiceError(next(name for name, _ in pairs if times[name] > 1))
    return made


class _Names:
    """Checks names, each once."""

    def __init__(self) -> None:
        self._good: set[str] = set()

    def check(self, path: Path, line: int, field: str, name: str) -> None:
        """Raise where this is no name."""
        if name in self._good:
            return
        check_name(Place(path, line, field), name)
        self._good.add(name)

    def named(self, path: Path, line: int, field: str, said: dict[str, Any]) -> str:
        """Return a name of an object: a text, or a whole number, as which questions are often counted."""
        value = said.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value) if abs(value) < 10**18 else None
        if value is None:
            raise InputError("is missing.", place=Place(path, line, field))
        if not isinstance(value, str):
            raise InputError("is no name.", place=Place(path, line, field))
        name = value.strip()
        self.check(path, line, field, name)
        return name


def _written(path: Path, line: int, written: str) -> float:
    """Return how right an answer is, from a cell."""
    known = _WORDS.get(written)
    if known is not None:
        return known
    if not written:
        raise InputError("is missing.", place=Place(path, line, "correct"))
    try:
        # Python also takes underscores and digits of other scripts for numbers.
        correct = float(written) if written.isascii() and "_" not in written else math.nan
    except ValueError:
        correct = math.nan
    return _checked(path, line, "correct", correct, repr(written[:80]))


def _said(path: Path, line: int, field: str, value: object) -> float:
    """Return how right an answer is, from JSON."""
    if isinstance(value, bool | int | float):
        try:
            return _checked(path, line, field, float(value), json.dumps(value)[:80])
        except OverflowError:
            return _checked(path, line, field, math.inf, "it")
    shown = json.dumps(value)
    raise InputError(f"{shown[:80]} is no number from 0 to 1.", place=Place(path, line, field))


def _checked(path: Path, line: int, field: str, correct: float, written: str) -> float:
    if not 0 <= correct <= 1:
        raise InputError(f"{written} is no number from 0 (wrong) to 1 (right).", place=Place(path, line, field))
    return correct


_WORDS: Final = dict(
    chain.from_iterable(
        ((word, value), (word.title(), value), (word.upper(), value))
        for word, value in (("0", 0.0), ("1", 1.0), ("true", 1.0), ("false", 0.0))
    )
)
