"""The cap: with many calls in flight, cut and streamed ones among them, what was served never costs more than it."""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

from argusic.records.configuration import Api, Price
from argusic.runs.keys.ledger import Standing, Tariff, Tokens
from tests.model_server import Asked, ModelServer, Reply, Usage, always
from tests.runs.keys.gateways import APIS, KEY, MODEL, Make

DEAR = Price(input_usd="30", output_usd="1500", as_of="2026-11-30", source="a list made for tests")
CAP = Decimal(3)
TARIFF = Tariff.of(DEAR)


def served(server: ModelServer) -> Decimal:
    """Return what the server would ask for all that it worked for, whether anybody heard it or not."""
    usages = [one.usage for one in server.served]
    return sum((TARIFF.cost(Tokens(usage.input, usage.output)) for usage in usages), Decimal(0))


def moody(asked: Asked) -> Reply:
    """Answer as servers do on a bad day."""
    mood = random.Random(asked.number)
    most = (asked.max_tokens or 0) * int(asked.body.get("n") or 1)
    usage = Usage(mood.randint(1, asked.size), mood.randint(1, most))
    reply = Reply("a few words " * mood.randint(1, 8), usage=usage, delay=mood.choice((0, 0.01, 0.05)), pause=0.002)
    kinds = [
        reply,
        reply,
        Reply(reply.text, usage=usage, cut_after=mood.randint(0, 6)),
        Reply(reply.text, usage=usage, tells_usage=False),
        Reply(status=mood.choice((429, 500, 529))),
        Reply(raw=b"no JSON", usage=usage),
    ]
    return mood.choice(kinds)


@pytest.mark.parametrize("api", APIS)
def test_billed_and_reserved_never_pass_the_cap_with_many_calls_in_flight(api: Api, make: Make) -> None:
    with ModelServer(moody, models=(MODEL,), key=KEY) as server:
        made = make(server, api, price=DEAR, cap_usd=CAP)
        ledger = made.gateway._line.ledger
        seen: list[Standing] = []
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.001):
                seen.append(ledger.standing())

        def call(number: int) -> int:
            mood = random.Random(number)
            more = {"n": mood.randint(1, 2)} if api == "openai_chat" else {}
            text = "x" * mood.randint(0, 2000)
            try:
                return made.ask(text, stream=mood.random() < 0.6, **more).status_code
            except httpx.TransportError:
                return 0

        watcher = threading.Thread(target=watch)
        watcher.start()
        with ThreadPoolExecutor(6) as pool:
            statuses = Counter(pool.map(call, range(90)))
        spent = 402 if api == "anthropic_messages" else 429
        for number in range(90, 300):
            if statuses[spent] and ledger.standing().billed > CAP - Decimal("0.3"):
                break
            statuses[call(number)] += 1
        done.set()
        watcher.join()
        made.gateway.close()
    assert max(one.billed + one.reserved for one in seen) <= CAP
    assert max(one.reserved for one in seen) > 2 * Decimal("0.28"), "calls were in flight together"
    use = made.gateway.use()
    assert ledger.standing().reserved == 0
    assert served(server) <= ledger.standing().billed <= CAP
    assert use.beyond == 0 and use.in_full > 0 and use.refused > 0
    assert statuses[200] and statuses[spent]


@pytest.mark.parametrize("api", APIS)
def test_past_the_cap_the_error_is_the_providers_own(api: Api, make: Make) -> None:
    made = make(always(Reply("Done", usage=Usage(10, 100))), api, price=DEAR, cap_usd=Decimal("0.5"))
    while (answer := made.ask()).status_code == 200:
        pass
    error = answer.json()["error"]
    told = {"anthropic_messages": (402, "billing_error")}.get(api, (429, "insufficient_quota"))
    assert (answer.status_code, error["type"]) == told
    assert answer.headers["x-should-retry"] == "false"
    assert Decimal(made.gateway.use().billed_usd or 0) <= Decimal("0.5")


def test_what_only_calls_in_flight_hold_back_is_a_rate_limit_and_goes_through_later(make: Make) -> None:
    made = make(always(Reply("Done", usage=Usage(10, 1), delay=1)), price=DEAR, cap_usd=Decimal("0.5"))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(made.ask)
        while made.gateway._line.ledger.standing().reserved == 0:
            pass
        second = made.ask(max_tokens=200)
        assert (second.status_code, second.json()["error"]["code"]) == (429, "rate_limit_exceeded")
        assert int(second.headers["retry-after"]) > 0
        assert first.result().status_code == 200
    assert made.ask(max_tokens=200).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_an_answer_that_was_cut_or_says_no_usage_is_billed_in_full(api: Api, stream: bool, make: Make) -> None:
    for reply in (Reply("word " * 30, cut_after=4), Reply("word " * 30, tells_usage=False)):
        made = make(always(reply), api, price=DEAR)
        try:
            made.ask(stream=stream)
        except httpx.TransportError:
            assert reply.cut_after is not None
        made.gateway.close()
        use = made.gateway.use()
        assert (use.calls, use.in_full) == (0, 1)
        assert Decimal(use.billed_usd or 0) > 100 * TARIFF.output


def test_a_count_that_runs_along_with_a_stream_is_not_taken_for_the_last_word(make: Make) -> None:
    chunk = '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":{"prompt_tokens":1,%s}}'
    text = ""
    for number in range(3):
        text += "data: " + chunk % f'"completion_tokens":{number}' + "\n\n"
    raw = Reply(raw=text.encode(), headers={"content-type": "text/event-stream"})
    made = make(always(raw), price=DEAR)
    made.ask(stream=True)
    assert made.gateway.use().in_full == 1


def test_many_answers_at_once_are_reserved_for(make: Make) -> None:
    made = make(always(Reply("Done")), price=DEAR, cap_usd=Decimal("0.4"))
    assert made.ask(n=3).status_code == 429
    assert made.ask(n=1).status_code == 200


def test_a_server_that_holds_no_limit_is_billed_for_and_told_of(make: Make) -> None:
    made = make(always(Reply("Done", usage=Usage(10, 5000))), price=DEAR)
    assert made.ask().status_code == 200
    use = made.gateway.use()
    assert use.beyond == 1 and Decimal(use.billed_usd or 0) > CAP
    assert made.ask().status_code == 429


def test_what_goes_into_a_cache_is_reserved_and_billed_at_its_own_price(make: Make) -> None:
    usage = Usage(1000, 10, cached=300, cache_written=200)
    price = Price(**{**DEAR.model_dump(), "cache_read_usd": "3", "cache_write_usd": "40"})
    made = make(always(Reply("Done", usage=usage)), "anthropic_messages", price=price)
    made.ask(cache_control={"type": "ephemeral"})
    expected = (500 * Decimal(30) + 300 * Decimal(3) + 200 * Decimal(40) + 10 * Decimal(1500)).scaleb(-6)
    use = made.gateway.use()
    assert use.billed_usd == f"{expected:.6f}" and (use.input_tokens, use.cached_tokens) == (1000, 300)
