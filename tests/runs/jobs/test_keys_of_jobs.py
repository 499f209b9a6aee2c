"""Keys that one job issues and another uses: capped, sealed, used once each, and nowhere in what is handed over."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.stores.patience import Patience
from argusic.records.handing_over import HandOver, Plan
from argusic.records.wrapped_keys import WrappedKeys
from argusic.runs.jobs.handed_keys import WRAP_VARIABLE, handed_keys
from argusic.runs.keys import asking
from argusic.runs.keys.notes import Notes
from argusic.runs.modelled import KeyNotHad
from tests.model_server import Asked, ModelServer, Reply
from tests.program import Done, argusic
from tests.runs.agents.shell.working import DONE, run
from tests.runs.keys.key_servers import MASTER, KeyServer, LiteLlmServer
from tests.runs.test_modelled import PROOF, REPORT

Make = Callable[..., Database]

LOOK = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'"


@dataclass
class Ladder:
    """A cycle whose agent has its keys from a service, and what goes from job to job."""

    database: Database
    folder: Path
    service: KeyServer
    model: ModelServer

    @property
    def plan(self) -> Path:
        return self.folder / "plan.json"

    @property
    def keys(self) -> Path:
        return self.folder / "keys.json"

    def call(self, *words: str, **others: str) -> Done:
        return argusic(self.database, *words, **others)

    def done(self, *words: str, **others: str) -> Done:
        done = self.call(*words, **others)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done

    def wrapping(self) -> tuple[str, str]:
        """Return a new pair: what keys are sealed to, and what opens them."""
        made = json.loads(self.done("keys", "wrapping", "--to", str(self.folder / "wrap.key"), "--json").stdout)
        private = Path(made["private"])
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
        return made["public"], private.read_text()

    def issue(self, recipient: str, **others: str) -> Done:
        command = ("keys", "issue", str(self.plan), "--wrap-to", recipient, "--to", str(self.keys))
        return self.call(*command, **{"MASTER_KEY": MASTER, **others})


@pytest.fixture
def ladder(small_database: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ladder]:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "private"))
    monkeypatch.setattr(asking, "_PATIENCE", Patience(tries=2, first=0.01))
    steps = [run(LOOK), run(PROOF), run(REPORT), DONE]

    def script(asked: Asked) -> Reply:
        # The model answers in this very process, in the middle of the attempt.
        assert WRAP_VARIABLE not in os.environ
        return steps[min(asked.turn, len(steps) - 1)]

    with LiteLlmServer() as service, ModelServer(script) as model:
        made = small_database(standard_agent="agent-7", board_agents=(), controls=("nop",))
        folder = tmp_path / "handed"
        folder.mkdir()
        one = Ladder(made, folder, service, model)
        enter(one, f"{{provider: litellm, variable: MASTER_KEY, url: '{service.url}'}}")
        one.done("evidence", "recipients", "small")
        one.done("cycle", "plan", "small", "--jobs", str(one.plan), GITHUB_OUTPUT=str(folder / "output"))
        yield one


def enter(ladder: Ladder, key: str) -> None:
    """Enter the agent that the cycle asks."""
    file = ladder.folder / "exact.yaml"
    price = "{input_usd: '2', output_usd: '8', as_of: 2026-11-30, source: a price list}"
    file.write_text(f"model: {{name: pebble-7, url: '{ladder.model.url}', price: {price}}}\nkey: {key}\n")
    (ladder.database.root / "pool/agents/agent-7.yaml").unlink(missing_ok=True)
    ladder.done("agent", "add", "--program", "shell", "agent-7", "--title", "Agent 7", "--configuration", str(file))


def sealed(ladder: Ladder) -> WrappedKeys:
    return WrappedKeys.model_validate_json(ladder.keys.read_bytes())


@pytest.mark.sandbox
def test_a_handed_over_key_makes_one_attempt_and_is_nowhere_in_what_is_handed_over(ladder: Ladder) -> None:
    assert (ladder.folder / "output").read_text().splitlines()[1:] == ["count=2", "keys=true"]
    public, private = ladder.wrapping()
    assert ladder.issue(public).returncode == 0
    keys = sealed(ladder)
    # Two valid runs of the standard agent at most, and two more attempts where some are invalid.
    assert [key.job for key in keys.keys] == ["001"] * 4 and len({key.run for key in keys.keys}) == 4
    assert len(ladder.service.keys) == 4 and {kept.limit for kept in ladder.service.keys} == {3.0}
    issued = [kept.key for kept in ladder.service.keys]
    text = ladder.keys.read_text()
    assert not any(word in text for word in (*issued, MASTER, "pebble-7", ladder.model.url))
    over = ladder.folder / "over"
    job = ("cycle", "run", "small", "--plan", str(ladder.plan), "--job", "001", "--keys", str(ladder.keys))
    done = ladder.done(*job, "--sign", "none", "--hand-over", str(over), ARGUSIC_WRAP_KEY=private)
    assert "Handed over" in done.stdout
    record = HandOver.model_validate_json((over / "hand-over.json").read_bytes())
    (stored,) = ladder.database.runs("small")
    assert record.runs == (stored.run.run,) and record.queued is None
    assert stored.run.ending.how == "completed" and stored.run.model_use is not None
    # The service was shown the issued key; nobody else was, and the sandbox held neither it nor what opens it.
    assert {asked.headers.get("authorization") for asked in ladder.model.asked} == {f"Bearer {issued[0]}"}
    secret = private.splitlines()[1]
    kept = b"".join(path.read_bytes() for path in over.rglob("*") if path.is_file())
    kept += (done.stdout + done.stderr).encode()
    assert b"pebble-7" in kept, "the exchanges are in it"
    for word in (*issued, secret, MASTER, "sk-run-"):
        assert word.encode() not in kept
    # Deleting them is the issuing job's, which has the service's own key.
    assert len(ladder.service.keys) == 4 and len(Notes.of(ladder.database).all()) == 4
    ladder.done("keys", "sweep", "--everywhere", MASTER_KEY=MASTER)
    assert ladder.service.keys == []


@pytest.mark.sandbox
def test_without_a_key_that_opens_or_lasts_the_run_is_queued_or_refused(ladder: Ladder) -> None:
    public, private = ladder.wrapping()
    assert ladder.issue(public).returncode == 0
    job = ("cycle", "run", "small", "--plan", str(ladder.plan), "--job", "001", "--keys", str(ladder.keys))
    lack = ladder.call(*job, "--sign", "none")
    assert (lack.returncode, "ARGUSIC_WRAP_KEY does not hold" in lack.stderr) == (3, True)
    none = ladder.call(*job, "--sign", "none", ARGUSIC_WRAP_KEY="open sesame")
    assert (none.returncode, "no private key of age" in none.stderr) == (2, True)
    keys = sealed(ladder)
    plan = Plan.model_validate_json(ladder.plan.read_bytes())
    # Each serves once, also where the process died; and none that would die before the attempt could end.
    first = handed_keys(ladder.database, keys, plan.jobs[0], private, budget_seconds=5400)
    assert first().run == keys.keys[0].run
    again = handed_keys(ladder.database, keys, plan.jobs[0], private, budget_seconds=5400)
    assert [again().run for _ in range(3)] == [key.run for key in keys.keys[1:]]
    late = handed_keys(ladder.database, keys, plan.jobs[0], private, budget_seconds=100 * 3600)
    with pytest.raises(KeyNotHad, match="expire before an attempt could end"):
        late()
    over = ladder.folder / "over"
    queued = ladder.call(*job, "--sign", "none", "--hand-over", str(over), ARGUSIC_WRAP_KEY=private)
    assert (queued.returncode, "none is left" in queued.stdout) == (3, True), queued
    record = HandOver.model_validate_json((over / "hand-over.json").read_bytes())
    assert record.runs == () and record.queued is not None and "none is left" in record.queued
    assert list(ladder.database.runs("small")) == []


def test_what_cannot_run_so_or_is_given_wrongly_is_refused_before_any_key_is_issued(ladder: Ladder) -> None:
    public, _ = ladder.wrapping()
    assert "no public key of age" in ladder.issue("age1nonsense").stderr
    lack = ladder.issue(public, MASTER_KEY="short")
    assert (lack.returncode, "agent agent-7 gets no keys" in lack.stderr) == (3, True), lack
    ladder.keys.write_text("{}")
    again = ladder.issue(public)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    ladder.keys.unlink()
    ladder.keys.symlink_to(ladder.folder / "nowhere")
    assert "is there already" in ladder.issue(public).stderr
    ladder.keys.unlink()
    nowhere = ladder.call(
        "keys", "issue", str(ladder.plan), "--wrap-to", public, "--to", "/proc/none/keys.json", MASTER_KEY=MASTER
    )
    assert (nowhere.returncode, "cannot be made" in nowhere.stderr) == (2, True), nowhere
    for provider in ("gateway", "shared"):
        enter(ladder, f"{{provider: {provider}, variable: MODEL_KEY}}")
        done = ladder.issue(public)
        assert (done.returncode, "agent agent-7 cannot be run so" in done.stderr) == (2, True), done
    inside = ladder.call("keys", "wrapping", "--to", str(ladder.database.root / "wrap.key"))
    assert (inside.returncode, "lies in a repository" in inside.stderr) == (2, True)
    taken = ladder.call("keys", "wrapping", "--to", str(ladder.folder / "wrap.key"))
    assert (taken.returncode, "never replaced" in taken.stderr) == (2, True)
    assert ladder.service.asked == [] and not ladder.keys.exists()


def test_half_way_what_was_issued_is_deleted_again(ladder: Ladder) -> None:
    public, _ = ladder.wrapping()
    made = 0

    def fail() -> None:
        nonlocal made
        made += 1
        if made == 2:
            ladder.service.mishaps = [401]

    ladder.service.on_create = fail
    done = ladder.issue(public)
    assert (done.returncode, "are deleted again" in done.stderr) == (3, True), done
    assert ladder.service.keys == [] and not ladder.keys.exists() and MASTER not in done.stderr
    # The one that was refused may have been made all the same: its note stays until a sweep has looked.
    assert len(Notes.of(ladder.database).all()) == 1
    # What cannot be written down is deleted again, too.
    ladder.service.on_create = ladder.keys.touch
    unwritten = ladder.issue(public)
    assert (unwritten.returncode, "is never replaced" in unwritten.stderr) == (2, True), unwritten
    assert ladder.service.keys == []
