"""What an endpoint may do: fail, cut off, ask for patience, want to be asked otherwise, or say that it is too much."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from socket import AF_INET, SHUT_WR, SOCK_STREAM, socket
from typing import Any

import pytest

from argusic.runs.agents.shell.answer import MOST_CHARACTERS
from argusic.runs.keys.access import ModelUnavailable
from argusic.runs.session import AttemptOver, Mission
from tests.model_server import Asked, ModelServer, Reply, Script, Usage, by_turn, in_order
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.shell.working import DONE, QUICK, Working, as_json, fence, run
from tests.runs.recording import Begin
from tests.sockets import a_socket

STREAM = {"content-type": "text/event-stream"}


def ours(working: Working, step: int = 2) -> dict[str, Any]:
    extra = working.trajectory().steps[step].extra
    assert extra is not None
    found: dict[str, Any] = extra["argusic"]
    return found


def failing(status: int, message: str = "no", code: str = "", **more: Any) -> Reply:
    return Reply(status=status, raw=as_json({"error": {"message": message, "code": code}}), **more)


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    return json.dumps({"choices": [{"delta": delta, "finish_reason": finish}]}, ensure_ascii=False)


def stream(*events: str, end: str = "\n\n") -> Reply:
    return Reply(raw="".join(f"data: {event}{end}" for event in events).encode(), headers=STREAM)


@pytest.mark.parametrize(
    "failure",
    [
        Reply(status=500),
        Reply(status=503, headers={"retry-after": "0"}),
        Reply(status=529),
        Reply(status=429, headers={"retry-after-ms": "20"}),
        Reply(status=429, headers={"retry-after": "Thu, 01 Jan 2026 00:00:00 GMT"}),
        Reply(status=502, raw=b"<html>Bad gateway</html>"),
        replace(run("echo half"), cut_after=3),
        replace(DONE, cut_after=1),
        Reply(raw=b"{", headers={}),
        Reply(raw=b"[]"),
        Reply(raw=b"{}"),
        stream('{"choices": []}'),
        stream(chunk({"content": "DONE"})),
        stream('{"error": {"message": "overloaded", "code": 503}}'),
        stream(chunk({"content": "half"}), "{broken"),
    ],
)
def test_a_passing_failure_is_waited_out(working: Working, failure: Reply) -> None:
    worked = working.work(in_order(failure, failure, DONE))
    assert worked.end == "done"
    assert ours(working)["tries"] == 3


def test_an_endpoint_that_names_a_time_is_left_alone_so_long(working: Working) -> None:
    began = time.monotonic()
    working.work(in_order(Reply(status=429, headers={"retry-after": "1"}), DONE))
    assert time.monotonic() - began >= 1
    assert ours(working)["waited"] >= 1


@pytest.mark.parametrize("script", [in_order(), lambda asked: Reply(status=503)])
def test_an_endpoint_that_never_answers_is_no_doing_of_the_agent(working: Working, script: Script) -> None:
    with pytest.raises(ModelUnavailable, match="asked 12 times"):
        working.work(script)


def test_nobody_there_is_no_doing_of_the_agent(working: Working) -> None:
    with pytest.raises(ModelUnavailable, match="ConnectError"):
        working.work_at("http://127.0.0.1:9/v1")


def test_a_wait_longer_than_the_budget_is_not_begun(working: Working) -> None:
    with pytest.raises(ModelUnavailable, match="budget is over"):
        working.work(in_order(Reply(status=429, headers={"retry-after": "700"})), replace(QUICK, altogether=9999))


def test_the_attempt_s_end_breaks_off_the_waiting(working: Working, session: ShellSession) -> None:
    session._end = time.monotonic() + 1
    long = replace(QUICK, first=0.9, longest=0.9, altogether=99, tries=99)
    with pytest.raises((AttemptOver, ModelUnavailable)):
        working.work(lambda asked: Reply(status=503), long)


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_what_trying_again_does_not_mend_ends_at_once(working: Working, status: int) -> None:
    with pytest.raises(ModelUnavailable, match=f"HTTP {status}"):
        working.work(in_order(failing(status, "model not found")))


def test_a_key_that_an_error_quotes_is_not_quoted_again(working: Working) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        working.work(in_order(failing(401, "Incorrect API key provided: sk-abc123")))
    assert "sk-abc" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        failing(429, "You exceeded your current quota", "insufficient_quota"),
        failing(402, "the run's cap is reached"),
        failing(400, "Budget has been exceeded! Current cost: 3.0", "budget_exceeded"),
        stream('{"error": {"message": "spent", "code": "insufficient_quota"}}'),
    ],
)
def test_a_spent_cap_ends_the_work_honestly(working: Working, reply: Reply) -> None:
    worked = working.work(in_order(run("true"), reply))
    assert worked.end == "cap_reached"
    assert len(worked.server.asked) == 2


def test_a_filter_s_refusal_is_told_and_does_not_end_the_attempt(working: Working) -> None:
    worked = working.work(in_order(failing(400, "filtered", "content_filter"), DONE))
    assert worked.end == "done"
    assert ours(working)["refusal"].startswith("HTTP 400")


def test_an_answer_that_comes_whole_is_as_good(working: Working) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "DO"}, {"type": "text", "text": "NE"}]}
    worked = working.work(in_order(Reply(raw=as_json({"choices": [{"message": message, "finish_reason": "stop"}]}))))
    assert worked.end == "done"


def test_events_are_told_apart_as_the_protocol_says(working: Working) -> None:
    """Pings, other fields, CRLF, a line separator inside of JSON, characters cut in two, and no [DONE]."""
    said = "a\u2028b 🐮 " * 50
    body = (
        b": ping\r\n\r\nevent: x\r\nid: 1\r\n"
        + f"data: {chunk({'content': said})}\r\n\r\n".encode()
        + f"data:{chunk({'content': 'DONE'}, 'stop')}".encode()
    )
    worked = working.work(in_order(Reply(raw=body, headers=STREAM), DONE))
    assert worked.trajectory.steps[2].message == said + "DONE"


def test_an_answer_without_end_is_cut_off(working: Working) -> None:
    piece = chunk({"content": "x" * 1000})
    endless = stream(*[piece] * (MOST_CHARACTERS // 1000 + 50))
    worked = working.work(in_order(endless, DONE))
    assert worked.end == "done"
    assert len(worked.trajectory.steps[2].message) == MOST_CHARACTERS


def test_a_model_that_thinks_inside_its_text_is_understood(working: Working, session: ShellSession) -> None:
    text = "<think>\nmaybe\n```bash\nrm -rf /\n```\n</think>\n\n```bash\necho hi\n```"
    worked = working.work(by_turn(Reply(text), DONE))
    assert [row.command for row in session.commands[1:]] == ["echo hi"]
    assert (worked.trajectory.steps[2].reasoning_content or "").startswith("maybe")


def refusing(when: Callable[[Asked], bool], message: str, *replies: Reply) -> Script:
    """Complain of a question's form as servers do, as long as it has that form."""
    rest = by_turn(*replies)
    return lambda asked: failing(400, message) if when(asked) else rest(asked)


def test_a_server_is_asked_in_the_form_that_it_knows(working: Working, session: ShellSession) -> None:
    worked = working.work(
        refusing(
            lambda asked: "max_tokens" in asked.body,
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            run("true"),
            DONE,
        ),
        max_tokens=77,
    )
    assert worked.sent()["max_completion_tokens"] == 77
    assert len(worked.server.asked) == 3


def test_a_server_that_knows_no_calls_gets_fenced_blocks(working: Working, session: ShellSession) -> None:
    message = "registry/smollm2 does not support tools"
    worked = working.work(refusing(lambda asked: "tools" in asked.body, message, fence("echo hi"), DONE))
    assert worked.end == "done"
    assert worked.told[0].endswith("\nhi")


def test_calls_that_a_server_no_longer_takes_become_fenced_blocks(working: Working) -> None:
    rest = by_turn(run("echo hi"), DONE)
    worked = working.work(
        lambda asked: failing(400, "tools need --jinja") if asked.turn and "tools" in asked.body else rest(asked)
    )
    said, told = worked.sent()["messages"][2:]
    assert said == {"role": "assistant", "content": "```bash\necho hi\n```"}
    assert told["role"] == "user"


@pytest.mark.parametrize(
    ("field", "message"),
    [("stream_options", "Unrecognized request argument supplied: stream_options"), ("reasoning_content", "reasoning")],
)
def test_what_a_server_does_not_take_is_left_out(working: Working, field: str, message: str) -> None:
    worked = working.work(
        refusing(lambda asked: field in json.dumps(asked.body), message, run("true", reasoning="hm"), DONE)
    )
    assert worked.end == "done"
    assert field not in json.dumps(worked.sent())


def test_the_oldest_outputs_go_when_it_is_too_much_and_that_is_said(working: Working) -> None:
    commands = [run(f"echo first-{n}; seq 1 400", usage=lambda asked: Usage(asked.size // 3, 9)) for n in range(12)]
    worked = working.work(in_order(*commands, DONE), context_tokens=4000, max_tokens=500)
    assert worked.end == "done"
    for asked in worked.server.asked:
        assert asked.size // 3 <= 3500
    told = [message["content"] for message in worked.sent()["messages"] if message["role"] == "tool"]
    assert told[0].endswith("[output dropped to make room]")
    assert "first-11" in told[-1]
    dropped = [(step.extra or {})["argusic"].get("dropped") for step in worked.trajectory.steps if step.extra]
    assert {"outputs": 0, "answers": 0} not in dropped
    assert any(dropped)
    assert "first-0" in worked.told[0]


def test_whole_answers_go_when_outputs_are_not_enough(working: Working) -> None:
    thoughts = [run("true", text=f"thought {n} " + "and so on " * 60) for n in range(20)]
    worked = working.work(in_order(*thoughts, DONE), context_tokens=3500, max_tokens=500)
    messages = worked.sent()["messages"]
    assert "oldest answers and what came of them were dropped" in messages[1]["content"]
    assert [message["role"] for message in messages[2:]] == ["assistant", "tool"] * (len(messages[2:]) // 2)


@pytest.mark.parametrize(
    "says",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        "the request exceeds the available context size. try increasing the context size",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_a_server_that_says_it_is_too_much_is_told_less(working: Working, says: str) -> None:
    rest = in_order(*[run(f"echo {n}; seq 1 3000") for n in range(8)], DONE)
    worked = working.work(lambda asked: failing(400, says) if asked.size > 30_000 else rest(asked))
    assert worked.end == "done"
    assert "[output dropped to make room]" in json.dumps(worked.sent())


def test_a_mission_that_is_too_much_ends_the_work_honestly(working: Working) -> None:
    working.mission = replace(working.mission, instructions="word " * 4000)
    worked = working.work(by_turn(DONE), context_tokens=2048)
    assert worked.end == "context_full"
    assert worked.server.asked == []
    assert len(worked.trajectory.steps) == 2


class _Pipe(socketserver.StreamRequestHandler):
    port = 0

    def handle(self) -> None:
        with socket(AF_INET, SOCK_STREAM) as there:
            there.connect(("127.0.0.1", self.port))
            back = threading.Thread(target=self._pump, args=(there, self.connection), daemon=True)
            back.start()
            self._pump(self.connection, there)
            back.join(5)

    @staticmethod
    def _pump(source: socket, target: socket) -> None:
        with suppress(OSError):  # Either side may go first.
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(SHUT_WR)


@contextmanager
def behind_a_socket(server: ModelServer) -> Iterator[Path]:
    """Let a server be reached through a unix socket, as a gateway is."""

    class Unix(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    path = a_socket()
    with Unix(str(path), type("Pipe", (_Pipe,), {"port": server.port})) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield path
        listening.shutdown()
        thread.join(5)


def test_a_gateway_is_reached_through_its_socket_with_the_run_s_token(working: Working) -> None:
    with ModelServer(by_turn(DONE), key="token-of-this-run") as server, behind_a_socket(server) as path:
        working.work_at("http://gateway/v1", socket=path, token="token-of-this-run")
        assert server.asked[0].headers["authorization"] == "Bearer token-of-this-run"
    assert "token-of-this-run" not in (working.folder / "lines").read_text()


def test_a_cancellation_is_heard_while_the_model_thinks(begin: Begin, tmp_path: Path) -> None:
    recording = begin()
    mission = Mission("package", "example", "The task.", "", "subject", "report.yaml", 60)
    timer = threading.Timer(1, recording.cancel.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(AttemptOver):
        Working(recording.session, mission, tmp_path).work(by_turn(Reply("DONE", delay=30)))
    assert time.monotonic() - began < 10
    assert recording.session.ended is not None
    assert recording.session.ended.how == "cancelled"
    assert recording.end().complete
