"""The mission as text: what every agent with a model is told, word for word the same, whatever program it is."""

from __future__ import annotations

from argusic.runs.session import Mission


def briefing(mission: Mission) -> str:
    """Return the standard instructions, and behind them the task with the place of the report and the budget."""
    return f"""{mission.instructions.rstrip()}

# The task

{mission.task.rstrip()}

The project's name: {mission.name}
Where it lies: {mission.subject_folder}
Where the report goes: {mission.report_path}
Your time: {_minutes(mission.budget_seconds)}
"""


def _minutes(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes:g} minutes" if minutes == int(minutes) else f"{seconds:.0f} seconds"
