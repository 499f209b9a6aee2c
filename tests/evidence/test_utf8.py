from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.utf8 import Utf8Stream
from tests.evidence.cutting import cuts, pieces


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.data())
def test_a_character_split_over_reads_arrives_whole(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    stream = Utf8Stream()
    decoded = "".join(stream.feed(piece) for piece in pieces(raw, data.draw(cuts(raw)))) + stream.finish()
    assert decoded == text
    assert stream.replaced == 0


@given(st.binary(max_size=60), st.data())
def test_bytes_that_are_no_utf8_decode_the_same_however_they_are_cut(raw: bytes, data: st.DataObject) -> None:
    stream = Utf8Stream()
    decoded = "".join(stream.feed(piece) for piece in pieces(raw, data.draw(cuts(raw)))) + stream.finish()
    expected = raw.decode("utf-8", "replace")
    assert decoded == expected
    assert stream.replaced == expected.count("\ufffd") - raw.count(b"\xef\xbf\xbd")


def test_each_replaced_character_is_counted_and_a_printed_replacement_character_is_not() -> None:
    stream = Utf8Stream()
    assert stream.feed(b"a\xffb\xef\xbf\xbdc\xe2\x82") == "a\ufffdb\ufffdc"
    assert stream.replaced == 1
    assert stream.finish() == "\ufffd"
    assert stream.replaced == 2
