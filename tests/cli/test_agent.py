"""`argusic agent`: identities that are open or sealed, revealed only as what was committed to."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyrage import x25519
from typer.testing import CliRunner, Result

from argusic.cli.main import build
from argusic.database.database import Database
from argusic.database.paths import agent_path, revealed_path
from argusic.errors import ArgusicError, CheckFailed, InputError
from argusic.evidence.keys import KeyFolder
from argusic.evidence.sealing.configurations import exact_configuration
from argusic.records.agent import Agent
from argusic.referee.check import check
from argusic.referee.checks.identities import check_identities
from argusic.referee.checks.survey import survey
from argusic.runs.agents.registry import implementations
from tests.made_database import Size, commit, make_database, make_run, write

MODEL = """\
model:
  name: pebble-7
  url: https://model.invalid/v1
key:
  provider: gateway
  variable: MODEL_KEY
"""
PROGRAM = MODEL + "program:\n  adapter: quarry\n  version: 2.4.1\n"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    return make_database(tmp_path / "made", Size(cycles=1, subjects=1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "exact.yaml"
    path.write_text(PROGRAM)
    return path


def call(base: Database, *arguments: str) -> Result:
    return CliRunner().invoke(build("agent"), ["--repo", str(base.root), "agent", *arguments])


def done(base: Database, *arguments: str) -> dict[str, Any]:
    result = call(base, *arguments, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def refused(base: Database, *arguments: str, by: type[ArgusicError] = InputError) -> str:
    before = {path: path.read_bytes() for path in base.root.rglob("*.yaml")}
    result = call(base, *arguments)
    assert isinstance(result.exception, by), (result.output, result.exception)
    assert {path: path.read_bytes() for path in base.root.rglob("*.yaml")} == before
    return str(result.exception)


def seal(base: Database, file: Path, *more: str) -> dict[str, Any]:
    return done(base, "seal", "quiet", "--title", "Quiet", "--configuration", str(file), *more)


def run_of(base: Database, agent: str) -> None:
    cycle = base.cycle("made-00")
    run = make_run(cycle, cycle.subjects[0].subject, "newcomer", cycle.opens + timedelta(hours=9), random.Random(1))
    write(base.root, run.model_copy(update={"agent": agent, "purpose": "verdict"}))


def test_an_open_agent_says_in_its_file_what_it_is(base: Database, file: Path) -> None:
    words = ("add", "clear", "--title", "Clear", "--program", "program", "--configuration", str(file))
    made = done(base, *words, "--sponsor", "Hall Computing")
    assert (made["identity"], made["configuration"]["model"]["name"]) == ("open", "pebble-7")
    record = base.read(agent_path("clear"), Agent)
    assert record.configuration is not None and record.sponsor == "Hall Computing"
    assert record.implementation in implementations()
    exact = exact_configuration(base, record, KeyFolder(base.root / "nothing"))
    assert exact is not None and (exact.agent, exact.salt) == ("clear", None)
    assert "is there already" in refused(base, *words)


def test_an_agent_without_a_model_has_no_configuration(base: Database, file: Path) -> None:
    made = done(base, "add", "walker", "--title", "Walker", "--program", "none", "--implementation", "newcomer")
    assert (made["identity"], made["configuration"]) == ("none", None)
    assert exact_configuration(base, base.agent("walker"), KeyFolder(base.root)) is None
    assert "exactly those agents that use a model" in refused(
        base, "add", "other", "--title", "Other", "--program", "none", "--configuration", str(file)
    )
    assert "exactly those agents that use a model" in refused(
        base, "add", "other", "--title", "Other", "--program", "shell"
    )
    assert "works with a model" in refused(
        base, "add", "other", "--title", "Other", "--program", "none", "--implementation", "shell"
    )
    assert "works without a model" in refused(
        base, "add", "other", "--title", "Other", "--program", "program", "--configuration", str(file),
        "--implementation", "newcomer",
    )  # fmt: skip
    assert "there is no implementation other. Known are: liar, newcomer" in refused(
        base, "add", "other", "--title", "Other", "--program", "none"
    )


def test_a_sealed_configuration_is_nowhere_in_the_repository_and_opens_for_its_holder(
    base: Database, file: Path
) -> None:
    made = seal(base, file)
    assert (made["identity"], made["configuration"], made["program"]) == ("sealed", None, "program")
    assert base.agent("quiet").implementation in implementations()
    for path in base.root.rglob("*"):
        if path.is_file():
            assert b"pebble" not in path.read_bytes() and b"quarry" not in path.read_bytes(), path
    opened = done(base, "show", "quiet", "--open")["configuration"]
    assert opened["program"] == {"adapter": "quarry", "version": "2.4.1"}
    assert len(opened["salt"]) == 64
    exact = exact_configuration(base, base.agent("quiet"), KeyFolder.of_user())
    assert exact is not None and exact.model.name == "pebble-7"


def test_the_same_configuration_sealed_twice_commits_to_other_digests(base: Database, file: Path) -> None:
    first = seal(base, file)["commitment"]
    second = done(base, "seal", "calm", "--title", "Calm", "--configuration", str(file))["commitment"]
    assert first != second


def test_what_is_revealed_has_the_very_digest_that_was_committed_to(base: Database, file: Path) -> None:
    seal(base, file)
    made = done(base, "reveal", "quiet")
    data = (base.root / revealed_path("quiet")).read_bytes()
    assert hashlib.sha256(data).hexdigest() == base.agent("quiet").commitment
    assert (made["identity"], made["configuration"]["model"]["name"]) == ("revealed", "pebble-7")
    assert done(base, "show", "quiet")["identity"] == "revealed"
    assert "is there already" in refused(base, "reveal", "quiet")
    exact = exact_configuration(base, base.agent("quiet"), KeyFolder(base.root / "nothing"))
    assert exact is not None and exact.model.name == "pebble-7"


def test_a_further_recipient_and_the_recovery_key_each_open_it_alone(
    base: Database, file: Path, tmp_path: Path
) -> None:
    pair = x25519.Identity.generate()
    seal(base, file, "--recipient", str(pair.to_public()))
    theirs = tmp_path / "theirs.key"
    theirs.write_text(f"{pair}\n")
    for identity in (theirs, tmp_path / "keys/sealing/recovery.key", tmp_path / "keys/sealing/agents/quiet.key"):
        assert done(base, "show", "quiet", "--open", "--identity", str(identity))["configuration"]["salt"]
    stranger = tmp_path / "stranger.key"
    stranger.write_text(f"{x25519.Identity.generate()}\n")
    assert "none of the keys opens" in refused(base, "reveal", "quiet", "--identity", str(stranger))


def test_nothing_is_revealed_that_was_not_committed_to(base: Database, file: Path) -> None:
    seal(base, file)
    record = base.agent("quiet")
    base.write(agent_path("quiet"), record.model_copy(update={"commitment": "0" * 64}), replace=True)
    assert "is not what its file commits to" in refused(base, "reveal", "quiet", by=CheckFailed)


def test_a_sealed_configuration_that_is_not_here_cannot_be_opened(base: Database, file: Path) -> None:
    seal(base, file)
    sealed = base.agent("quiet").sealed
    assert sealed is not None
    (base.store_folder / sealed.sealed_sha256[:2] / sealed.sealed_sha256).unlink()
    assert "is not in the evidence store" in refused(base, "show", "quiet", "--open", by=CheckFailed)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--reveal-on", "soon"), "--reveal-on is a date such as"),
        (("--reveal-on", "2001-01-01"), "which is over"),
        (("--sponsor", " "), "sponsor: must not be empty"),
        (("--recipient", "age1x"), "a recipient is no public key of age"),
    ],
)
def test_what_cannot_be_sealed_is_refused_and_nothing_is_written(
    base: Database, file: Path, words: tuple[str, ...], why: str
) -> None:
    assert why in refused(base, "seal", "quiet", "--title", "Quiet", "--configuration", str(file), *words)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model: 7\n", "exact.yaml:1: model: "),
        (MODEL.replace("https://model.invalid/v1", '""'), "exact.yaml:3: model.url: must be an address"),
        (MODEL + "salt: aa\n", "exact.yaml:7: salt: is not a field"),
        (MODEL.replace("//", "//ada:secret@"), "exact.yaml:3: model.url: holds a name or a password"),
        (MODEL.replace("https:", "ftp:"), "exact.yaml:3: model.url: must be an address"),
        (MODEL.replace("model.invalid", "[::1"), "exact.yaml:3: model.url: must be an address"),
        (MODEL.replace("model.invalid", "model.invalid:99999"), "exact.yaml:3: model.url: must be an address"),
        (MODEL.replace("model.invalid", "møde.invalid"), "exact.yaml:3: model.url: must be an address of plain"),
        (MODEL + "  url: 'http://[x'\n", "exact.yaml:7: key.url: must be an address"),
        (MODEL.replace("MODEL_KEY", "sk-a1b2c3"), "exact.yaml:6: key.variable: must be the name of an environment var"),
        ("- a\n", "holds no configuration"),
        ("a: [\n", "is not valid YAML"),
    ],
)
def test_a_configuration_that_is_none_is_refused_with_its_line(base: Database, file: Path, text: str, why: str) -> None:
    file.write_text(text)
    for words in (("add", "quiet", "--program", "shell"), ("seal", "quiet")):
        assert why in refused(base, *words, "--title", "Quiet", "--configuration", str(file))


def test_what_is_to_be_sealed_may_not_lie_in_the_repository(base: Database) -> None:
    inside = base.root / "pool" / "exact.txt"
    inside.write_text(PROGRAM)
    assert "lies in the repository" in refused(
        base, "seal", "quiet", "--title", "Quiet", "--configuration", str(inside)
    )


def test_an_open_agent_has_nothing_to_reveal_or_open(base: Database) -> None:
    assert "nothing of agent newcomer is sealed: it uses no model" in refused(base, "reveal", "newcomer")
    assert "has no sealed configuration" in refused(base, "show", "newcomer", "--open")


def test_the_list_shows_class_identity_sponsor_and_runs_of_each(base: Database, file: Path) -> None:
    seal(base, file, "--sponsor", "Hall Computing")
    run_of(base, "quiet")
    rows = {row["agent"]: row for row in done(base, "list")["agents"]}
    assert (rows["quiet"]["identity"], rows["quiet"]["runs"]) == ("sealed", 1)
    assert "Hall Computing" in call(base, "list").output.replace("\n", " ") or "Hall" in call(base, "list").output


def test_verify_says_what_is_open_revealed_and_still_sealed_and_names_a_false_revelation(
    base: Database, file: Path
) -> None:
    def verify() -> tuple[int, dict[str, Any], str]:
        result = CliRunner().invoke(build("verify"), ["--repo", str(base.root), "verify", "--json"])
        text = CliRunner().invoke(build("verify"), ["--repo", str(base.root), "verify"]).output
        return result.exit_code, json.loads(result.stdout), text

    subprocess.run(["rm", "-r", str(base.root / "runs")], check=True)
    seal(base, file, "--reveal-on", str(date(2999, 1, 1)))
    done(base, "add", "clear", "--title", "Clear", "--program", "program", "--configuration", str(file))
    status, data, text = verify()
    assert (status, data["agents"]["open"]) == (0, ["clear"])
    assert data["agents"]["sealed"] == [{"agent": "quiet", "reveal_on": "2999-01-01"}]
    assert "Sealed, and not revealed yet: the configuration of quiet (by 2999-01-01)." in text
    done(base, "reveal", "quiet")
    status, data, text = verify()
    assert (status, data["agents"]["revealed"], data["agents"]["sealed"]) == (0, ["quiet"], [])
    assert "Revealed, and what was committed to: the configuration of quiet." in text
    path = base.root / revealed_path("quiet")
    path.write_text(path.read_text().replace("pebble-7", "pebble-9"))
    status, data, text = verify()
    assert status == 1 and "is not what pool/agents/quiet.yaml commits to" in data["findings"][0]["what"]


def test_check_names_a_false_an_orphaned_and_an_overdue_revelation(base: Database, file: Path) -> None:
    seal(base, file, "--reveal-on", "2999-01-31")
    assert [str(found) for found in check_identities(survey(base), date(2999, 1, 31))] == []
    (overdue,) = check_identities(survey(base), date(2999, 2, 1))
    assert "reveal_on: says 2999-01-31, and is not revealed" in str(overdue)
    done(base, "reveal", "quiet")
    assert [str(found) for found in check_identities(survey(base), date(2999, 2, 1))] == []
    path = base.root / revealed_path("quiet")
    whole = path.read_text()
    path.write_text(whole + "# a remark\n")
    (remark,) = check_identities(survey(base), date(2999, 2, 1))
    assert "is not in its canonical form" in str(remark)
    path.write_text(whole.replace("pebble-7", "pebble-9"))
    (false,) = check_identities(survey(base), date(2999, 2, 1))
    assert "is not what pool/agents/quiet.yaml commits to" in str(false)
    (base.root / agent_path("quiet")).unlink()
    (orphan,) = check_identities(survey(base), date(2999, 2, 1))
    assert "names the agent quiet, which the pool does not hold" in str(orphan)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"commitment": "0" * 64}, "Another commitment is another agent."),
        ({"reveal_on": "2999-02-01"}, "sooner, and not later"),
        ({"reveal_on": None}, "sooner, and not later"),
        ({"sponsor": None}, "no longer says who paid"),
        ({"reveal_on": "2998-01-31"}, None),
        ({"title": "Quieter", "sponsor": "Hall Computing, Ltd."}, None),
    ],
)
def test_an_agent_that_has_runs_stays_what_it_committed_to(
    base: Database, file: Path, change: dict[str, Any], what: str | None
) -> None:
    seal(base, file, "--reveal-on", "2999-01-31", "--sponsor", "Hall Computing")
    run_of(base, "quiet")
    commit(base.root)
    record = base.agent("quiet")
    base.write(agent_path("quiet"), record.model_copy(update=change), replace=True)
    found = [str(one) for one in check(base, "HEAD") if str(one).startswith("pool/agents/quiet.yaml")]
    assert bool(found) == (what is not None)
    assert what is None or what in found[0]


def test_what_was_revealed_is_never_edited_or_taken_back(base: Database, file: Path) -> None:
    seal(base, file)
    done(base, "reveal", "quiet")
    commit(base.root)
    (base.root / revealed_path("quiet")).unlink()
    assert any("a published revealed configuration stays as it is" in str(one) for one in check(base, "HEAD"))


FACTS: dict[str, Any] = {"agent": "a", "title": "A", "role": "agent", "program": "shell", "implementation": "shell"}
OPEN = {"model": {"name": "m", "url": "https://model.invalid/v1"}, "key": {"provider": "none"}}
SEALED = {"sealed_size": 1, "sealed_sha256": "1" * 64, "recipients": [f"age1{'q' * 58}", f"age1{'p' * 58}"]}


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({}, "either an open configuration or a commitment"),
        ({"configuration": OPEN, "commitment": "1" * 64, "sealed": SEALED}, "either an open configuration"),
        ({"commitment": "1" * 64}, "commitment and sealed come together"),
        ({"configuration": OPEN, "reveal_on": "2027-01-01"}, "reveal_on is of a sealed configuration"),
        ({"configuration": OPEN, "program": "program"}, "exactly where program is 'program'"),
        ({"configuration": OPEN, "program": "none"}, "without a model has no configuration"),
        ({"commitment": "1" * 64, "sealed": SEALED, "program": "none"}, "without a model has no commitment"),
        ({"commitment": "1" * 64, "sealed": SEALED, "implementation": "quarry"}, "others would tell of it"),
    ],
)
def test_an_identity_is_open_or_sealed_or_none_and_nothing_between(facts: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Agent.model_validate(FACTS | facts)
