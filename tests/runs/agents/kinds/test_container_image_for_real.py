"""The newcomer's day with a real image of the pool, made from its published build, in a real sandbox."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from secrets import token_hex
from typing import cast

import pytest
import yaml

from argusic.database.database import Database
from argusic.pool.kinds.container_image import KIND
from argusic.pool.kinds.protocol import Workshop
from argusic.records.report import Report, VerifiedHow
from argusic.records.sources.container_image import Pin
from argusic.runs.agents.registry import implementation
from argusic.runs.recorded_session import RecordedSession
from argusic.runs.recorder import Recorder
from argusic.runs.session import Mission
from argusic.sandbox.protocol import HOME_FOLDER, SUBJECT_FOLDER, Sandbox, SandboxSpec
from argusic.sandbox.registry import provider

TOP = Path(__file__).parents[4]
REPORT = f"{HOME_FOLDER}/report.yaml"

pytestmark = [pytest.mark.images, pytest.mark.sandbox, pytest.mark.network, pytest.mark.node]


def test_a_bundler_in_an_image_is_run_as_its_description_says(tmp_path: Path) -> None:
    base, numbers, opened = Database(TOP), itertools.count(1), list[Sandbox]()

    def a_sandbox() -> Sandbox:
        folder = tmp_path / f"sandbox-{next(numbers)}"
        folder.mkdir()
        opened.append(provider("bubblewrap").start(SandboxSpec(name=f"images-{token_hex(3)}", work=folder)))
        return opened[-1]

    workshop = Workshop(base.cache_folder, a_sandbox, lambda doing: None)
    subject = base.subject("container-image/esbuild")
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        yaml.safe_dump({"schema": 1, "source": subject.source.model_dump(mode="json", exclude_none=True)})
    )
    handed, evidence = tmp_path / "subject", tmp_path / "evidence"
    handed.mkdir()
    evidence.mkdir()
    try:
        pin = cast(Pin, KIND.resolve(f"image:{recipe}", workshop).pin)
        KIND.hand_in(subject, pin, KIND.fetch(subject, pin, workshop), handed)
        inside = a_sandbox()
        inside.put(handed, SUBJECT_FOLDER)
        recorder = Recorder(evidence)
        session = RecordedSession(inside, recorder, budget_seconds=200, cancel=threading.Event())
        task = KIND.task(subject, pin)
        mission = Mission("container-image", "esbuild", task, "", SUBJECT_FOLDER, REPORT, 200)
        implementation("newcomer").run(session, mission)
        recorder.end()
        recorder.close()
        raw = inside.get(REPORT, max_bytes=1_000_000)
    finally:
        for one in opened:
            one.destroy()
    assert raw is not None
    report = Report.model_validate(yaml.safe_load(raw))
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real")
    assert isinstance(report.verified_how, VerifiedHow) and "wandering albatross" in report.verified_how.result
