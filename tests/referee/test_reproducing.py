"""Reproductions of the pilot: what was doctored shows in exactly the right cells, and what is false is refused."""

from __future__ import annotations

import math
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from argusic.database.codec import dump, parse_record
from argusic.database.database import Database
from argusic.database.paths import MANIFEST_FILE, RUN_FILE, agent_path, cycle_path, reproduction_path, run_folder
from argusic.errors import InputError
from argusic.pool.scratch import make_scratch
from argusic.records.agent import Agent
from argusic.records.cycle import Conditions
from argusic.records.findings import Invalidation
from argusic.records.manifest import Manifest
from argusic.records.reproduction import Reproduction
from argusic.records.run import Ending, Run
from argusic.records.sealed import SealedConfiguration
from argusic.referee.checks.append_only import check_append_only
from argusic.referee.checks.reproductions import check_reproductions
from argusic.referee.checks.survey import survey
from argusic.referee.reproducing.recording import original_digest, record_reproduction, reproduction_of
from argusic.referee.reproducing.setting_up import choose, scratch_for
from argusic.referee.reproducing.sides import published
from argusic.referee.reproducing.standing import Standing, standing
from argusic.referee.tracing.tracing import Tracer
from argusic.rules.rubric import score
from argusic.runs.cycle import still_owed
from tests.conftest import git
from tests.made_database import TOP

CYCLE = "pilot"
NOW = datetime(2027, 6, 1, tzinfo=UTC)
#: How a report is doctored, by subject: the numbers of the runs, and what becomes of them.
Doctor = Callable[[Run, int], Run]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a copy of the repository with the runs of the pilot, which nothing is written to."""
    return copied(tmp_path_factory.mktemp("base") / "referee")


def copied(folder: Path) -> Database:
    made = make_scratch(Database(TOP), folder, pool=True)
    shutil.copytree(TOP / "runs" / CYCLE, folder / "runs" / CYCLE, ignore=shutil.ignore_patterns("*.cast", "*.zip"))
    return Database(made.root)


def again(base: Database, folder: Path, doctor: Doctor = lambda run, number: run) -> Database:
    """Return a scratch database that holds what the newcomer's runs would be if all came out as before, half a year
    later, but for what is doctored."""
    scratch = make_scratch(base, folder, pool=True)
    shutil.copytree(base.root / "runs" / CYCLE / "conditions", folder / "runs" / CYCLE / "conditions")
    numbers: Counter[str] = Counter()
    for stored in sorted(base.runs(CYCLE), key=lambda stored: (stored.run.started, stored.run.run)):
        run = stored.run
        if run.agent != "newcomer":
            continue
        began, ended = run.started.replace(year=2027, month=5), run.finished.replace(year=2027, month=5)
        name = f"{began:%Y%m%dT%H%M%SZ}{run.run[16:]}"
        later = run.model_copy(update={"run": name, "started": began, "finished": ended})
        later = doctor(later, numbers[run.subject])
        numbers[run.subject] += 1
        target = run_folder(CYCLE, run.subject, run.agent, name)
        scratch.write(target / RUN_FILE, Run.model_validate(later.model_dump()))
        manifest = base.read(stored.folder / MANIFEST_FILE, Manifest)
        scratch.write(target / MANIFEST_FILE, manifest.model_copy(update={"run": name}))
    return scratch


@pytest.fixture(scope="module")
def same(base: Database, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a scratch database in which everything came out as before, which nothing is written to."""
    return again(base, tmp_path_factory.mktemp("same") / "again")


@pytest.fixture(scope="module")
def lawful(base: Database, same: Database) -> Reproduction:
    return reproduction_of(base, same, CYCLE, published(base, CYCLE), by="Ada", where=None, at=NOW)


def compared(base: Database, scratch: Database) -> tuple[Reproduction, Standing]:
    made = reproduction_of(base, scratch, CYCLE, published(base, CYCLE), by="Ada", where=None, at=NOW)
    # As it will be read again.
    made = parse_record(dump(made), Reproduction, file="it.yaml")
    return made, standing(base, made)


def said(run: Run, **facts: Any) -> Run:
    """Return a run whose report says something else."""
    assert run.report.content is not None
    content = run.report.content.model_copy(update=facts)
    return run.model_copy(update={"report": run.report.model_copy(update={"content": content})})


def doctored(run: Run, number: int) -> Run:
    """Doctor seven runs of five subjects."""
    match run.subject, number:
        case "package/cowsay", 1:
            return said(run, installed=True, launched=False)
        case "package/tinydb", 0 | 1 | 2:
            return run.model_copy(update={"ending": Ending(how="time_limit")})
        case "package/rq", 2:
            return said(run, test_depth="tier1_real")
        case "package/uwsgi", 0:
            return said(run, test_depth="tier1_real", verified_how="It was.")
        case "package/nose", 0:
            return run.model_copy(update={"ending": Ending(how="harness_error", detail="Cut.")})
    return run


def outcomes_by_hand(database: Database) -> dict[str, list[str]]:
    """Return what valid runs of the newcomer came to, by subject and start: from the files alone."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted((database.root / "runs" / CYCLE).glob("*/*/*/newcomer/*/run.yaml")):
        run = yaml.safe_load(path.read_text(encoding="utf-8"))
        report = run["report"].get("content")
        if run["ending"]["how"] == "harness_error":
            continue
        if run["ending"]["how"] == "time_limit":
            outcome = "timeout"
        elif not (report and report["installed"] and report["launched"]):
            outcome = "fail"
        else:
            outcome = {"tier1_real": "pass_full", "tier2_mock": "pass_mock"}.get(report["test_depth"], "fail")
        found[run["subject"]].append((run["started"], outcome))
    return {subject: [outcome for _, outcome in sorted(runs)] for subject, runs in found.items()}


def verdict_by_hand(outcomes: list[str]) -> str:
    if "pass_full" in outcomes:
        return "runs"
    return "runs_with_mocks" if "pass_mock" in outcomes else "could_not_verify"


def kappa_by_hand(pairs: list[tuple[str, str]]) -> float:
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    same = sum(one == other for one, other in pairs) / len(pairs)
    chance = sum(first[name] * second[name] for name in first) / len(pairs) ** 2
    return (same - chance) / (1 - chance)


def shown_table(found: Any) -> Counter[tuple[str, str]]:
    cells = zip(found.categories, found.table, strict=True)
    return +Counter({(one, other): n for one, row in cells for other, n in zip(found.categories, row, strict=True)})


def test_what_comes_out_the_same_agrees_throughout(base: Database, same: Database) -> None:
    made, found = compared(base, same)
    outcomes, verdicts = found.comparison.outcome_agreement, found.comparison.verdict_agreement
    assert (outcomes.agreed, outcomes.pairs, outcomes.clusters) == (48, 48, 16)
    assert (verdicts.agreed, verdicts.pairs) == (16, 16)
    assert outcomes.kappa == 1 and outcomes.interval is None and outcomes.no_interval is not None
    assert found.comparison.inside == 16 and found.comparison.outside == found.since == 0
    assert found.differences == ()
    assert made.reproduction == min(run.run for cell in made.cells for run in cell.runs)
    edition, _ = base.edition("v1.5")
    lines = {cell.subject: dict(cell.again.lines) for cell in found.comparison.cells}
    run = next(stored.run for stored in base.runs(CYCLE) if stored.run.subject == "package/uwsgi")
    assert lines["package/uwsgi"].keys() == {name for name, _ in score(run, edition).lines or ()}


def test_a_doctored_difference_shows_in_exactly_the_right_cells(base: Database, tmp_path: Path) -> None:
    scratch = again(base, tmp_path / "again", doctored)
    _, found = compared(base, scratch)
    first, then = outcomes_by_hand(base), outcomes_by_hand(scratch)
    pairs = [pair for subject in sorted(first) for pair in zip(first[subject], then[subject], strict=False)]
    comparison = found.comparison
    assert len(pairs) == 47 and shown_table(comparison.outcome_agreement) == Counter(pairs)
    assert shown_table(comparison.outcome_agreement) == Counter(
        {
            ("pass_full", "pass_full"): 12 * 3 - 1 - 3 - 1,
            ("pass_full", "fail"): 1,
            ("pass_full", "timeout"): 3,
            ("pass_mock", "pass_mock"): 2,
            ("pass_mock", "pass_full"): 1,
            ("fail", "fail"): 8,
            ("fail", "pass_full"): 1,
        }
    )
    assert comparison.outcome_agreement.kappa is not None and comparison.outcome_agreement.interval is not None
    assert math.isclose(float(comparison.outcome_agreement.kappa), kappa_by_hand(pairs))
    words = [(verdict_by_hand(first[subject]), verdict_by_hand(then[subject])) for subject in sorted(first)]
    assert shown_table(comparison.verdict_agreement) == Counter(words)
    assert comparison.verdict_agreement.kappa is not None
    assert math.isclose(float(comparison.verdict_agreement.kappa), kappa_by_hand(words))
    changed = {one.subject: (one.first, one.again) for one in comparison.verdicts if not one.agrees}
    assert changed == {
        "package/tinydb": ("runs", "could_not_verify"),
        "package/rq": ("runs_with_mocks", "runs"),
        "package/uwsgi": ("could_not_verify", "runs"),
    }
    assert (comparison.left_out, comparison.unpaired) == (1, 1)
    # One of three that differs moves no middle score; a whole set that ran out of time does.
    outside = {cell.subject: cell.difference for cell in comparison.cells if cell.inside is False}
    assert outside == {"package/tinydb": -100}


def test_only_what_was_run_again_is_compared_and_a_run_without_its_fellow_is_counted(
    base: Database, tmp_path: Path
) -> None:
    scratch = again(base, tmp_path / "again")
    for folder in (scratch.root / "runs" / CYCLE).glob("*/*/*"):
        if folder.name != "cowsay":
            shutil.rmtree(folder)
    one = sorted((scratch.root / "runs" / CYCLE / "package/c/cowsay/newcomer").iterdir())[2]
    shutil.rmtree(one)
    _, found = compared(base, scratch)
    comparison = found.comparison
    assert [cell.subject for cell in comparison.cells] == ["package/cowsay"]
    assert (comparison.outcome_agreement.pairs, comparison.unpaired) == (2, 1)
    assert comparison.outcome_agreement.kappa is None


def test_what_a_person_found_there_stands_in_it(base: Database, tmp_path: Path) -> None:
    scratch = again(base, tmp_path / "again")
    run = next(stored.run for stored in scratch.runs(CYCLE) if stored.run.subject == "package/cowsay")
    finding = Invalidation(run=run.run, cycle=CYCLE, reason="The disk failed.", by="ada", at=NOW)
    scratch.write(Path("runs", CYCLE, "invalidations", f"{run.run}.yaml"), finding)  # type: ignore[arg-type]
    made, found = compared(base, scratch)
    assert [one.stands for cell in made.cells for one in cell.runs if one.run == run.run] == ["invalidated"]
    assert found.comparison.left_out == 1


def test_what_could_not_be_the_same_is_a_stated_difference(base: Database, lawful: Reproduction) -> None:
    made, conditions = lawful, lawful.conditions[0]
    place = made.places[0]
    assert place.environment is not None
    moved = made.model_copy(
        update={
            "conditions": (conditions.model_copy(update={"sandbox": "bubblewrap", "image": None}),),
            "places": (
                place.model_copy(
                    update={
                        "runs": 48,
                        "environment": place.environment.model_copy(update={"os": "Other", "tools": {"bash": "5.3"}}),
                    }
                ),
            ),
        }
    )
    found = {one.what: one for one in standing(base, moved).differences}
    assert found["sandbox"].first == ("docker",) and found["sandbox"].again == ("bubblewrap",)
    assert found["image"].again == ("none",)
    assert found["system"].again == ("Other",)
    assert found["tool bash"].again == ("5.3",) and found["tool node"].again == ("not stated",)


def test_by_default_whatever_ran_but_controls_is_run_again(base: Database) -> None:
    first = published(base, CYCLE)
    wanted = choose(base, base.cycle(CYCLE), first, (), ())
    assert len(wanted.cells) == 16 and {agent for _, agent in wanted.cells} == {"newcomer"}
    some = choose(base, base.cycle(CYCLE), first, ["package/rq"], ["oracle", "newcomer"])
    assert some.cells == (("package/rq", "newcomer"), ("package/rq", "oracle"))
    for subjects, agents, what in (
        (["package/nothing"], [], "no runs of the subject package/nothing"),
        ([], ["nobody"], "no runs of the agent nobody"),
    ):
        with pytest.raises(InputError, match=what):
            choose(base, base.cycle(CYCLE), first, subjects, agents)
    with pytest.raises(InputError, match="nothing to reproduce"):
        choose(base, base.cycle(CYCLE), {}, (), ())


@pytest.fixture
def recorded(lawful: Reproduction, tmp_path: Path) -> tuple[Database, Reproduction]:
    """Return a repository that holds a lawful reproduction."""
    database = copied(tmp_path / "referee")
    record_reproduction(database, lawful)
    return database, lawful


def findings(database: Database, made: Reproduction) -> list[str]:
    database.write(reproduction_path(made.cycle, made.reproduction), made, replace=True)
    return [str(finding) for finding in check_reproductions(database, survey(database))]


def test_a_lawful_reproduction_is_written_once(recorded: tuple[Database, Reproduction]) -> None:
    database, made = recorded
    assert findings(database, made) == []
    assert database.reproductions(CYCLE) == (made,) and database.reproductions("other") == ()
    with pytest.raises(InputError, match="is there already"):
        record_reproduction(database, made)


def test_each_false_statement_of_a_reproduction_is_found(recorded: tuple[Database, Reproduction]) -> None:
    database, made = recorded
    cell, conditions = made.cells[0], made.conditions[0]
    own = next(iter(database.runs(CYCLE))).run
    other_pin = {"pin": cell.pin.model_copy(update={"sha256": "0" * 64})}
    stranger = {"original": ("20200101T000000Z-aaaaaa",)}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"edition": made.edition.model_copy(update={"sha256": "0" * 64})}, "not the edition that the cycle pins"),
        ({"original_sha256": "0" * 64}, "not the digest of the cycle's runs"),
        ({"recorded": datetime(2027, 1, 1, tzinfo=UTC)}, "was written down before"),
        ({"cells": (cell.model_copy(update=other_pin), *made.cells[1:])}, "is not of what pool/cycles/pilot.yaml pins"),
        ({"cells": (cell.model_copy(update=stranger), *made.cells[1:])}, "which is no run of newcomer"),
        ({"cells": (cell.model_copy(update={"agent": "nop"}), *made.cells[1:])}, "a control counts in nothing"),
        ({"cells": (cell.model_copy(update={"subject": "package/a"}), *made.cells[1:])}, "which its cycle does not"),
        ({"conditions": (conditions.model_copy(update={"sandbox": "bubblewrap"}),)}, "does not hold the conditions"),
        (
            {"conditions": (conditions.model_copy(update={"resources": Conditions(memory_mb=1)}), conditions)},
            "other resources than the cycle's",
        ),
        (_naming(made, own.run), f"names {own.run}, which is a run of runs/pilot"),
    ]
    for update, what in wrong:
        doctored = made.model_copy(update=update)
        found = findings(database, doctored)
        assert found and any(what in one for one in found), (what, found)


def _naming(made: Reproduction, run: str) -> dict[str, Any]:
    """Return what makes a run of the cycle the first of a reproduction's own."""
    cell = made.cells[0]
    first = cell.runs[0].model_copy(update={"run": run})
    cells = (cell.model_copy(update={"runs": (first, *cell.runs[1:])}), *made.cells[1:])
    return {"reproduction": run, "cells": cells}


def test_one_run_is_not_counted_in_two_reproductions(recorded: tuple[Database, Reproduction]) -> None:
    database, made = recorded
    cells = made.cells[1:]
    name = min(run.run for cell in cells for run in cell.runs)
    runs = sum(len(cell.runs) for cell in cells)
    places = (made.places[0].model_copy(update={"runs": runs}),)
    originals = [((cell.subject, cell.agent), cell.original) for cell in cells]
    digest = original_digest(database, CYCLE, originals)
    again = made.model_copy(update={"reproduction": name, "cells": cells, "places": places, "original_sha256": digest})
    database.write(reproduction_path(CYCLE, name), again)
    found = [str(one) for one in check_reproductions(database, survey(database))]
    assert len(found) == runs and all("which is a run of runs/reproductions" in one for one in found)


@pytest.mark.parametrize(
    ("update", "what"),
    [
        ({"by": "a" * 101}, "at most 100"),
        ({"by": ""}, "at least 1"),
        ({"by": "Ada\nand others"}, "cannot be seen"),
        ({"by": "\u202eadA"}, "cannot be seen"),
        ({"where": "javascript:alert(1)"}, "pattern"),
        ({"where": "https://user:secret@example.org/o/r"}, "pattern"),
        ({"signed": 49}, "more than there are runs"),
        ({"reproduction": "20200101T000000Z-aaaaaa"}, "not the id of the first run"),
        ({"places": []}, "at least 1"),
        ({"cells": []}, "at least 1"),
    ],
)
def test_what_a_stranger_writes_is_bounded(lawful: Reproduction, update: dict[str, Any], what: str) -> None:
    made = lawful
    plain = {**made.model_dump(mode="json", by_alias=True, exclude_none=True), **update}
    with pytest.raises(InputError, match=what):
        parse_record(yaml.safe_dump(plain, allow_unicode=True).encode(), Reproduction, file="it.yaml")
    tools = {f"tool{number}": "1" for number in range(201)}
    plain = made.model_dump(mode="json", by_alias=True, exclude_none=True)
    plain["places"][0]["environment"]["tools"] = tools
    with pytest.raises(InputError, match="more than 200 entries"):
        parse_record(yaml.safe_dump(plain).encode(), Reproduction, file="it.yaml")


def test_every_figure_of_a_reproduction_ends_in_the_cycles_own_runs(tmp_path: Path) -> None:
    database = make_scratch(Database(TOP), tmp_path / "referee", pool=True)
    shutil.copytree(TOP / "runs" / CYCLE, database.root / "runs" / CYCLE)
    database = Database(database.root)
    scratch = again(database, tmp_path / "again", doctored)
    for folder in (scratch.root / "runs" / CYCLE).glob("*/*/*"):
        if folder.name != "tinydb":
            shutil.rmtree(folder)
    made = reproduction_of(database, scratch, CYCLE, published(database, CYCLE), by="Ada", where=None, at=NOW)
    path = record_reproduction(database, made)
    tracer = Tracer(database)
    chain = tracer.trace(f"{path}#package/tinydb/newcomer/agreed")
    assert chain.value == 0 and len(chain.below) == 3
    assert all(link.value == "pass_full" for link in chain.below)
    assert tracer.trace(f"{path}#outcomes/table/pass_full/timeout").value == 3
    counted = tracer.trace("pool/cycles/pilot.yaml#reproduced/package/tinydb/newcomer/compared")
    assert counted.value == 3 and counted.below[0].file == str(path)


def test_a_sealed_agent_is_left_out_with_a_sentence_and_refused_where_it_is_asked_for(
    lawful: Reproduction, base: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    database = copied(tmp_path / "referee")
    sealed = SealedConfiguration(
        sealed_size=1, sealed_sha256="1" * 64, recipients=(f"age1{'p' * 58}", f"age1{'q' * 58}")
    )
    agent = Agent(
        agent="quiet",
        title="Quiet",
        role="agent",
        program="shell",
        implementation="shell",
        commitment="1" * 64,
        sealed=sealed,
    )
    database.write(agent_path("quiet"), agent)
    first = published(base, CYCLE)
    first = {**first, ("package/cowsay", "quiet"): first["package/cowsay", "newcomer"]}
    wanted = choose(database, database.cycle(CYCLE), first, ["package/cowsay"], [])
    assert wanted.cells == (("package/cowsay", "newcomer"),)
    ((left, why),) = wanted.left_out
    assert left == "quiet" and "its exact configuration is sealed, and there is no key for it" in why
    with pytest.raises(InputError, match="agent quiet cannot be reproduced here"):
        choose(database, database.cycle(CYCLE), first, [], ["quiet"])


def test_a_published_reproduction_is_neither_edited_nor_removed(recorded: tuple[Database, Reproduction]) -> None:
    database, made = recorded
    path = database.root / reproduction_path(CYCLE, made.reproduction)
    for words in (("init", "-q"), ("add", "runs/reproductions"), ("commit", "-q", "-m", "A reproduction")):
        git(database.root, *words)
    database = Database(database.root)
    assert list(check_append_only(database, "HEAD")) == []
    path.write_bytes(path.read_bytes().replace(b'by: "Ada"', b'by: "Eve"').replace(b"by: Ada", b"by: Eve"))
    (edited,) = check_append_only(database, "HEAD")
    assert "was edited; a published reproduction stays as it is" in edited.what
    path.unlink()
    (removed,) = check_append_only(database, "HEAD")
    assert "was removed or renamed" in removed.what


def test_a_cycle_whose_window_is_over_is_open_in_its_scratch_database_alone(tmp_path: Path) -> None:
    database = copied(tmp_path / "referee")
    cycle = database.cycle(CYCLE)
    over = cycle.model_copy(update={"closes": datetime(2026, 11, 30, 0, 0, 1, tzinfo=UTC)})
    database.write(cycle_path(CYCLE), over, replace=True)
    wanted = choose(database, over, published(database, CYCLE), ["package/cowsay"], [])
    made = scratch_for(database, over, wanted, "docker", None, ())
    assert not made.goes_on and database.close(CYCLE) is not None and made.database.close(CYCLE) is None
    assert made.database.cycle(CYCLE).closes > datetime.now(UTC) and database.cycle(CYCLE) == over
    assert [cell.subject for cell in still_owed(made.database, made.database.cycle(CYCLE)) if wanted.holds(cell)] == [
        "package/cowsay"
    ]
    assert scratch_for(database, over, wanted, "docker", None, ()).database.root == made.database.root


def test_one_under_other_conditions_is_passed_over_with_a_sentence(base: Database, tmp_path: Path) -> None:
    database = copied(tmp_path / "referee")
    cycle = database.cycle(CYCLE)
    wanted = choose(database, cycle, published(database, CYCLE), [], [])
    earlier = scratch_for(database, cycle, wanted, "docker", None, ()).database
    other = again(base, tmp_path / "again")
    shutil.copytree(other.root / "runs" / CYCLE / "conditions", earlier.root / "runs" / CYCLE / "conditions")
    shutil.copytree(other.root / "runs" / CYCLE / "package/c", earlier.root / "runs" / CYCLE / "package/c")
    # The pilot's harness was another than today's, and not all of it has run again there.
    made = scratch_for(database, cycle, wanted, "docker", None, ())
    assert made.database.root != earlier.root and made.passed_over is not None
    assert "is not gone on with: the runs of cycle pilot had another" in made.passed_over
    with pytest.raises(InputError, match="is not gone on with"):
        scratch_for(database, cycle, wanted, "docker", earlier.root, ())
    run = min(stored.run.run for stored in earlier.runs(CYCLE))
    shutil.rmtree(made.database.root)
    assert scratch_for(database, cycle, wanted, "docker", None, [run]).passed_over is None
