from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.commands import MAX_FINDINGS, CommandRow, CommandTableReader, CommandTableWriter, read_commands


def row(number: int = 1, **fields: Any) -> CommandRow:
    facts: dict[str, Any] = {
        "number": number,
        "command": "true",
        "started": 1.0,
        "ended": None,
        "exit_status": None,
        "cut": None,
        "offset": 1,
        "log_line": 1,
    }
    return CommandRow(**{**facts, **fields})


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), max_size=5))
def test_rows_read_back_as_written(tmp_path_factory: pytest.TempPathFactory, commands: list[str]) -> None:
    path = tmp_path_factory.mktemp("table") / "commands.jsonl"
    table = CommandTableWriter(path)
    written = []
    for number, command in enumerate(commands, 1):
        begun = row(number, command=command)
        table.start(begun)
        written.append(begun.model_copy(update={"ended": 2.5, "exit_status": number % 256}))
        table.end(written[-1])
    table.close()
    assert read_commands(path) == written


def test_there_is_one_row_a_command_from_its_start_on(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    table = CommandTableWriter(path)
    for number in (1, 2, 3):
        table.start(row(number))
        assert [found.ended for found in read_commands(path)] == [2.0] * (number - 1) + [None]
        table.end(row(number, ended=2.0, exit_status=0))
        assert len(path.read_bytes().splitlines()) == number


def test_a_row_names_host_place_and_cut(tmp_path: Path) -> None:
    line = row(7, command="make", ended=3.25, cut="command_time", offset=12, log_line=40).line()
    assert json.loads(line) == {
        "number": 7,
        "command": "make",
        "started": 1.0,
        "ended": 3.25,
        "exit_status": None,
        "cut": "command_time",
        "offset": 12,
        "log_line": 40,
        "recorded_by": "host",
    }


@given(st.data())
def test_a_table_cut_off_anywhere_reads_up_to_the_cut(data: st.DataObject) -> None:
    whole = b"".join(row(n).line() for n in range(1, 6))
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    reader = CommandTableReader(io.BytesIO(cut), "table")
    numbers = [found.number for found in reader]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= cut.count(b"\n")


def test_a_gap_in_the_numbers_is_named() -> None:
    reader = CommandTableReader(io.BytesIO(row(1).line() + row(3).line()), "table")
    list(reader)
    assert [str(finding) for finding in reader.findings] == ["table:2: the row has number 3 where 2 is due"]


def test_a_file_of_another_kind_gives_a_bounded_number_of_findings() -> None:
    reader = CommandTableReader(io.BytesIO(b"nonsense\n" * 10_000), "table")
    assert list(reader) == []
    assert len(reader.findings) == MAX_FINDINGS
