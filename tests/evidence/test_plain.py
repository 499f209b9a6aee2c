from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argusic.evidence.plain import LINE_LIMIT, PlainText
from tests.evidence.cutting import cuts, pieces

#: What terminals print, and what hostile programs do: text, every sort of sequence, whole, cut off and unclosed.
_FRAGMENTS = st.sampled_from(
    [
        "a",
        "hello world",
        "é",
        "日本",
        "\n",
        "\r\n",
        "\r",
        "\b",
        "\t",
        "\x07",
        "\x00",
        "\x0e",
        "\x9b",
        "\x1b",
        "\x1b[",
        "\x1b[0m",
        "\x1b[1;31m",
        "\x1b[K",
        "\x1b[2K",
        "\x1b[1K",
        "\x1b[?25l",
        "\x1b]0;title\x07",
        "\x1b]8;;http://a\x1b\\",
        "\x1b]52;c;",
        "\x1bP",
        "\x1b(B",
        "\x1b=",
        "\x1bc",
        "\\",
        ";",
        "\x18",
        "x" * 100,
        "y" * (LINE_LIMIT - 3),
    ]
)


def clean(text: str) -> str:
    plain = PlainText()
    return (plain.feed(text).finished + plain.finish()).decode()


@settings(max_examples=400)
@given(st.lists(_FRAGMENTS, max_size=25).map("".join), st.data())
def test_the_log_does_not_depend_on_how_output_was_cut_into_reads(text: str, data: st.DataObject) -> None:
    plain = PlainText()
    places = data.draw(cuts(text))
    cut = b"".join(plain.feed(piece).finished for piece in pieces(text, places)) + plain.finish()
    assert cut.decode() == clean(text)


@given(st.lists(_FRAGMENTS, max_size=25).map("".join))
def test_no_control_character_but_tab_and_line_feed_is_left(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", clean(text))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")))
def test_text_without_controls_passes_unchanged(text: str) -> None:
    assert clean(text.replace("\n", "\r\n")) == text


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[1;31merror:\x1b[0m no such file\r\n", "error: no such file\n"),
        (" 10%\r 50%\r100%\r\ndone\r\n", "100%\ndone\n"),
        ("Downloading 12 MB\r\x1b[Kdone\r\n", "done\n"),
        ("\x1b[2K\rALL SAMPLES PASSED\r\n", "ALL SAMPLES PASSED\n"),
        ("a|\b/\b-\bok\n", "aok\n"),
        ("\x1b]0;a title\x07text\n", "text\n"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        ("\x1b]52;c;never closed\nnext line\n", "]52;c;never closed\nnext line\n"),
        ("\x1b(Bq\x0e\x0f\x07\n", "q\n"),
        ("no line end", "no line end"),
        ("cut off \x1b[3", "cut off [3"),
    ],
)
def test_a_line_is_kept_as_the_terminal_showed_it(printed: str, shown: str) -> None:
    assert clean(printed) == shown


def test_an_endless_line_is_let_go_in_pieces_and_stays_one_line() -> None:
    plain = PlainText()
    kept = b""
    for _ in range(100):
        read = plain.feed("z" * 1000)
        kept += read.finished
        assert len(read.pending) < LINE_LIMIT
    assert kept + plain.finish() == b"z" * 100_000
