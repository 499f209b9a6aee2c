"""The files that pages take their figures from. Each figure on a page carries its address, for `argusic trace`.

The grammar is `argusic.referee.tracing.address`. What is here names files alone; a template names the figure in one.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from markupsafe import Markup

from argusic.database import paths
from argusic.evidence.layout import COMMANDS_NAME, LOG_NAME, MANIFEST_NAME, RECORDING_NAME, RUN_NAME
from argusic.records.run import Run
from argusic.referee.tracing.address import CYCLES, RUNS, SUBJECTS, VERDICTS, figure_at
from argusic.site.escape import plain

runs, subjects, cycles, all_verdicts = RUNS, SUBJECTS, CYCLES, VERDICTS
board, verdicts = paths.board_path, paths.verdicts_path
claim_screening = paths.claim_screening_path
harness_change = paths.harness_change_path
rule_change = paths.rule_change_path
request, reproduction_request = paths.request_path, paths.reproduction_request_path
dispute_revision = paths.dispute_revision_path
reproduction = paths.reproduction_path
cycle, edition, kind, agent, revealed, dispute = (
    paths.cycle_path,
    paths.edition_path,
    paths.kind_path,
    paths.agent_path,
    paths.revealed_path,
    paths.dispute_path,
)


class Figure(str):
    """A figure as it reads. It is printed with its address, or inside of an attribute and marked as `bare`."""

    __slots__ = ()


def at(text: object, path: PurePosixPath | str, *steps: str | int) -> Markup:
    """Return a figure with its address: what a reader sees, and what `argusic trace` takes.

    Args:
        text: The figure as it reads.
        path: The file that states it.
        steps: Where in the file.
    """
    shown = text if isinstance(text, Markup) else plain(str(text))
    return Markup('<span data-trace="{}">{}</span>').format(Markup(figure_at(path, *steps)), shown)


def bare(text: object) -> str:
    """Return a figure for where nobody reads it: in an attribute."""
    return str(text)


def subject(ref: str) -> PurePosixPath:
    """Return the file of a subject, by its address."""
    return paths.subject_path(*ref.split("/"))


def run(of: Run) -> PurePosixPath:
    """Return the record of a run."""
    return run_by(of.cycle, of.subject, of.agent, of.run)


def run_by(cycle: str, subject: str, agent: str, run: str) -> PurePosixPath:
    """Return the record of a run by its ids."""
    return paths.run_folder(cycle, subject, agent, run) / RUN_NAME


def manifest(of: Run) -> PurePosixPath:
    """Return the manifest of a run."""
    return run(of).with_name(MANIFEST_NAME)


def commands(of: Run) -> PurePosixPath:
    """Return the command table of a run."""
    return run(of).with_name(COMMANDS_NAME)


def recording(of: Run) -> PurePosixPath:
    """Return the recording of a run."""
    return run(of).with_name(RECORDING_NAME)


def log(of: Run) -> PurePosixPath:
    """Return the log of a run."""
    return run(of).with_name(LOG_NAME)
