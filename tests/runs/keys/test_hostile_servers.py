"""A model's server that is out to break the referee: what it says is bounded, billed and written down all the same."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal

import pytest

from argusic.evidence.trajectory import TOO_DEEP
from argusic.records.configuration import Api
from argusic.records.usage import MOST_TOKENS
from argusic.runs.keys import forwarding
from argusic.runs.keys.exchanges import read
from tests.model_server import Reply, Usage, always, in_order
from tests.runs.keys.gateways import APIS, KEY, Make

NESTED = b'{"choices": [{"message": {"content": "DONE"}, "finish_reason": "stop"}], "x": %s%s}'


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("said", [MOST_TOKENS + 1, 10**40, 10**400])
def test_a_usage_that_no_exchange_can_have_is_billed_as_it_was_reserved(
    api: Api, stream: bool, said: int, make: Make
) -> None:
    made = make(always(Reply("Hello", usage=Usage(said, said))), api)
    made.ask(stream=stream)
    use = made.gateway.use()
    assert (use.calls, use.in_full, use.input_tokens, use.output_tokens) == (0, 1, 0, 0)
    assert 0 < Decimal(use.billed_usd or "0") < 1


def test_a_usage_at_its_greatest_is_added_up(make: Make) -> None:
    made = make(always(Reply("Hello", usage=Usage(MOST_TOKENS, MOST_TOKENS))))
    made.ask()
    use = made.gateway.use()
    assert (use.calls, use.beyond, use.billed_usd) == (1, 1, "18000000.000000")


@pytest.mark.parametrize("depth", [300, 900, 960, 970, 975, 980, 985, 990, 100_000])
def test_an_answer_that_is_nested_deeply_is_written_down_as_an_answer(depth: int, make: Make) -> None:
    made = make(always(Reply(raw=NESTED % (b"[" * depth, b"]" * depth))))
    made.ask()
    made.gateway.close()
    (exchange,) = read(made.exchanges)
    assert exchange.answer is not None and exchange.answer["status"] == 200
    assert made.gateway.use().in_full == 1
    assert TOO_DEEP in json.dumps(exchange.answer) or depth > 970


@pytest.mark.parametrize("depth", [300, 900, 960, 970, 975, 980, 985, 990])
def test_a_request_that_is_nested_deeply_leaves_nothing_reserved(depth: int, make: Make) -> None:
    made = make(always(Reply("Hello")))
    answer = made.client.post(
        "chat/completions",
        content=b'{"model": "scripted-1", "metadata": {"x": %s%s}, "messages": [{"role": "user", "content": "x"}]}'
        % (b"[" * depth, b"]" * depth),
    )
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"
    assert made.gateway._line.ledger.standing().reserved == 0


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_server_compresses_unasked_is_not_unpacked(times: int, make: Make) -> None:
    body = b" " * 1_000_000
    for _ in range(times):
        body = gzip.compress(body)
    packed = Reply(raw=body, headers={"content-encoding": ", ".join(["gzip"] * times)})
    made = make(in_order(packed, Reply(status=429, raw=body, headers={"content-encoding": "gzip"})))
    answer = made.ask()
    assert answer.status_code == 502 and "compresses" in answer.json()["error"]["message"]
    assert answer.headers["x-should-retry"] == "false"
    made.ask()
    use = made.gateway.use()
    assert (use.failed, use.in_full) == (2, 1)


def test_a_stream_without_end_is_cut(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "LONGEST_ANSWER", 100_000)
    chunk = json.dumps({"choices": [{"index": 0, "delta": {"content": "word " * 100}}]}).encode()
    body = b"".join(b"data: %s\n\n" % chunk for _ in range(1000))
    made = make(always(Reply(raw=body, headers={"content-type": "text/event-stream"})))
    with pytest.raises(Exception, match=r"peer closed|incomplete"):
        made.ask(stream=True)
    use = made.gateway.use()
    assert (use.calls, use.failed, use.in_full) == (0, 1, 1)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [200, 400, 429, 500])
def test_a_key_that_a_server_quotes_is_kept_from_whoever_asked(api: Api, stream: bool, status: int, make: Make) -> None:
    made = make(always(Reply(f"{KEY} is yours", status=status, error=f"{KEY} is wrong")), api)
    answer = made.ask(stream=stream)
    made.gateway.close()
    assert answer.status_code == status
    assert KEY not in answer.text and KEY not in made.exchanges.read_text()
    if status != 200 or not stream:
        assert "[key] is" in answer.text
