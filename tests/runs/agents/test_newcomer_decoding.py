"""What a project produced is decoded by something that would notice if it were wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from argusic.runs.agents.newcomer import replay
from argusic.runs.agents.newcomer.counting import counted, found_none
from argusic.runs.agents.newcomer.failures import fill
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.pages import decoding, links, local_urls

RUNNERS = knowledge().runners


@pytest.mark.parametrize(
    ("output", "passed", "failed"),
    [
        ("..\n205 passed in 3.11s\n", 205, 0),
        ("=== 1 failed, 204 passed, 2 skipped, 3 warnings in 3.11s ===\n", 204, 1),
        ("=== 3 passed, 1 error in 0.1s ===\n", 3, 1),
        ("= 12 passed, 1 xfailed in 65.02s (0:01:05) =\n", 12, 0),
        ("..\n-----\nRan 2 tests in 0.001s\n\nOK\n", 2, 0),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n", 3, 2),
        ("Ran 5 tests in 0.1s\n\nFAILED (SKIP=1)\n", 4, 1),
        ("1..171\n# tests 171\n# pass  171\n\n# ok\n", 171, 0),
        ("# tests 3\n# pass 2\n# fail 1\n", 2, 1),
        ("Tests:       1 failed, 11 passed, 12 total\n", 11, 1),
        ("  5 passing (12ms)\n  1 failing\n", 5, 1),
        ("test result: ok. 30 passed; 0 failed; 0 ignored\n\ntest result: ok. 6 passed; 0 failed; 1 ignored\n", 36, 0),
        ("ok  \texample/a\t0.003s\nok  \texample/b\t(cached)\n", 2, 0),
        ("ok  \texample/a\t0.003s\nFAIL\texample/b\t0.1s\n", 1, 1),
    ],
)
def test_a_runners_own_count_is_read(output: str, passed: int, failed: int) -> None:
    count = counted(output, RUNNERS)
    assert count and (count.passed, count.failed) == (passed, failed)


def test_output_without_a_summary_counts_nothing() -> None:
    assert counted("all good, 12 things passed by\n", RUNNERS) is None


@pytest.mark.parametrize(
    "output", ["Ran 0 tests in 0.000s\n\nOK", "=== no tests ran in 0.01s ===", "collected 0 items"]
)
def test_a_runner_that_found_no_test_is_recognised(output: str) -> None:
    assert found_none(output, RUNNERS)


def played(tmp_path: Path, session: str, *given: str) -> tuple[int, str]:
    """Run a session the way the sandbox does it: by a Python that has nothing of ours."""
    path = tmp_path / "session.txt"
    path.write_text(session, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", replay.__file__, path, *given], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_a_result_as_documented_agrees(tmp_path: Path) -> None:
    status, said = played(tmp_path, ">>> sorted('bca')\n['a', 'b', 'c']\n>>> 6 * 7\n42\n")
    assert status == 0 and "2 of 2 documented results agree" in said


def test_another_result_than_the_documented_one_does_not_agree_and_is_no_failure(tmp_path: Path) -> None:
    status, said = played(tmp_path, ">>> 6 * 7\n43\n")
    assert status == 0 and "0 of 1 documented results agree" in said and "42" in said


def test_an_error_that_the_documentation_shows_agrees_and_one_that_it_does_not_show_fails(tmp_path: Path) -> None:
    shown = ">>> int('x')\nTraceback (most recent call last):\n  ...\nValueError: whatever\n"
    assert played(tmp_path, shown)[0] == 0
    assert "1 of 1 documented results agree" in played(tmp_path, shown)[1]
    status, said = played(tmp_path, ">>> int('x')\n")
    assert status == 1 and "documented results" not in said


def test_what_went_in_is_looked_for_in_what_came_out_and_not_in_the_statements(tmp_path: Path) -> None:
    said = played(tmp_path, ">>> x = 'whistle'\n>>> len(x)\n", "whistle")[1]
    assert "found in what came out: nothing" in said
    said = played(tmp_path, ">>> 'whistle'.upper().lower()\n", "whistle")[1]
    assert "found in what came out: 'whistle'" in said


def test_an_assertion_that_holds_is_a_documented_result(tmp_path: Path) -> None:
    assert "1 of 1 documented results agree" in played(tmp_path, ">>> assert sorted([2, 1]) == [1, 2]\n")[1]
    assert played(tmp_path, ">>> assert not 1\n")[0] == 1


def test_a_shown_result_that_says_nothing_agrees_with_nothing(tmp_path: Path) -> None:
    assert "0 of 0 documented results agree" in played(tmp_path, ">>> 6 * 7\n...\n")[1]


@pytest.mark.parametrize(("ending", "sample"), knowledge().samples.samples.items(), ids=lambda value: str(value)[:6])
def test_each_sample_can_be_made_and_decoded_and_holds_what_it_says(
    tmp_path: Path, ending: str, sample: object
) -> None:
    known = knowledge().samples.samples[ending]
    name = f"sample.{ending}"
    for text in (known.make, known.reads):
        done = subprocess.run(
            ["bash", "-c", fill(text, {"path": name}) or "false"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert all(text in done.stdout for text in known.holds)


def test_addresses_of_this_machine_are_found_and_no_others() -> None:
    text = "Visit `http://localhost:8080/hello/world`. Or http://127.0.0.1:8080, but not https://example.org:80/x"
    assert local_urls(text) == ((8080, "/hello/world"), (8080, "/"))


def test_a_page_is_decoded_by_what_it_is() -> None:
    url = "http://127.0.0.1:1/"
    assert "json.tool" in (decoding(url, '{"a": 1}') or "")
    assert "title" in (decoding(url, "<html><title>Birds</title>") or "")
    assert decoding(url, "<html><title></title>") is None and decoding(url, "plain") is None


def test_only_links_to_pages_of_the_same_server_are_followed() -> None:
    body = '<a href="/a">a</a> <a href="b?x=1">b</a> <a href="https://example.org/">c</a> <link href="/static/x.css">'
    assert links("http://127.0.0.1:1/", body) == ("http://127.0.0.1:1/a", "http://127.0.0.1:1/b?x=1")
