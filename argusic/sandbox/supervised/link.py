"""The host's end of the line to a sandbox's supervisor: orders with their answers, and commands with their ends."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from argusic.sandbox.supervisor import receive_message, send_message

#: A supervisor answers at once; one that is silent for this long is as good as dead.
ANSWER_SECONDS = 30


class LinkClosed(Exception):
    """The supervisor is no longer there."""


class Command:
    """A command inside, by the number under which the supervisor knows it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._ended = threading.Event()
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status (128 + n for signal n), or None while the command runs."""
        return self._status

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for the end at most `timeout` seconds; return as `poll` does."""
        self._ended.wait(timeout)
        return self._status

    def end(self, status: int) -> None:
        """Take note of how the command ended."""
        if self._status is None:
            self._status = status
            self._ended.set()


class Link:
    """The line to one supervisor. Safe to use from several threads."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._answers: dict[int, Future[tuple[dict[str, Any], list[int]]]] = {}
        self._commands: dict[int, Command] = {}
        self.ready = threading.Event()
        """Set once the supervisor serves, or is gone."""
        self.closed = threading.Event()
        """Set once the supervisor is gone."""

    def listen(self, at_end: Callable[[], None]) -> None:
        """Take what the supervisor says until it is gone; then call `at_end`, and end what was still waiting."""
        try:
            while (received := receive_message(self._channel)) is not None:
                self._take(*received)
        except OSError:
            pass  # The line was cut: the same as its end.
        at_end()
        with self._lock:
            self.closed.set()
            self.ready.set()
            for answer in self._answers.values():
                answer.set_exception(LinkClosed())
            self._answers.clear()
            for command in self._commands.values():
                command.end(137)
            self._commands.clear()

    def _take(self, message: dict[str, Any], fds: list[int]) -> None:
        if message.get("event") == "ready":
            self.ready.set()
        elif message.get("event") == "exit":
            with self._lock:
                command = self._commands.pop(message["id"], None)
            if command is not None:
                command.end(message["status"])
        else:
            with self._lock:
                answer = self._answers.pop(message["id"], None)
            if answer is not None:
                answer.set_result((message, fds))

    def order(self, op: str, fds: tuple[int, ...] = (), **details: object) -> list[int]:
        """Give an order and return the descriptors that came with its answer.

        Raises:
            LinkClosed: The supervisor is gone.
            OSError: It could not do what was asked.
        """
        return self._order(next(self._numbers), op, fds, details)

    def start(self, op: str, fds: tuple[int, ...] = (), **details: object) -> tuple[Command, list[int]]:
        """Give an order that starts a command; return it, and the descriptors that came with the answer."""
        command = Command(next(self._numbers))
        with self._lock:
            self._commands[command.number] = command
        return command, self._order(command.number, op, fds, details)

    def _order(self, number: int, op: str, fds: tuple[int, ...], details: dict[str, object]) -> list[int]:
        answer: Future[tuple[dict[str, Any], list[int]]] = Future()
        with self._lock:
            if self.closed.is_set():
                raise LinkClosed
            self._answers[number] = answer
        try:
            with self._sending:
                send_message(self._channel, {"id": number, "op": op, **details}, fds)
        except OSError as error:
            raise LinkClosed from error
        try:
            message, received = answer.result(ANSWER_SECONDS)
        except TimeoutError as error:
            raise LinkClosed from error
        if "error" in message:
            raise OSError(message["error"])
        return received
