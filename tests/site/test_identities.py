"""Beside each result: what class of program earned it, whether its configuration is known, and who paid."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from argusic.database import paths
from argusic.database.database import Database
from argusic.evidence.identity import commitment
from argusic.records.agent import Agent
from argusic.records.conditions import HarnessChange
from argusic.records.configuration import Configuration, KeyUsed, ModelUsed, OpenConfiguration, ProgramUsed
from argusic.records.sealed import SealedConfiguration
from argusic.referee.tracing.tracing import Tracer
from argusic.runs.conditions import conditions_of, digest, keep_conditions
from argusic.site.build import Built, build
from tests.site.conftest import silent
from tests.site.fixture_database import CYCLE, PASS, FixtureDatabase
from tests.site.reading import pages
from tests.site.test_traces import Bare, own_pages

SALT = "5" * 64
MODEL = ModelUsed(name="Pebble 7 mini", url="https://model.invalid/v1")
KEY = KeyUsed(provider="gateway", variable="MODEL_KEY")
PROGRAM = ProgramUsed(adapter="quarry", version="2.4.1")
RECIPIENTS = (f"age1{'q' * 58}", f"age1{'p' * 58}")


def sealed(agent: str) -> tuple[Agent, Configuration]:
    exact = Configuration(agent=agent, salt=SALT, model=MODEL, program=PROGRAM, key=KEY)
    made = Agent(
        agent=agent,
        title=agent.title(),
        role="agent",
        program="program",
        implementation="programs",
        commitment=commitment(exact),
        sealed=SealedConfiguration(sealed_size=400, sealed_sha256="7" * 64, recipients=RECIPIENTS),
        reveal_on="2027-01-31",
    )
    return made, exact


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Built]:
    """Build a site with an open, a sealed, a revealed and a falsely revealed agent."""
    fixture = FixtureDatabase(tmp_path_factory.mktemp("identities") / "referee")
    plain = Agent(
        agent="plain",
        title="Plain",
        role="agent",
        program="shell",
        implementation="shell",
        configuration=OpenConfiguration(model=MODEL, key=KEY),
        sponsor="Hall 9 Computing",
    )
    agents = [plain]
    for name in ("veiled", "shown", "forged"):
        agent, exact = sealed(name)
        agents.append(agent)
        if name == "shown":
            fixture.database.write(paths.revealed_path(name), exact)
        elif name == "forged":
            fixture.database.write(paths.revealed_path(name), exact.model_copy(update={"salt": "6" * 64}))
    subject = fixture.subject("demo", "Demo")
    fixture.board_agents = [agent.agent for agent in agents]
    for agent in agents:
        fixture.database.write(paths.agent_path(agent.agent), agent)
        for _ in range(3):
            fixture.run(subject, PASS, agent=agent.agent, purpose="board")
    database = fixture.finish()
    conditions = conditions_of(database, database.cycle(CYCLE))
    keep_conditions(database, conditions)
    change = HarnessChange(
        cycle=CYCLE,
        conditions=digest(conditions),
        replaces="1" * 64,
        changed=("harness",),
        no_effect="An error of 2 words is said in 3.",
        by="ada",
        at=datetime(2026, 11, 12, tzinfo=UTC),
    )
    database.write(paths.harness_change_path(CYCLE, change.conditions), change)
    return database, build(database, tmp_path_factory.mktemp("site") / "site", silent)


def said(built: Built, page: str) -> str:
    return pages(Path(built.folder))[page].said()


def test_the_board_shows_class_identity_and_sponsor_of_each_agent(made: tuple[Database, Built]) -> None:
    for page in ("boards/first/package.html", "index.html"):
        text = said(made[1], page)
        assert "Argusic's shell agent; its configuration is open; compute paid for by Hall 9 Computing" in text
        assert text.count("an agent program of its own; its configuration is sealed") == 2
        assert text.count("an agent program of its own; its configuration is revealed") == 1


def test_the_board_discloses_that_its_harness_changed_and_who_says_that_this_has_no_effect(
    made: tuple[Database, Built],
) -> None:
    stated = "The harness changed, without effect on measurement, as ada stated on 2026-11-12: An error of 2 words"
    assert stated in said(made[1], "boards/first/package.html")


def test_run_and_subject_pages_disclose_the_sponsor(made: tuple[Database, Built]) -> None:
    text = said(made[1], "subjects/package/demo.html")
    # Once in each row of the table of attempts, and once in the conditions of each run.
    assert text.lower().count("compute paid for by hall 9 computing") == 6


def test_a_run_page_shows_the_exact_configuration_only_where_it_is_open_or_truly_revealed(
    made: tuple[Database, Built],
) -> None:
    text = said(made[1], "subjects/package/demo.html")
    assert text.count("Model Pebble 7 mini, by the OpenAI chat protocol") == 6
    assert text.count("Agent program quarry 2.4.1") == 3
    assert text.count("Configuration open") == 3
    assert text.count("Configuration revealed, and found to be what was committed to, sha256") == 3
    assert text.count("Configuration sealed, and committed to by its fingerprint, sha256") == 6
    assert text.count("To be revealed by 2027-01-31") == 6


def test_what_a_sealed_agent_keeps_to_itself_is_on_no_page(made: tuple[Database, Built]) -> None:
    for path, page in pages(Path(made[1].folder)).items():
        if path != "subjects/package/demo.html":
            assert "Pebble" not in page.text and "quarry" not in page.text, path


def test_every_figure_of_an_identity_is_traced(made: tuple[Database, Built]) -> None:
    database, built = made
    tracer = Tracer(database)
    traced = 0
    for name, text in own_pages(Path(built.folder)):
        bare = Bare(text)
        assert name == "evidence.html" or bare.found == [], name
        for address, _ in bare.traced:
            if "pool/agents" in address or "harness-changes" in address:
                tracer.trace(address)
                traced += 1
    assert traced > 30
