"""Keys of models through cycle.yml: issued by one job, used by another, revoked by a third, and nowhere in between."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import make_small
from tests.model_server import Asked, ModelServer, Reply
from tests.program import argusic
from tests.runs.agents.shell.working import DONE, run
from tests.runs.jobs.test_keys_of_jobs import LOOK
from tests.runs.keys.key_servers import MASTER, LiteLlmServer
from tests.runs.test_modelled import PROOF, REPORT
from tests.workflows.act.referee import CYCLE, Referee, lay_out, refereeing

pytestmark = pytest.mark.act

PRICE = "{input_usd: '2', output_usd: '8', as_of: 2026-11-30, source: a price list}"


@contextmanager
def asking(
    folder: Path, greeter: tuple[Path, str], model: str, service: str, seen: set[tuple[str, str, str]]
) -> Iterator[Referee]:
    """Serve a repository whose standard agent asks a model, with a key that a service issues for each run."""
    database = make_small(folder, greeter, standard_agent="agent-7", board_agents=(), controls=("nop",))
    exact = folder / "exact.yaml"
    key = f"{{provider: litellm, variable: ARGUSIC_LITELLM_KEY, url: '{service}'}}"
    exact.write_text(f"model: {{name: pebble-7, url: '{model}', price: {PRICE}}}\nkey: {key}\n")
    words = ("agent", "add", "--program", "shell", "agent-7", "--title", "Agent 7", "--configuration", str(exact))
    assert argusic(database, *words).returncode == 0
    lay_out(folder / "laid-out", database)
    with refereeing(folder / "laid-out", folder / "github", seen) as referee:
        yield referee


def test_a_key_is_issued_used_and_revoked_and_stands_in_no_artifact_and_no_log(
    tmp_path: Path, greeter: tuple[Path, str], seen: set[tuple[str, str, str]]
) -> None:
    # What looks like a credential is masked, and what was recorded is then sealed and travels apart.
    looks = "AKIA" + "QX7ZT3MNB5LKJH2G"
    steps = [run(LOOK), run(f"echo {looks}"), run(PROOF), run(REPORT), DONE]

    def script(asked: Asked) -> Reply:
        return steps[min(asked.turn, len(steps) - 1)]

    with (
        LiteLlmServer() as service,
        ModelServer(script) as model,
        asking(tmp_path, greeter, model.url, service.url, seen) as referee,
    ):
        here = referee.checkout("here")
        public = {
            name: json.loads(argusic(here, "keys", "wrapping", "--to", str(tmp_path / name), "--json").stdout)["public"]
            for name in ("wrap.key", "way.key")
        }
        private = (tmp_path / "wrap.key").read_text()
        referee.variables |= {
            "ARGUSIC_WRAP_RECIPIENT": public["wrap.key"],
            "ARGUSIC_SEALED_TO": public["way.key"],
            "ARGUSIC_APP": "an-app",
        }
        referee.secrets = {
            "keys": {"ARGUSIC_LITELLM_KEY": MASTER, "ARGUSIC_OPENROUTER_KEY": "sk-or-not-in-use"},
            "attempts": {"ARGUSIC_WRAP_KEY": private},
            "ledger": {"ARGUSIC_APP_KEY": "the-key-of-the-app"},
        }
        issued: set[str] = set()
        service.on_create = lambda: issued.update(kept.key for kept in service.keys)
        ran = referee.run("cycle.yml", inputs={"cycle": CYCLE})
        assert ran.ok, ran.told()
        assert {leg.job for leg in ran.legs} == {
            *("plan", "keys", "attempt", "revoke", "collect", "sign", "commit"),
        }, "the app's pull request is checked by GitHub itself"
        assert {asked.headers.get("authorization") for asked in model.asked} <= {f"Bearer {key}" for key in issued}
        assert model.asked and service.keys == [], "what was issued is revoked"
        (pull,) = referee.platform.pulls()
        assert "`agent-7`" in pull["body"]

        words = [MASTER, private.splitlines()[1], *issued, "the-key-of-the-app", looks]
        told = "".join(leg.log for leg in ran.legs) + "".join(ran.summaries)
        artifacts = list((referee.scratch / "github/artifacts" / str(ran.number)).rglob("*.zip"))
        assert {path.stem for path in artifacts} > {
            "plan",
            "keys",
            "attempt-001-1",
            "collected",
            "signatures",
            "sealed-001-1",
        }
        for path in artifacts:
            with zipfile.ZipFile(path) as archive:
                if path.stem == "sealed-001-1":
                    archive.extractall(tmp_path)
                told += "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())
        assert [word for word in words if word in told] == []
        words = ["evidence", "archive", str(tmp_path / "sealed.age"), "--identity", str(tmp_path / "way.key")]
        archived = argusic(referee.checkout("archive", pull["head"]), *words)
        assert archived.returncode == 0, archived.stderr
