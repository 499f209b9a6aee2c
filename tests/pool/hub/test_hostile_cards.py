"""Cards that were written to keep whoever reads them busy for hours."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from argusic.pool.hub import cards

LENGTH = cards.MAX_CARD


@pytest.mark.parametrize("read", [cards.header, cards.body, cards.summary])
@pytest.mark.parametrize("piece", ["---\n", "\n", "<!--", "```", "[", "[](", "\n ", "&a [", "- " * 50])
def test_a_card_takes_no_time_to_read(read: Callable[[str], object], piece: str) -> None:
    begun = time.process_time()
    read(f"---{piece * (LENGTH // len(piece))}")
    read(f"---\n---\n{piece * (LENGTH // len(piece))}")
    assert time.process_time() - begun < 2


def test_a_header_and_its_text() -> None:
    card = "---\nlicense: mit\ntags: [a]\n---  \n# Title\n\nA model that turns sentences into vectors. It is small.\n"
    assert cards.header(card) == {"license": "mit", "tags": ["a"]}
    assert cards.body(card).startswith("# Title")
    assert cards.summary(card) == "A model that turns sentences into vectors."
    assert cards.header("# Title\n") == {}
    assert cards.body("---\nnever ends\n") == "---\nnever ends\n"
