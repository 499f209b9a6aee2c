from __future__ import annotations

from pathlib import Path

from argusic.evidence.log import LogWriter


def test_each_prompt_begins_a_line_whose_number_is_given(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "log")
    lines = [log.command("one")]
    log.add(b"a\nb\n", b"unfinished")
    lines.append(log.command("two\nlines"))
    log.add(b"ends without a line end", b"")
    lines.append(log.command("three"))
    log.close()
    text = (tmp_path / "log").read_text().split("\n")
    assert [text[line - 1] for line in lines] == ["$ one", "$ two", "$ three"]
    assert text == ["$ one", "a", "b", "unfinished", "$ two", "> lines", "ends without a line end", "$ three", ""]


def test_the_line_in_progress_is_on_the_disk_and_is_written_again(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "log")
    for pending in (b" 10%", b" 50%", b"100%", b"ok"):
        log.add(b"", pending)
        assert (tmp_path / "log").read_bytes() == pending
    log.end_line()
    assert (tmp_path / "log").read_bytes() == b"ok\n"


def test_final_text_from_elsewhere_goes_before_the_line_in_progress(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "log")
    log.add(b"", b"downloading")
    log.add(b"from the background\n", None)
    log.add(b"downloading done\n", b"")
    assert (tmp_path / "log").read_bytes() == b"from the background\ndownloading done\n"
    assert log.line == 3
