"""Runs a documented command, and looks in what it produced for what went in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace

from argusic.runs.agents.newcomer.arranging import Arranged, is_probe, make_files
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.counting import counted, found_none
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.failures import fill
from argusic.runs.agents.newcomer.journal import Proof
from argusic.runs.agents.newcomer.pages import local_urls
from argusic.runs.agents.newcomer.trials.server import ServerTrial
from argusic.runs.agents.newcomer.trials.window import WindowTrial, is_without_screen
from argusic.runs.session import CommandResult

#: How a program that is there to find faults names one: the file, the line.
_FAULT = re.compile(r"(?<![\w/])(?P<file>[\w./-]*\w\.\w+):\d+\b")
_FINDS_FAULTS = re.compile(r"(?i)\b(lint(er|ing|s)?|static analysis|type[- ]check\w*|(code|style|spell)[- ]check\w*)\b")
#: Failures that say that a command does not end by itself.
_LEAVES = ("timeout",)
#: Seconds that a command has to end; and fewer where there is a display, so that it may well be a window.
_ENDS, _MAY_STAY = 120, 10


@dataclass(frozen=True)
class CommandTrial:
    """A command that ends by itself.

    Attributes:
        arranged: The command.
        installed: The project.
        shown: What the documentation shows that it prints.
        what: What it is, for descriptions.
        probe: Whether it only asks for help or a version; None where its line says so.
        no_window: Whether it is known to open no window, and may take its time.
    """

    arranged: Arranged
    installed: Installed
    shown: str = ""
    what: str = "the documented command"
    probe: bool | None = None
    no_window: bool = False

    def run(self, bench: Bench) -> None:
        """Run it, and decode what came out."""
        folder = self.installed.folder
        if not make_files(bench, self.arranged, folder):
            return
        line = self.arranged.line
        what = f"{self.what} `{line}`"
        seconds = _MAY_STAY if bench.display and not self.no_window else _ENDS
        step = Step(what, line, seconds, folder, self.installed.before, self._fine(bench), _LEAVES)
        result = bench.do(step)
        if bench.left and bench.last:
            self._stays(bench, bench.last, step)
        if result is None:
            return
        bench.journal.launch(f"`{line}` ran and ended with status {result.exit_status}.")
        if is_probe(line) if self.probe is None else self.probe:
            return
        if found_none(result.output, bench.knowledge.runners):
            self._give_tests(bench)
        else:
            self._decode(bench, result)

    def _stays(self, bench: Bench, seen: CommandResult, step: Step) -> None:
        """Go on with a command that turns out to stay: with a window, or as a server that says where it answers."""
        answers = local_urls(seen.output)
        if bench.tried and is_without_screen(bench.tried.line):
            bench.journal.launch(f"`{bench.tried.line}` stayed up for {seen.seconds:.0f} s, without any screen.")
        elif answers:
            ServerTrial(self.arranged, self.installed, self.installed.folder, answers).run(bench)
        elif bench.display and bench.tried and not self.no_window:
            if not WindowTrial(bench.tried.line, self.installed, step.what).run(bench):
                replace(self, no_window=True).run(bench)
        else:
            bench.failed(step, seen)

    def _fine(self, bench: Bench) -> Callable[[CommandResult], bool]:
        """Return what counts as a success: status 0, a test runner's word that it found no test, or faults found."""
        return lambda result: (
            result.ok
            or (result.cut is None and found_none(result.output, bench.knowledge.runners))
            or self._found_faults(result)
        )

    def _found_faults(self, result: CommandResult) -> bool:
        """Return whether a program that is there to find faults found some in a file that it was given.

        It then ends with status 1, which is its answer and no failure.
        """
        if result.exit_status != 1 or result.cut or not _FINDS_FAULTS.search(self.installed.summary):
            return False
        named = {match["file"].rpartition("/")[2] for match in _FAULT.finditer(result.output)}
        return bool(named & {name.rpartition("/")[2] for name in self.arranged.makes})

    def _decode(self, bench: Bench, result: CommandResult) -> None:
        output, written = result.output, self.arranged.writes
        if written:
            output = bench.look(f"cd {self.installed.folder} && cat {shlex.quote(written)}").output
        found = next((text for text in self.arranged.given if text in output), None)
        if found:
            shows = f"What `{self.arranged.line}` produced holds “{found}”, which went in."
            self._prove(bench, found, shows, answers=() if result.ok else (1,))
        if bench.journal.proof is None and not written:
            self._see_changes(bench)
        if bench.journal.proof is None:
            line = telling(self.shown, output)
            if line:
                self._prove(bench, line, f"`{self.arranged.line}` printed “{line}”, as the documentation shows it.")

    def _prove(self, bench: Bench, text: str, shows: str, answers: tuple[int, ...] = ()) -> None:
        """Run the command once more, with what it produces piped into a search for `text`.

        Args:
            bench: The bench.
            text: The text.
            shows: What its being there shows.
            answers: Other statuses than 0 that are no failures.
        """
        line, written = self.arranged.line, self.arranged.writes
        if answers:
            line = " || ".join([line, *(f"[ $? = {status} ]" for status in answers)])
        if re.search(r"[|;&<>]", line):
            line = f"{{ {line}; }}"
        search = f"grep -F -- {shlex.quote(text)}"
        decode = f"{self.arranged.line} && {search} {shlex.quote(written)}" if written else f"{line} 2>&1 | {search}"
        step = Step("", decode, 180, self.installed.folder, f"{self.installed.before or 'true'} && set -o pipefail")
        result = bench.look(step.command, step.seconds)
        if result.ok:
            bench.journal.proof = Proof(result, shows)

    def _see_changes(self, bench: Bench) -> None:
        """Look whether it changed a file that it was given, and decode that file."""
        for name in self.arranged.makes:
            sample = bench.knowledge.samples.of(name)
            if sample is None:
                continue
            reads, kept = fill(sample.reads, {"path": name}), sample.holds[0]
            decode = f"! cmp -s {name}.before {name} && {reads} | grep -F -- {shlex.quote(kept)}"
            result = bench.look(Step("", decode, 60, self.installed.folder, "set -o pipefail").command)
            if result.ok:
                shows = f"`{self.arranged.line}` changed {name}, which still decodes and still holds “{kept}”."
                bench.journal.proof = Proof(result, shows)
                return

    def _give_tests(self, bench: Bench) -> None:
        """Hand two tests to a program that runs tests, and see whether it counts two."""
        tests = bench.knowledge.samples.tests
        make = fill(tests.make, {"path": tests.file})
        if not bench.look(f"cd {self.installed.folder} && {make}").ok:
            return
        line = self.arranged.line
        step = Step(f"`{line}` with a small test", line, 180, self.installed.folder, self.installed.before)
        result = bench.do(step)
        if result is None:
            return
        count = counted(result.output, bench.knowledge.runners)
        if count and count.passed == tests.count and not count.failed:
            shows = f"Given a file with {tests.count} tests, `{line}` said “{count.summary}”."
            bench.journal.proof = Proof(result, shows)


def telling(shown: str, output: str) -> str | None:
    """Return the most telling line that the documentation shows and the command printed."""
    for part in re.sub(r"(?m)^\s*>\s?", "", shown).split("\n\n"):
        whole = part.strip()
        if whole == output.strip() and "\n" not in whole and re.search(r"\w{3}", whole):
            return whole
    printed = {" ".join(line.split()) for line in output.splitlines()}
    lines = [line.strip() for line in shown.splitlines() if len(re.findall(r"\w", line)) >= 6]
    same = [line for line in lines if " ".join(line.split()) in printed and line in output]
    return max(same, key=len, default=None)
