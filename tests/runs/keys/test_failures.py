"""Where the server, the client or the disk fails: who is told what, and what is billed."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from argusic.evidence.livefile import WriteFailed
from argusic.records.configuration import Api
from argusic.runs.keys import exchanges
from argusic.runs.keys.exchanges import read
from argusic.runs.keys.gateway import AT_ONCE, CONNECTIONS, Patience
from tests.model_server import ModelServer, Reply, always, in_order
from tests.runs.keys import gateways
from tests.runs.keys.gateways import APIS, KEY, ROUTES, Make


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_is_not_there_costs_nothing(api: Api, make: Make) -> None:
    made = make("http://127.0.0.1:9/v1", api)
    answer = made.ask()
    assert answer.status_code == 502 and int(answer.headers["retry-after"]) > 0
    assert answer.json()["error"]["type"] in ("server_error", "api_error")
    use = made.gateway.use()
    assert (use.failed, use.in_full, use.billed_usd) == (1, 0, "0.000000")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [400, 404, 429, 500, 529])
def test_an_error_of_the_server_comes_through_and_costs_nothing(api: Api, status: int, make: Make) -> None:
    made = make(in_order(Reply(status=status, headers={"retry-after": "7"}), Reply("Now")), api)
    failed = made.ask(stream=True)
    assert failed.status_code == status and failed.headers["retry-after"] == "7"
    assert "told to fail" in failed.json()["error"]["message"]
    assert made.ask().status_code == 200
    use = made.gateway.use()
    assert (use.calls, use.failed, use.in_full, use.refused) == (1, 1, 0, 0)


@pytest.mark.parametrize("status", [301, 401, 403])
def test_what_a_server_says_of_the_referees_own_key_or_address_stays_here(status: int, make: Make) -> None:
    made = make(always(Reply(status=status, error=f"the key {KEY[:8]}... is wrong", headers={"location": "http://h/"})))
    answer = made.ask()
    made.gateway.close()
    assert answer.status_code == 502 and KEY[:8] not in answer.text and str(status) in answer.text
    assert answer.headers["x-should-retry"] == "false" and "location" not in answer.headers
    assert KEY[:8] not in made.exchanges.read_text()
    assert made.gateway.use().failed == 1


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_ends_the_call_at_once(api: Api, stream: bool, make: Make) -> None:
    made = make(always(Reply("word " * 2000, pause=0.05, delay=0.2)), api)
    began = time.monotonic()
    with gateways.client(made.gateway.access) as hasty, pytest.raises(httpx.TransportError):
        hasty.post(ROUTES[api], json={**gateways.body(api, "Go"), "stream": stream}, timeout=0.1)
    while made.gateway._line.ledger.standing().reserved and time.monotonic() - began < 15:
        time.sleep(0.01)
    assert time.monotonic() - began < 10
    made.gateway.close()
    assert made.gateway.use().in_full == 1
    (exchange,) = read(made.exchanges)
    assert exchange.answer is not None and not exchange.answer["whole"] and "went away" in exchange.answer["what"]


def test_the_end_of_the_run_cuts_what_is_in_flight_and_bills_it(make: Make) -> None:
    made = make(always(Reply("word " * 2000, pause=0.05)))
    failures = []

    def ask() -> None:
        try:
            made.ask(stream=True)
        except httpx.TransportError as error:
            failures.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while made.gateway._line.ledger.standing().reserved == 0:
        time.sleep(0.01)
    time.sleep(0.3)
    began = time.monotonic()
    made.gateway.close()
    asking.join(10)
    assert time.monotonic() - began < 8 and len(failures) == 1
    use = made.gateway.use()
    assert use.in_full == 1 and made.gateway._line.ledger.standing().reserved == 0
    (exchange,) = read(made.exchanges)
    assert exchange.answer is not None and exchange.answer["body"]["choices"][0]["message"]["content"]


def test_a_silent_server_is_not_waited_for_without_end(make: Make) -> None:
    made = make(always(Reply("late", delay=5)), patience=Patience(connect=2, silence=0.5))
    answer = made.ask()
    assert answer.status_code == 504
    assert (made.gateway.use().in_full, made.gateway.use().failed) == (1, 1)


@pytest.mark.parametrize("raw", [b"", b"no JSON", b"[1]", b'{"usage": {"prompt_tokens": "9"}}', b'{"usage": 7}'])
def test_an_answer_that_is_none_comes_through_and_is_billed_in_full(raw: bytes, make: Make) -> None:
    made = make(always(Reply(raw=raw)))
    answer = made.ask()
    assert (answer.status_code, answer.content) == (200, raw)
    assert made.gateway.use().in_full == 1


@pytest.mark.parametrize("api", APIS)
def test_a_stream_of_nonsense_comes_through_byte_for_byte(api: Api, make: Make) -> None:
    odd = b"".join(
        (
            b': hello\r\n\r\ndata: {"choices": 7, "type": 3}\n\ndata: [1]\r\rdata: {"response": []}\n\n',
            b'event: x\ndata: {"delta": 1}\n\ndata: {"choices": [{"delta": {"tool_calls": [7]}}],\n',
            b'data: "type": "message_delta", "usage": []}\n\nrest',
        )
    )
    made = make(always(Reply(raw=odd, headers={"content-type": "text/event-stream"})), api)
    answer = made.ask(stream=True)
    assert (answer.status_code, answer.content) == (200, odd)
    assert made.gateway.use().in_full == 1


def test_what_cannot_be_written_down_is_not_asked(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(always(Reply("Done"))) as server:
        made = make(server)

        def full(*_: object) -> None:
            raise WriteFailed(28, "No space left on device")

        monkeypatch.setattr(made.gateway._line.log._file, "append", full)
        answer = made.ask()
    assert answer.status_code == 500 and server.asked == []
    assert "No space left" in (made.gateway.fault or "")
    assert made.gateway._line.ledger.standing().reserved == 0


def test_garbage_on_the_socket_harms_nobody(make: Make) -> None:
    made = make(always(Reply("Done")))
    for noise in (
        b"\x00" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 9\r\n\r\n",
    ):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(made.gateway.access.socket))
            stranger.sendall(noise)
    assert made.ask().status_code == 200


def test_a_client_that_opens_connections_without_end_is_cut_and_others_are_answered(make: Make) -> None:
    made = make(always(Reply("Done")))
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(CONNECTIONS + 40)]
        for one in idle:
            one.settimeout(10)
            one.connect(str(made.gateway.access.socket))
        assert [one.recv(1) for one in idle[CONNECTIONS + 1 :]] == [b""] * 39
        for one in idle[:2]:
            one.close()
        time.sleep(0.3)
        assert made.ask().status_code == 200


def test_more_calls_than_are_answered_at_once_wait_for_their_turn(make: Make) -> None:
    made = make(always(Reply("Done", delay=0.3)))
    with ThreadPoolExecutor(2 * AT_ONCE) as pool:
        statuses = list(pool.map(lambda _: made.ask().status_code, range(2 * AT_ONCE)))
    assert statuses == [200] * 2 * AT_ONCE


def test_no_more_is_kept_of_a_run_than_there_is_room_for(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "MOST_BYTES", 3000)
    monkeypatch.setattr(exchanges, "MOST_REFUSED", 2)
    made = make(always(Reply("Done")))
    assert made.ask("x" * 4000).status_code == 200
    assert [made.ask().status_code for _ in range(4)] == [413] * 4
    assert made.gateway.use().refused == 4 and made.exchanges.read_text().count("refused") == 2
