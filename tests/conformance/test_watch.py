"""What is started inside is seen from outside, with its words, its end, and what started it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from argusic.sandbox.protocol import Sandbox, Started, Watch

pytestmark = pytest.mark.sandbox
Start = Callable[..., Sandbox]


@pytest.fixture
def watched(box: Sandbox) -> tuple[Sandbox, Watch]:
    watch = box.watch()
    assert watch is not None, "this kernel does not let programs be seen from outside"
    return box, watch


def seen(watched: tuple[Sandbox, Watch], *argv: str, seconds: float = 30) -> list[Started]:
    box, watch = watched
    since = time.monotonic()
    box.run(argv, timeout=seconds)
    time.sleep(0.2)
    return watch.seen(since, time.monotonic())


def test_a_program_is_seen_with_its_words_and_its_end(watched: tuple[Sandbox, Watch]) -> None:
    script = "true 'two words' ''; sh -c 'exit 3'; kill -9 $$"
    found = seen(watched, "bash", "-c", script)
    shell = next(one for one in found if one.argv[0] == "bash")
    assert shell.argv == ("bash", "-c", script)
    assert shell.ended is not None and shell.ended >= shell.started
    inner = next(one for one in found if one.argv == ("sh", "-c", "exit 3"))
    assert inner.exit_status == 3 and inner.above is not None and found[inner.above] == shell


def test_each_of_many_short_programs_is_seen(watched: tuple[Sandbox, Watch]) -> None:
    found = seen(watched, "bash", "-c", "for n in $(seq 300); do /bin/true $n; done")
    words = [one.argv[1] for one in found if one.argv[0] == "/bin/true"]
    assert words == [str(number) for number in range(1, 301)]
    assert all(one.exit_status == 0 for one in found if one.argv[0] == "/bin/true")


def test_programs_side_by_side_are_seen(watched: tuple[Sandbox, Watch]) -> None:
    found = seen(watched, "bash", "-c", "seq 400 | xargs -P 8 -n 1 sh -c 'exit $(($0 % 7))'; true")
    ended = {one.argv[3]: one.exit_status for one in found if one.argv[:2] == ("sh", "-c")}
    assert ended == {str(number): number % 7 for number in range(1, 401)}


def test_a_program_that_is_not_there_counts_once(watched: tuple[Sandbox, Watch]) -> None:
    found = seen(
        watched, "python3", "-c", "import subprocess\ntry: subprocess.run(['nowhere', 'x'])\nexcept OSError: 0"
    )
    assert len([one for one in found if one.argv == ("nowhere", "x")]) == 1


def test_long_words_and_bytes_that_are_no_text_are_seen(watched: tuple[Sandbox, Watch]) -> None:
    found = seen(watched, "python3", "-c", "import os; os.execv('/bin/true', [b'true', b'x' * 100_000, b'\\xff'])")
    last = found[-1]
    assert last.argv[1] == "x" * 100_000 and len(last.argv) == 3 and last.exit_status == 0


def test_threads_that_start_and_end_programs_are_seen(watched: tuple[Sandbox, Watch]) -> None:
    script = "import os, threading, time\nthreading.Thread(target=lambda: os._exit(5)).start()\ntime.sleep(9)"
    found = seen(watched, "python3", "-c", script)
    assert found[0].exit_status == 5


def test_a_killed_program_has_an_end(watched: tuple[Sandbox, Watch]) -> None:
    found = seen(watched, "bash", "-c", "sleep 60 & sleep 0.2; kill -9 $!; wait; true")
    slept = next(one for one in found if one.argv == ("sleep", "60"))
    assert slept.ended is not None and slept.exit_status in (None, 137)


def test_nothing_that_runs_inside_can_end_it_or_is_ended_by_it(watched: tuple[Sandbox, Watch]) -> None:
    box, watch = watched
    seen(watched, "bash", "-c", "kill -9 -1; kill -9 1; exit 0")
    assert box.run(["sh", "-c", "echo still here"]).output == b"still here\n"
    assert seen(watched, "sh", "-c", "exit 4")[0].exit_status == 4
    assert box.watch() is watch


def test_destroying_leaves_no_observer_and_hangs_nobody(start: Start) -> None:
    box = start()
    watch = box.watch()
    assert watch is not None
    process = box.spawn(["bash", "-c", "while :; do /bin/true; done"])
    time.sleep(0.3)
    begun = time.monotonic()
    box.destroy()
    process.close()
    assert time.monotonic() - begun < 10


def test_sandboxes_side_by_side_see_their_own_alone(start: Start) -> None:
    one, other = start(), start()
    first, second = one.watch(), other.watch()
    assert first is not None and second is not None
    since = time.monotonic()
    one.run(["sh", "-c", ":", "mine"])
    other.run(["sh", "-c", ":", "theirs"])
    time.sleep(0.2)
    assert {found.argv[3] for found in first.seen(since, time.monotonic())} == {"mine"}
    assert {found.argv[3] for found in second.seen(since, time.monotonic())} == {"theirs"}
