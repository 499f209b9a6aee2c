"""The shell is read as a shell reads it, as far as it matters which programs run and whose status counts."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.evidence.audit.acts import acts
from argusic.evidence.audit.shell import Unreadable, parse
from argusic.evidence.audit.status import unheeded
from argusic.evidence.audit.tables import tables

KNOWN = tables()


def programs(command: str) -> list[str]:
    return [act.simple.program for pipe in acts(parse(command), KNOWN) for act in pipe if act.simple.words]


def lost(command: str) -> dict[str, str]:
    return {one.simple.program: one.how for one in unheeded(parse(command), KNOWN)}


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("cat > r.yaml << 'END'\npython3 decode.py\nEND", ["cat"]),
        ("cat <<EOF | jq .\n{}\nEOF\necho done", ["cat", "jq", "echo"]),
        ("cat <<-A <<B\n\tone\n\tA\ntwo\nB\nls", ["cat", "ls"]),
        ("echo 'jq . x; rm y' \"and; this\"", ["echo"]),
        ('echo "$(jq -r \'.a "b"\' x)" `date`', ["jq", "date", "echo"]),
        ("diff <(a x) <(b y)", ["a", "b", "diff"]),
        ("bash -lc 'a && b | c'", ["a", "b", "c"]),
        ("timeout -k 5 20 env X=1 sudo -u me nice -n 5 a --b", ["a"]),
        ("poetry run pytest -q", ["pytest"]),
        ("docker exec -it box psql -c 'select 1'", ["psql"]),
        ("find . -name '*.x' -exec jq . {} \\;", ["jq"]),
        ("find . | xargs -n 1 identify", ["find", "identify"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "c", "b", "d", "e"]),
        ("for f in $(ls); do a $f; done; while b; do c; done", ["ls", ":", "a", "b", "c"]),
        ("case $1 in x|y) a ;; (z) b ;; esac", ["a", "b"]),
        ("f() { a; }; b; f", ["b", "a"]),
        ("f() { a; }; b", ["b"]),
        ("a # b; c\nd", ["a", "d"]),
        ("a \\\n  --long && \\\nb", ["a", "b"]),
        ("X=$(a) Y=2 b 2>&1 >out <in", ["a", "b"]),
        ("[[ -f x && $y == *(z) ]] || a", ["[[", "a"]),
        ("eval 'a; b'", ["a", "b"]),
        ("bash <<'E'\na | b\nE", ["a", "b"]),
    ],
)
def test_what_runs_is_told_from_what_is_only_text(command: str, run: list[str]) -> None:
    assert programs(command) == run


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("a && b", {}),
        ("a || true", {"a": "or"}),
        ("a || exit 1", {}),
        ("a || { echo no; exit 1; }", {"echo": "sequence"}),
        ("a; b", {"a": "sequence"}),
        ("set -e; a; b", {}),
        ("a | cat", {"a": "pipe"}),
        ("a | grep x", {}),
        ("set -o pipefail; a | cat", {"set": "sequence"}),
        ("bash -o pipefail -c 'a | cat'", {"set": "sequence"}),
        ("set -euo pipefail\na | tee x\nb", {}),
        ("a & b", {"a": "background"}),
        ("(a; b) | tail -3", {"a": "pipe", "b": "pipe"}),
        ("if a; then b; fi", {}),
        ("bash -c 'a || true'", {"a": "or"}),
        ("a && b || echo failed", {"a": "or", "b": "or"}),
    ],
)
def test_a_failure_that_the_status_does_not_tell_is_known(command: str, how: dict[str, str]) -> None:
    assert lost(command) == how


def test_a_status_that_is_printed_can_be_read_there() -> None:
    (one,) = unheeded(parse('pytest -q; echo "exit=$?"'), KNOWN)
    assert one.shown == r"exit=(\d+)"


@pytest.mark.parametrize("command", ["echo 'open", 'a "b', "a &&", "a | ", "$(a", "if a; then b", "(a", ")", "a <"])
def test_what_is_no_shell_is_refused(command: str) -> None:
    with pytest.raises(Unreadable):
        parse(command)


_WORDS = [
    "&&",
    "||",
    "$(",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "for",
    "case",
    "esac",
    "eval",
    "[[",
    "]]",
    "f()",
    "2>&1",
    "python3",
    "cat",
    "-c",
]
_PIECES = st.sampled_from(
    (*"abc $`'\"\\;&|()<>{}#!\n\t=*?[]\0é", "<<E\n", "\nE\n", "bash -c ", *(f" {word} " for word in _WORDS))
)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_no_command_line_does_more_than_be_refused(command: str) -> None:
    try:
        script = parse(command)
        acts(script, KNOWN)
        unheeded(script, KNOWN)
    except Unreadable:
        pass


@pytest.mark.parametrize("command", ["(" * 5000, "$(" * 5000, "bash -c '" * 300, "{ " * 3000, "a|" * 20000 + "b"])
def test_deep_and_long_command_lines_end(command: str) -> None:
    with contextlib.suppress(Unreadable):
        acts(parse(command), KNOWN)
