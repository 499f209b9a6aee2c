"""The money of one run: what is billed, what is reserved for calls in flight, and the cap that both stay under.

Before a call is forwarded the most that it can cost is reserved; afterwards it is billed by the server's own count,
or in full where that is not known. Amounts are decimals, so no sum is ever rounded.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from decimal import Decimal

from argusic.records.configuration import Price

#: The dearest that a maker sells the keeping of a prompt for, in prices of its input.
_DEAREST_WRITE = 2


@dataclass(frozen=True)
class Tokens:
    """What one exchange took.

    Attributes:
        input: Tokens read anew, none of those below among them.
        output: Tokens written.
        cached: Tokens read from a cache.
        kept: Tokens read and put into a cache.
    """

    input: int
    output: int
    cached: int = 0
    kept: int = 0


@dataclass(frozen=True)
class Tariff:
    """US dollars for one token."""

    input: Decimal
    output: Decimal
    cached: Decimal
    kept: Decimal

    @classmethod
    def of(cls, price: Price) -> Tariff:
        """Return the tariff of a price list, with what it does not give taken at its dearest."""
        read, write = Decimal(price.input_usd).scaleb(-6), Decimal(price.output_usd).scaleb(-6)
        cached = Decimal(price.cache_read_usd).scaleb(-6) if price.cache_read_usd is not None else read
        kept = Decimal(price.cache_write_usd).scaleb(-6) if price.cache_write_usd is not None else _DEAREST_WRITE * read
        return cls(read, write, cached, kept)

    def cost(self, tokens: Tokens) -> Decimal:
        """Return what an exchange costs."""
        return (
            tokens.input * self.input
            + tokens.output * self.output
            + tokens.cached * self.cached
            + tokens.kept * self.kept
        )


@dataclass(eq=False)
class Reservation:
    """What one call in flight can cost at most."""

    usd: Decimal
    settled: bool = False


class NoRoom(Exception):
    """A call could take what is billed and reserved past the cap.

    Attributes:
        for_good: Whether it would even if nothing else were in flight.
    """

    def __init__(self, for_good: bool) -> None:
        super().__init__()
        self.for_good = for_good


@dataclass(frozen=True)
class Standing:
    """Where a run's money stands."""

    billed: Decimal
    reserved: Decimal
    tokens: Tokens
    calls: int
    in_full: int
    beyond: int


@dataclass
class Ledger:
    """The account of one run. Safe to use from many threads.

    Attributes:
        price: What the model costs; without it tokens are counted, and there is nothing to hold a cap by.
        cap: What billed and reserved may come to at most, in US dollars.
    """

    price: Price | None
    cap: Decimal | None
    _billed: Decimal = Decimal(0)
    _open: set[Reservation] = field(default_factory=set)
    _tokens: Tokens = Tokens(0, 0)
    _calls: int = 0
    _in_full: int = 0
    _beyond: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if self.cap is not None and self.price is None:
            raise ValueError("a cap needs a price")
        self._tariff = Tariff.of(self.price) if self.price is not None else None

    def reserve(self, prompt: int, answer: int, *, keeps: bool = False) -> Reservation:
        """Reserve what a call can cost at most.

        Args:
            prompt: The most tokens that it can read.
            answer: The most that it can write.
            keeps: Whether it may put its prompt into a cache.

        Raises:
            NoRoom: That could go past the cap. Nothing is reserved.
        """
        usd = Decimal(0)
        if self._tariff is not None:
            read = max(self._tariff.input, self._tariff.cached, self._tariff.kept if keeps else Decimal(0))
            usd = prompt * read + answer * self._tariff.output
        with self._lock:
            if self.cap is not None:
                if self._billed + usd > self.cap:
                    raise NoRoom(for_good=True)
                if self._billed + self._reserved() + usd > self.cap:
                    raise NoRoom(for_good=False)
            reservation = Reservation(usd)
            self._open.add(reservation)
            return reservation

    def settle(self, reservation: Reservation, tokens: Tokens | None) -> Decimal:
        """Bill a call by what the server says that it took, or in full where it does not say. Once.

        Returns:
            What was billed now.
        """
        with self._lock:
            if not self._close(reservation):
                return Decimal(0)
            usd = reservation.usd
            if tokens is None:
                self._in_full += 1
            else:
                usd = self._tariff.cost(tokens) if self._tariff is not None else Decimal(0)
                self._calls += 1
                self._beyond += usd > reservation.usd
                self._tokens = Tokens(
                    self._tokens.input + tokens.input,
                    self._tokens.output + tokens.output,
                    self._tokens.cached + tokens.cached,
                    self._tokens.kept + tokens.kept,
                )
            self._billed += usd
            return usd

    def release(self, reservation: Reservation) -> None:
        """Bill nothing for a call: it never reached the model, or the server answered with an error. Once."""
        with self._lock:
            self._close(reservation)

    def standing(self) -> Standing:
        """Return where the account stands at this moment."""
        with self._lock:
            return Standing(self._billed, self._reserved(), self._tokens, self._calls, self._in_full, self._beyond)

    def _reserved(self) -> Decimal:
        return sum((reservation.usd for reservation in self._open), Decimal(0))

    def _close(self, reservation: Reservation) -> bool:
        """Take a reservation out; return whether it was still open."""
        if reservation.settled:
            return False
        reservation.settled = True
        self._open.remove(reservation)
        return True
