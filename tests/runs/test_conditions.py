"""Every attempt of a cycle gets the same conditions, and a change of the harness inside it is refused."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.database.codec import dump, parse_record
from argusic.database.database import Database
from argusic.database.paths import conditions_path, what_is
from argusic.errors import InputError
from argusic.records.conditions import CycleConditions, Harness, HarnessChange, HarnessUsed
from argusic.records.cycle import Conditions, Cycle
from argusic.runs.conditions import (
    conditions_of,
    differing,
    digest,
    fixed_conditions,
    held_conditions,
    keep_conditions,
    refusal,
)
from argusic.runs.harness import digest_of
from argusic.runs.harness_change import state_no_effect
from argusic.sandbox.docker.provider import IMAGE_VARIABLE
from tests.made_database import Size, make_database, make_run, write

TOP = Path(__file__).parents[2]
AT = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def base(tmp_path: Path) -> Database:
    made = make_database(tmp_path / "made", Size(cycles=2, subjects=1))
    shutil.rmtree(made.root / "runs")
    shutil.copy(TOP / "rules/harness.yaml", made.root / "rules/harness.yaml")
    return made


def changed(conditions: CycleConditions, letter: str) -> CycleConditions:
    return conditions.model_copy(update={"harness": HarnessUsed(files=3, sha256=letter * 64)})


def statement(now: CycleConditions, replaces: CycleConditions) -> HarnessChange:
    return HarnessChange(
        cycle=now.cycle,
        conditions=digest(now),
        replaces=digest(replaces),
        changed=("harness",),
        no_effect="It only says an error in other words.",
        by="ada",
        at=AT,
    )


def run_under(base: Database, cycle: Cycle, conditions: CycleConditions | None, minute: int = 0) -> None:
    """Publish a run made under some conditions; None for one from before they were written down."""
    started = cycle.opens + timedelta(minutes=minute + 1)
    run = make_run(cycle, cycle.subjects[0].subject, cycle.board_agents[0], started, random.Random(minute))
    sha256 = keep_conditions(base, conditions) if conditions is not None else None
    write(base.root, run.model_copy(update={"conditions_sha256": sha256}))


def test_conditions_are_the_same_whoever_asks_and_name_no_agent_and_no_subject(base: Database) -> None:
    cycle = base.cycle("made-00")
    conditions = conditions_of(base, cycle)
    assert conditions == conditions_of(base, cycle)
    text = dump(conditions).decode()
    assert not any(name in text for name in (*cycle.board_agents, *cycle.controls))
    assert not any(entry.subject in text for entry in cycle.subjects)


def test_the_published_image_is_a_condition_where_the_sandbox_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(IMAGE_VARIABLE, raising=False)
    base = Database(TOP)
    cycle = base.cycle("quickstart")
    assert conditions_of(base, cycle, "bubblewrap").image is None
    published = conditions_of(base, cycle, "docker")
    assert published.image is not None
    monkeypatch.setenv(IMAGE_VARIABLE, f"sha256:{'1' * 64}")
    assert differing(conditions_of(base, cycle, "docker"), published) == ("image",)


def test_the_first_run_fixes_the_conditions_and_its_file_lies_under_their_digest(base: Database) -> None:
    cycle = base.cycle("made-00")
    conditions = held_conditions(base, cycle)
    run_under(base, cycle, conditions)
    path = conditions_path(cycle.cycle, digest(conditions))
    assert base.read(path, CycleConditions) == conditions
    assert what_is(path) is not None
    assert fixed_conditions(base, cycle.cycle) == [conditions]
    assert held_conditions(base, cycle) == conditions


def test_keeping_the_same_conditions_twice_writes_them_once(base: Database) -> None:
    conditions = conditions_of(base, base.cycle("made-00"))
    assert keep_conditions(base, conditions) == keep_conditions(base, conditions)


def test_a_changed_harness_is_refused_inside_a_cycle(base: Database) -> None:
    cycle = base.cycle("made-00")
    run_under(base, cycle, changed(conditions_of(base, cycle), "a"))
    with pytest.raises(InputError, match=r"had another harness than this program would give.*argusic cycle harness"):
        held_conditions(base, cycle)


def test_a_statement_that_the_change_has_no_effect_lets_the_cycle_go_on(base: Database) -> None:
    cycle = base.cycle("made-00")
    now = conditions_of(base, cycle)
    run_under(base, cycle, changed(now, "a"))
    write(base.root, statement(now, changed(now, "a")))
    assert held_conditions(base, cycle) == now
    run_under(base, cycle, now, minute=1)
    assert fixed_conditions(base, cycle.cycle) == [changed(now, "a"), now]


def test_no_statement_covers_other_limits_or_another_sandbox(base: Database) -> None:
    cycle = base.cycle("made-00")
    now = conditions_of(base, cycle)
    small = now.model_copy(update={"resources": Conditions(memory_mb=64)})
    run_under(base, cycle, small)
    with pytest.raises(InputError, match=r"another resources .* as the cycle's runs were made"):
        held_conditions(base, cycle)
    assert refusal(now, [small], None, []) is not None


def test_a_harness_that_changed_between_cycles_of_one_edition_needs_a_statement_too(base: Database) -> None:
    first, second = base.cycle("made-00"), base.cycle("made-01")
    run_under(base, first, changed(conditions_of(base, first), "a"))
    with pytest.raises(InputError, match=r"harness changed since cycle made-00, under the same edition v1\.5"):
        held_conditions(base, second)
    write(base.root, statement(conditions_of(base, second), changed(conditions_of(base, first), "a")))
    assert held_conditions(base, second) == conditions_of(base, second)


def test_a_new_edition_covers_a_change_between_cycles(base: Database) -> None:
    first, second = base.cycle("made-00"), base.cycle("made-01")
    run_under(base, first, changed(conditions_of(base, first), "a"))
    other = second.model_copy(update={"edition_sha256": "9" * 64})
    assert held_conditions(base, other).cycle == "made-01"


def test_runs_from_before_conditions_were_written_down_fix_nothing(base: Database) -> None:
    cycle = base.cycle("made-00")
    run_under(base, cycle, None)
    assert fixed_conditions(base, cycle.cycle) == []
    held_conditions(base, cycle)


CHAIN = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5)


@given(had=CHAIN, now=st.sampled_from("abcd"), stated=st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), max_size=4))
def test_an_attempt_is_refused_exactly_where_neither_a_run_nor_a_statement_about_one_knows_its_harness(
    had: list[str], now: str, stated: list[tuple[str, str]]
) -> None:
    plain = conditions_of(Database(TOP), Database(TOP).cycle("quickstart"))
    under = {letter: changed(plain, letter) for letter in "abcd"}
    changes = [statement(under[new], under[old]) for new, old in stated]
    allowed = now in had or any(new == now and old in had for new, old in stated)
    assert (refusal(under[now], [under[letter] for letter in had], None, changes) is None) == allowed


def test_every_change_of_a_listed_file_changes_the_digest_and_no_other_change_does(tmp_path: Path) -> None:
    harness = Harness.model_validate(
        {"parts": [{"part": "p", "why": "w", "files": ["argusic/a/**/*.py"], "without": ["argusic/a/out/*.py"]}]}
    )

    def tree(name: str, **texts: str) -> HarnessUsed:
        for file, text in texts.items():
            path = tmp_path / name / f"argusic/a/{file.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return digest_of(harness, tmp_path / name)

    plain = tree("one", x="1", deep__y="2", out__z="3")
    assert plain.files == 2
    assert tree("two", x="1", deep__y="2", out__z="other") == plain
    assert tree("three", x="1", deep__y="changed", out__z="3") != plain
    assert tree("four", x="1", deep__moved="2", out__z="3") != plain
    assert tree("five", x="1", deep__y="2", new="", out__z="3") != plain


def test_a_pattern_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    harness = Harness.model_validate({"parts": [{"part": "p", "why": "w", "files": ["argusic/gone.py"]}]})
    with pytest.raises(InputError, match=r"no file of the program is called argusic/gone\.py"):
        digest_of(harness, tmp_path)


def test_the_list_of_the_harness_names_files_of_this_program_and_none_of_an_agent() -> None:
    harness = parse_record((TOP / "rules/harness.yaml").read_bytes(), Harness, file="harness.yaml")
    assert digest_of(harness, TOP).files > 50
    # The mission as text is the one thing there that is the same for every agent.
    listed = {name for part in harness.parts for name in part.files if "agents" in name}
    assert listed == {"argusic/runs/agents/briefing.py"}


def test_stating_that_a_change_has_no_effect_names_both_conditions_and_who_says_so(base: Database) -> None:
    cycle = base.cycle("made-00")
    old = changed(conditions_of(base, cycle), "a")
    run_under(base, cycle, old)
    made = state_no_effect(base, cycle, reason="An error is said in other words.", by="ada", at=AT)
    assert (made.replaces, made.changed) == (digest(old), ("harness",))
    assert base.harness_changes(cycle.cycle) == {digest(conditions_of(base, cycle)): made}
    held_conditions(base, cycle)
    with pytest.raises(InputError, match="nothing of cycle made-00's harness changed"):
        state_no_effect(base, cycle, reason="Again.", by="ada", at=AT)


def test_nothing_can_be_stated_of_limits(base: Database) -> None:
    cycle = base.cycle("made-00")
    run_under(base, cycle, conditions_of(base, cycle).model_copy(update={"resources": Conditions(memory_mb=64)}))
    with pytest.raises(InputError, match="no statement covers another resources"):
        state_no_effect(base, cycle, reason="It is the same.", by="ada", at=AT)
