"""The trajectory in the making: one JSON line for each thing said, so that a kill loses nothing; and its document.

What is stored is what each step adds. What was sent to the model with a step is everything before it, but for what
the step's `extra` says was dropped; written out whole each time, a long session would grow with its square.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from argusic.database.atomic import write_file
from argusic.evidence.livefile import LiveFile
from argusic.records.base import format_time
from argusic.records.trajectory import (
    FinalMetrics,
    Metrics,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
    TrajectoryAgent,
)

#: The note of a trajectory whose agent did not come to its own end.
CUT_SHORT: Final = "The attempt ended before the agent did."

#: Levels of lists and objects that are written down, and what stands in the place of deeper ones.
DEEPEST: Final = 100
TOO_DEEP: Final = "(nested too deeply to be written down)"


class TrajectoryWriter:
    """A trajectory in the making.

    Args:
        path: Where its lines go. It must not exist when the first one is written.
        agent: The agent's neutral id.
        run: The run's id.
        model: The model's name, only where the agent is open about it.
    """

    def __init__(self, path: Path, *, agent: str, run: str, model: str | None = None) -> None:
        self._path = path
        self._agent = agent
        self._run = run
        self._model = model
        self._file: LiveFile | None = None
        self._steps = 0

    def begin(self, version: str, *, tools: Sequence[dict[str, Any]] = (), extra: dict[str, Any] | None = None) -> None:
        """Write whose trajectory it is.

        Args:
            version: The version of what drives the model.
            tools: What the model may call, as it is told.
            extra: What else is ours, of the agent.

        Raises:
            WriteFailed: The disk is full or fails; as every method.
        """
        self._file = LiveFile(self._path)
        agent = TrajectoryAgent(
            name=self._agent,
            version=version,
            model_name=self._model,
            tool_definitions=tuple(tools) or None,
            extra=extra,
        )
        self._add({"begin": {"session_id": self._run, "agent": agent.model_dump(exclude_none=True)}})

    def step(
        self,
        source: Literal["system", "user", "agent"],
        message: str,
        *,
        reasoning: str | None = None,
        calls: Iterable[ToolCall] = (),
        metrics: Metrics | None = None,
        extra: dict[str, Any] | None = None,
    ) -> int:
        """Write a step and return its number."""
        self._steps += 1
        step = Step(
            step_id=self._steps,
            timestamp=format_time(datetime.now(UTC)),
            source=source,
            message=message,
            reasoning_content=reasoning,
            tool_calls=tuple(calls) or None,
            metrics=metrics,
            extra=extra,
        )
        self._add({"step": step.model_dump(exclude_none=True)})
        return self._steps

    def add(self, step: Step) -> int:
        """Write a step that an agent's own program wrote of itself; return the number that it gets here."""
        self._steps += 1
        self._add({"step": step.model_copy(update={"step_id": self._steps}).model_dump(exclude_none=True)})
        return self._steps

    def result(self, step: int, result: ObservationResult) -> None:
        """Write what came of a call of a step."""
        self._add({"result": {"step": step, "result": result.model_dump(exclude_none=True)}})

    def end(self, extra: dict[str, Any]) -> None:
        """Write that the agent came to its own end, and how."""
        self._add({"end": extra})

    def close(self) -> None:
        """Close. Safe to call twice, and without a beginning."""
        if self._file is not None:
            self._file.close()

    def _add(self, line: dict[str, Any]) -> None:
        if self._file is None:
            raise ValueError("the trajectory has not begun")
        self._file.append(_json(line) + b"\n")


def assemble(lines: Path, target: Path) -> bool:
    """Write the document of the trajectory whose lines are at `lines`; return whether there is anything to write.

    A last line that is cut off is left out, and a document that is there is kept: it is safe to call twice.

    Raises:
        OSError: The disk is full or fails.
    """
    if target.exists() or not lines.is_file():
        return target.exists()
    trajectory = _assembled(lines)
    if trajectory is None:
        return False
    write_file(target, document(trajectory), replace=False)
    return True


def document(trajectory: Trajectory) -> bytes:
    """Return a trajectory as its JSON document, with its sums."""
    whole = trajectory.model_copy(update={"final_metrics": _sums(trajectory.steps)})
    return _json(whole.model_dump(exclude_none=True), indent=1) + b"\n"


def _assembled(lines: Path) -> Trajectory | None:
    head: dict[str, Any] | None = None
    steps: list[dict[str, Any]] = []
    end: dict[str, Any] | None = None
    for kind, data in _read(lines):
        if kind == "begin":
            head = data
        elif kind == "step":
            steps.append(data)
        elif kind == "result" and 0 < data["step"] <= len(steps):
            steps[data["step"] - 1].setdefault("observation", {"results": []})["results"].append(data["result"])
        elif kind == "end":
            end = data
    if head is None or not steps:
        return None
    return Trajectory(
        session_id=head["session_id"],
        agent=TrajectoryAgent.model_validate(head["agent"]),
        steps=tuple(Step.model_validate(step) for step in steps),
        notes=CUT_SHORT if end is None else None,
        extra={"argusic": {"end": end}} if end is not None else None,
    )


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the lines; what a kill left of the last one is none."""
    with path.open("rb") as stream:
        for line in stream:
            if not line.endswith(b"\n"):
                return
            ((kind, data),) = json.loads(line).items()
            yield kind, data


def _sums(steps: Sequence[Step]) -> FinalMetrics:
    known = [step.metrics for step in steps if step.metrics is not None]

    def total(name: str) -> Any:
        values = [value for metrics in known if (value := getattr(metrics, name)) is not None]
        return sum(values) if values else None

    cost = total("cost_usd")
    return FinalMetrics(
        total_prompt_tokens=total("prompt_tokens"),
        total_completion_tokens=total("completion_tokens"),
        total_cached_tokens=total("cached_tokens"),
        total_cost_usd=None if cost is None else round(cost, 9),
        total_steps=len(steps),
    )


def _json(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(writable(value), ensure_ascii=False, indent=indent, allow_nan=False).encode()


def writable(value: Any, levels: int = DEEPEST) -> Any:
    """Return JSON data as UTF-8 can hold it and every reader reads it: no half characters, no NaN, no endless nesting.

    Args:
        value: The data.
        levels: How many levels of lists and objects it may have; what lies deeper is left out, and that is said.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict | list | tuple) and levels == 0:
        return TOO_DEEP
    if isinstance(value, dict):
        return {writable(key): writable(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [writable(item, levels - 1) for item in value]
    return value
