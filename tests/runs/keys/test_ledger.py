"""The ledger, whatever happens in whatever order: the cap holds, nothing is billed twice, and no sum is rounded."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from argusic.records.configuration import Price
from argusic.runs.keys.ledger import Ledger, NoRoom, Reservation, Tariff, Tokens

CAP = Decimal(3)
PRICE = Price(input_usd="3", output_usd="15", cache_read_usd="0.3", as_of="2026-11-30", source="a list made for tests")
TARIFF = Tariff.of(PRICE)

tokens = st.integers(0, 200_000)


class Account(RuleBasedStateMachine):
    """Calls that come and go; the model is a plain list of what was billed and what is reserved."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(PRICE, CAP)
        self.open: dict[int, Decimal] = {}
        self.billed: list[Decimal] = []

    @rule(target=calls, prompt=tokens, answer=tokens, keeps=st.booleans())
    def reserve(self, prompt: int, answer: int, keeps: bool) -> tuple[Reservation, int, int, bool] | None:
        usd = prompt * (TARIFF.kept if keeps else TARIFF.input) + answer * TARIFF.output
        taken = sum(self.billed, Decimal(0))
        held = sum(self.open.values(), Decimal(0))
        try:
            made = self.ledger.reserve(prompt, answer, keeps=keeps)
        except NoRoom as full:
            assert taken + held + usd > CAP
            assert full.for_good == (taken + usd > CAP)
            return None
        assert taken + held + usd <= CAP
        self.open[id(made)] = usd
        return made, prompt, answer, keeps

    @rule(call=consumes(calls), part=st.tuples(*[st.integers(0, 100)] * 3))
    def settle(self, call: tuple[Reservation, int, int, bool] | None, part: tuple[int, int, int]) -> None:
        if call is None:
            return
        made, prompt, answer, _ = call
        read = prompt * part[0] // 100
        cached = read * part[1] // 100
        took = Tokens(read - cached, answer * part[2] // 100, cached)
        self.billed.append(self.ledger.settle(made, took))
        assert self.billed[-1] == TARIFF.cost(took) <= self.open.pop(id(made))

    @rule(call=consumes(calls))
    def settle_in_full(self, call: tuple[Reservation, int, int, bool] | None) -> None:
        if call is not None:
            self.billed.append(self.ledger.settle(call[0], None))
            assert self.billed[-1] == self.open.pop(id(call[0]))
            assert self.ledger.settle(call[0], None) == 0

    @rule(call=consumes(calls))
    def release(self, call: tuple[Reservation, int, int, bool] | None) -> None:
        if call is not None:
            self.ledger.release(call[0])
            self.open.pop(id(call[0]))
            assert self.ledger.settle(call[0], Tokens(10**9, 10**9)) == 0

    @invariant()
    def the_cap_holds(self) -> None:
        standing = self.ledger.standing()
        assert standing.billed == sum(self.billed, Decimal(0))
        assert standing.reserved == sum(self.open.values(), Decimal(0))
        assert standing.billed + standing.reserved <= CAP


TestAccount = Account.TestCase
TestAccount.settings = settings(max_examples=60, stateful_step_count=30)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_cost_is_exact(read: int, written: int, cached: int, kept: int) -> None:
    exact = 3_000_000 * read + 15_000_000 * written + 300_000 * cached + 6_000_000 * kept
    assert TARIFF.cost(Tokens(read, written, cached, kept)) * 10**12 == exact


def test_a_cap_needs_a_price() -> None:
    with pytest.raises(ValueError, match="needs a price"):
        Ledger(None, CAP)
