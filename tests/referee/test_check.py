"""`argusic check`: a sound database passes, and each broken rule is named at its place."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

import pytest
from typer.testing import CliRunner

from argusic.cli import context
from argusic.cli.main import build
from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import (
    MANIFEST_FILE,
    RUN_FILE,
    agent_path,
    board_path,
    close_path,
    cycle_path,
    dispute_path,
    edition_path,
    invalidation_path,
    run_folder,
    screening_path,
    subject_path,
)
from argusic.errors import InputError
from argusic.records.board import Board
from argusic.records.cycle import Close
from argusic.records.findings import Dispute, Invalidation, Moment, Resolution, Screening
from argusic.records.manifest import (
    ArgusicFacts,
    Coverage,
    EditionUsed,
    EnvironmentFacts,
    EvidenceFile,
    Fingerprinted,
    Manifest,
    SandboxFacts,
)
from argusic.records.report import Report
from argusic.records.run import Ending, Phase, Run, RunReport
from argusic.referee.check import check, standing
from argusic.referee.checks.append_only import check_append_only

START = datetime(2026, 11, 30, 1, 45, tzinfo=UTC)
RUN = "20261130T014500Z-kax7q2"
Change = Callable[[Database], object]


def _git(folder: Path, *words: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    done = subprocess.run(["git", *identity, *words], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout.decode().strip()


def _run(database: Database, number: int = 0, **fields: object) -> Run:
    started = START + timedelta(seconds=number)
    report = Report(installed=True, launched=True, errors=(), test_depth="tier1_real", final_state="It runs.")
    cycle = database.cycle("small")
    edition, _ = database.edition(cycle.edition)
    facts: dict[str, object] = {
        "run": f"{started:%Y%m%dT%H%M%SZ}-kax7q2",
        "cycle": "small",
        "subject": "repository/greeter",
        "agent": "newcomer",
        "edition": "v1.5",
        "purpose": "board",
        "tier": "standard",
        "budget_seconds": 60 * edition.budgets_minutes.standard,
        "pin": cycle.subjects[0].pin,
        "started": started,
        "finished": started + timedelta(seconds=30),
        "ending": Ending(how="completed"),
        "phases": (Phase(name="agent", started=started, seconds=12.5),),
        "commands": 3,
        "report": RunReport(state="read", content=report),
    }
    return Run.model_validate(facts | fields)


def _manifest(database: Database, run: Run, data: bytes, fields: dict[str, object]) -> Manifest:
    edition, digest = database.edition("v1.5")
    assert edition.instructions is not None and edition.instructions_sha256 is not None
    facts: dict[str, object] = {
        "run": run.run,
        "cycle": run.cycle,
        "edition": EditionUsed(id="v1.5", sha256=digest),
        "instructions": Fingerprinted(id=edition.instructions, sha256=edition.instructions_sha256),
        "agent": Fingerprinted(id=run.agent, sha256="d" * 64),
        "sandbox": SandboxFacts(
            kind="bubblewrap", version="0.11", host_user="ordinary", memory_mb=4096, cpus=2.0, processes=1024,
            disk_mb=10240, limits_by="cgroup-v2", disk_by="watchdog", network="http_proxy",
        ),
        "environment": EnvironmentFacts(os="Linux", kernel="6.1", machine="x86_64", tools={}, digest="e" * 64),
        "key": "none",
        "argusic": ArgusicFacts(version="0.1.0", commit=None, dirty=True),
        "coverage": Coverage(
            agent_seconds=12.5, recorded_seconds=12.5, events=9, commands=3, commands_seen=3, end_marked=True,
            complete=True,
        ),
        "files": (
            EvidenceFile(
                name=RUN_FILE, role="run", media_type="application/yaml", size=len(data),
                sha256=hashlib.sha256(data).hexdigest(), place="run",
            ),
        ),
    }  # fmt: skip
    return Manifest.model_validate(facts | fields)


def _put(database: Database, run: Run, manifest: dict[str, object] | None = None) -> Path:
    """Publish a run as it is; whatever is wrong with it stays wrong."""
    folder = database.root / run_folder(run.cycle, run.subject, run.agent, run.run)
    folder.mkdir(parents=True)
    data = dump(run)
    (folder / RUN_FILE).write_bytes(data)
    (folder / MANIFEST_FILE).write_bytes(dump(_manifest(database, run, data, manifest or {})))
    return folder


@pytest.fixture
def sound(small_database: Callable[..., Database]) -> Database:
    """A database with two runs and one board that obeys every rule."""
    database = small_database()
    _put(database, _run(database, 0))
    _put(database, _run(database, 1, agent="oracle", purpose="control"))
    board = Board(cycle="small", kind="repository", edition="v1.5", runs_per_set=3, agents=())
    database.write(board_path("small", "repository"), board)
    return database


@pytest.fixture
def committed(sound: Database) -> Database:
    """The same in a git repository, committed."""
    _git(sound.root, "init", "-q", "-b", "main")
    _git(sound.root, "add", ".")
    _git(sound.root, "commit", "-q", "-m", "Two runs")
    return Database(sound.root, cache_folder=sound.cache_folder)


def _named(database: Database, base: str | None = None) -> list[tuple[str, str | None]]:
    return [(str(finding.place.file), finding.place.field) for finding in check(database, base)]


def _edit(path: PurePosixPath | str, old: str, new: str) -> Change:
    def change(database: Database) -> None:
        file = database.root / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))

    return change


def _text(path: PurePosixPath | str, text: str = "schema: 1\n") -> Change:
    def change(database: Database) -> None:
        file = database.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    return change


FOLDER = run_folder("small", "repository/greeter", "newcomer", RUN)
CYCLE = cycle_path("small")
EDITION = edition_path("v1.5")
INSTRUCTIONS = "rules/instructions/standard-1.md"
GREETER = subject_path("repository", "greeter")
BOARD = board_path("small", "repository")
CLOSE = str(close_path("small"))
LATER = START + timedelta(hours=1)


def _close(**fields: object) -> Change:
    def change(database: Database) -> None:
        board = BOARD
        facts: dict[str, object] = {
            "cycle": "small",
            "closed": LATER,
            "by": "A. Person",
            "runs": 2,
            "derived": {str(board): hashlib.sha256((database.root / board).read_bytes()).hexdigest()},
        }
        database.write(close_path("small"), Close.model_validate(facts | fields))

    return change


def _invalidate(run: str = RUN, cycle: str = "small") -> Change:
    record = Invalidation(run=run, cycle=cycle, reason="The host slept.", by="A. Person", at=LATER)
    return lambda database: database.write(invalidation_path(cycle, run), record)


def _screen(subject: str = "repository/greeter", *runs: str) -> Change:
    record = Screening(
        cycle="small", subject=subject, finding="environment", reason="No network.", by="B", at=LATER, invalidates=runs
    )
    return lambda database: database.write(screening_path("small", subject), record)


def _dispute(issue: int = 1, run: str = RUN, **fields: object) -> Dispute:
    facts: dict[str, object] = {
        "issue": issue, "run": run, "cycle": "small", "by": "C", "opened": LATER, "claim": "No.", "expected": "Yes.",
    }  # fmt: skip
    return Dispute.model_validate(facts | fields)


def _stands(*seconds: float) -> Resolution:
    moments = tuple(Moment(seconds=second, shows="it starts") for second in seconds)
    return Resolution(result="evidence_stands", explanation="See 0:12.", moments=moments, by="D", at=LATER)


def _put_run(number: int = 5, **fields: object) -> Change:
    return lambda database: _put(database, _run(database, number, **fields))


def _put_manifest(**fields: object) -> Change:
    return lambda database: _put(database, _run(database, 5), fields)


def _folder_of(number: int, **ids: str) -> PurePosixPath:
    run = f"{START + timedelta(seconds=number):%Y%m%dT%H%M%SZ}-kax7q2"
    named = {"cycle": "small", "subject": "repository/greeter", "agent": "newcomer"} | ids
    return run_folder(named["cycle"], named["subject"], named["agent"], run)


NEW = _folder_of(5)
NEW_RUN, NEW_MANIFEST = str(NEW / RUN_FILE), str(NEW / MANIFEST_FILE)


def test_a_sound_database_passes(sound: Database) -> None:
    assert check(sound) == []


@pytest.mark.parametrize(
    "change", [_close(), _invalidate(), _screen(), _screen("repository/greeter", RUN), _text("pool/README.md", "Hello")]
)
def test_what_is_lawfully_added_passes(sound: Database, change: Change) -> None:
    change(sound)
    assert check(sound) == []


BROKEN: dict[str, tuple[Change, str, str | None]] = {
    "a file that nobody knows": (_text("pool/notes.txt"), "pool/notes.txt", None),
    "a file under another name": (_text("runs/small/notes.yaml"), "runs/small/notes.yaml", None),
    "a hidden file": (_text("rules/editions/.v1.6.yaml"), "rules/editions/.v1.6.yaml", None),
    "a field that is not known": (_edit(CYCLE, "title:", "colour: red\ntitle:"), str(CYCLE), "colour"),
    "a value that is not lawful": (_edit(CYCLE, "tier: standard", "tier: huge"), str(CYCLE), "subjects[0].tier"),
    "a duplicate key": (_edit(CYCLE, "title:", "title: twice\ntitle:"), str(CYCLE), None),
    "a cycle under another name": (_edit(CYCLE, "cycle: small", "cycle: large"), str(CYCLE), None),
    "an agent under another name": (
        lambda db: (db.root / agent_path("nop")).rename(db.root / "pool/agents/nap.yaml"), "pool/agents/nap.yaml", None,
    ),
    "a subject under another initial": (
        lambda db: (db.root / "pool/subjects/repository/g").rename(db.root / "pool/subjects/repository/x"),
        "pool/subjects/repository/x/greeter.yaml", None,
    ),
    "another text of the edition": (_edit(EDITION, "written", "# \nwritten"), str(CYCLE), "edition_sha256"),
    "an edition that is not there": (
        lambda db: (db.root / EDITION).unlink(), str(CYCLE), "edition",
    ),
    "other instructions": (_edit(INSTRUCTIONS, "\n", "\n\n"), str(EDITION), "instructions_sha256"),
    "no instructions": (
        lambda db: (db.root / INSTRUCTIONS).unlink(), str(EDITION), "instructions",
    ),
    "a kind that is not declared": (
        lambda db: (db.root / "rules/kinds/repository.yaml").unlink(), str(GREETER), "kind",
    ),
    "a subject that is not there": (
        lambda db: (db.root / GREETER).unlink(), str(CYCLE), "subjects[0].subject",
    ),
    "an agent that is not there": (
        lambda db: (db.root / agent_path("newcomer")).unlink(), str(CYCLE), "standard_agent",
    ),
    "a control among the agents": (
        _edit(agent_path("newcomer"), "role: agent", "role: control"), str(CYCLE), "board_agents",
    ),
    "an agent among the controls": (_edit(agent_path("nop"), "role: control", "role: agent"), str(CYCLE), "controls"),
    "a run of no cycle": (_put_run(cycle="winter"), str(_folder_of(5, cycle="winter") / RUN_FILE), "cycle"),
    "a run of a subject that the cycle lacks": (
        _put_run(subject="repository/other"), str(_folder_of(5, subject="repository/other") / RUN_FILE), "subject",
    ),
    "a run by nobody": (_put_run(agent="ghost"), str(_folder_of(5, agent="ghost") / RUN_FILE), "agent"),
    "a run of another edition": (_put_run(edition="v1.4"), NEW_RUN, "edition"),
    "a run of another commit": (
        _edit(FOLDER / RUN_FILE, "commit: ", "commit: " + "a" * 40 + " #"), str(FOLDER / RUN_FILE), "pin",
    ),
    "a run of another tier": (_put_run(tier="gpu"), NEW_RUN, "tier"),
    "a run with another budget": (_put_run(budget_seconds=1), NEW_RUN, "budget_seconds"),
    "a control's run for the board": (
        _put_run(agent="oracle", purpose="board"), str(_folder_of(5, agent="oracle") / RUN_FILE), "purpose",
    ),
    "an agent's run as a control": (_put_run(purpose="control"), NEW_RUN, "purpose"),
    "a run without its manifest": (lambda db: (db.root / FOLDER / MANIFEST_FILE).unlink(), str(FOLDER), None),
    "a manifest without its run": (lambda db: (db.root / FOLDER / RUN_FILE).unlink(), str(FOLDER), None),
    "a file that the manifest does not name": (_text(FOLDER / "extra.txt"), str(FOLDER / "extra.txt"), None),
    "a manifest of another run": (_put_manifest(run=RUN), NEW_MANIFEST, "run"),
    "a manifest of another cycle": (_put_manifest(cycle="other"), NEW_MANIFEST, "cycle"),
    "a manifest of another agent": (
        _put_manifest(agent=Fingerprinted(id="nop", sha256="d" * 64)), NEW_MANIFEST, "agent.id",
    ),
    "a manifest of another edition": (
        _put_manifest(edition=EditionUsed(id="v1.5", sha256="d" * 64)), NEW_MANIFEST, "edition.sha256",
    ),
    "a manifest with other instructions": (
        _put_manifest(instructions=Fingerprinted(id="standard-1", sha256="d" * 64)), NEW_MANIFEST, "instructions",
    ),
    "an invalidation of no run": (
        _invalidate("20261130T014500Z-aaaaaa"), str(invalidation_path("small", "20261130T014500Z-aaaaaa")), "run",
    ),
    "an invalidation in another cycle": (_invalidate(RUN, "winter"), str(invalidation_path("winter", RUN)), "cycle"),
    "a screening of no subject": (
        _screen("repository/other"), str(screening_path("small", "repository/other")), "subject",
    ),
    "a screening of no run": (
        _screen("repository/greeter", "20261130T014500Z-aaaaaa"),
        str(screening_path("small", "repository/greeter")), "invalidates",
    ),
    "a dispute of no run": (
        lambda db: db.write(dispute_path("small", 1), _dispute(run="20261130T014500Z-aaaaaa")),
        str(dispute_path("small", 1)), "run",
    ),
    "evidence that stands without a second": (
        lambda db: db.write(dispute_path("small", 1), _dispute(resolution=_stands())),
        str(dispute_path("small", 1)), "resolution",
    ),
    "a second that no recording has": (
        lambda db: db.write(dispute_path("small", 1), _dispute(resolution=_stands(0, 1e6))),
        str(dispute_path("small", 1)), "resolution",
    ),
    "a close with another count": (_close(runs=3), CLOSE, "runs"),
    "a close of what is not there": (
        _close(derived={"leaderboards/boards/small/x.yaml": "a" * 64}), CLOSE, "derived",
    ),
    "a derivation that changed after the close": (
        _close(derived={str(BOARD): "a" * 64}), str(BOARD), None,
    ),
    "a derivation that came after the close": (_close(derived={}), str(BOARD), None),
    "a run that came after the close": (_close(closed=START - timedelta(hours=1)), str(FOLDER / RUN_FILE), "started"),
    "a board of no cycle": (
        lambda db: db.write(
            board_path("winter", "package"),
            Board(cycle="winter", kind="package", edition="v1.5", runs_per_set=3, agents=()),
        ),
        str(board_path("winter", "package")), "cycle",
    ),
    "a link": (
        lambda db: (db.root / "pool/agents/alias.yaml").symlink_to("nop.yaml"), "pool/agents/alias.yaml", None,
    ),
    "a link to a folder outside": (
        lambda db: (db.root / "runs/other").symlink_to(db.root.parent), "runs/other", None,
    ),
    "names that differ in case alone": (
        lambda db: shutil.copy(db.root / FOLDER / MANIFEST_FILE, db.root / FOLDER / MANIFEST_FILE.upper()),
        str(FOLDER / MANIFEST_FILE), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_is_named_at_its_place(sound: Database, case: str) -> None:
    change, file, field = BROKEN[case]
    change(sound)
    assert (file, field) in _named(sound)


def test_two_runs_with_one_id_are_named(sound: Database) -> None:
    _put(sound, _run(sound, 0, agent="oracle", purpose="control"))
    assert [(str(finding.place.file), finding.place.field) for finding in check(sound)] == [
        (str(_folder_of(0, agent="oracle") / RUN_FILE), "run")
    ]


def test_more_than_three_files_of_a_run_are_too_many(sound: Database) -> None:
    run = _run(sound, 5)
    file = EvidenceFile(name="a", role="log", media_type="text/plain", size=1, sha256="a" * 64, place="run")
    files = tuple(file.model_copy(update={"name": name}) for name in ("a.log", "b.log", RUN_FILE))
    folder = _put(sound, run, {"files": files})
    (folder / "a.log").write_text("a")
    (folder / "b.log").write_text("b")
    assert ["holds 4 files" in finding.what for finding in check(sound)] == [True]
    (folder / "b.log").unlink()
    assert [finding.place.field for finding in check(sound)] == ["files"]


def test_everything_wrong_is_named_at_once(sound: Database) -> None:
    _text("pool/notes.txt")(sound)
    _put_run(budget_seconds=1, edition="v1.4", agent="ghost")(sound)
    folder = _folder_of(5, agent="ghost")
    run = [(str(folder / RUN_FILE), field) for field in ("agent", "budget_seconds", "edition")]
    assert _named(sound) == [("pool/notes.txt", None), (str(folder / MANIFEST_FILE), "edition.id"), *run]


@pytest.mark.parametrize("path", [CYCLE, agent_path("newcomer"), GREETER])
def test_a_file_that_cannot_be_read_is_named_once_and_not_by_all_that_name_it(
    sound: Database, path: PurePosixPath
) -> None:
    _edit(path, "schema: 1", "schema: 9")(sound)
    assert _named(sound) == [(str(path), "schema")]


def _resolve(database: Database) -> None:
    database.write(dispute_path("small", 1), _dispute(resolution=_stands(0)), replace=True)


LAWFUL: dict[str, Change] = {
    "nothing": lambda db: None,
    "a new run": _put_run(),
    "an invalidation": _invalidate(),
    "a dispute resolved": _resolve,
    "a board recomputed": _edit(BOARD, "runs_per_set: 3", "runs_per_set: 4"),
    "a close": _close(runs=2),
    "prose": _text("pool/README.md", "Hello"),
}


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize("case", LAWFUL)
def test_what_only_adds_takes_nothing_back(committed: Database, case: str, commit: bool) -> None:
    committed.write(dispute_path("small", 1), _dispute())
    base = _commit(committed)
    LAWFUL[case](committed)
    if commit:
        _commit(committed)
    assert [*standing(committed), *check_append_only(committed, base)] == []


def _commit(database: Database) -> str:
    _git(database.root, "add", "-A", ".")
    _git(database.root, "commit", "-q", "--allow-empty", "-m", "Next")
    return _git(database.root, "rev-parse", "HEAD")


def _link(database: Database) -> None:
    file = database.root / FOLDER / RUN_FILE
    file.rename(database.root / "aside")
    file.symlink_to(database.root / "aside")


def _move(database: Database) -> None:
    target = database.root / run_folder("small", "repository/greeter", "newcomer", "20261130T014500Z-aaaaaa")
    (database.root / FOLDER).rename(target)


TAKEN_BACK: dict[str, tuple[Change, str]] = {
    "a run edited": (_edit(FOLDER / RUN_FILE, "commands: 3", "commands: 4"), str(FOLDER / RUN_FILE)),
    "a run's comment edited": (_edit(FOLDER / RUN_FILE, "schema: 1", "schema: 1 # one"), str(FOLDER / RUN_FILE)),
    "a manifest edited": (_edit(FOLDER / MANIFEST_FILE, "events: 9", "events: 8"), str(FOLDER / MANIFEST_FILE)),
    "a run removed": (lambda db: shutil.rmtree(db.root / FOLDER), str(FOLDER / RUN_FILE)),
    "a run renamed": (_move, str(FOLDER / RUN_FILE)),
    "a run made a link": (_link, str(FOLDER / RUN_FILE)),
    "all runs removed": (lambda db: shutil.rmtree(db.root / "runs"), str(FOLDER / RUN_FILE)),
    "an edition edited": (_edit(EDITION, "changelog:", "# \nchangelog:"), str(EDITION)),
    "instructions edited": (_edit(INSTRUCTIONS, "\n", "\n\n"), INSTRUCTIONS),
    "an invalidation taken back": (
        lambda db: (db.root / invalidation_path("small", RUN)).unlink(), str(invalidation_path("small", RUN)),
    ),
    "an invalidation edited": (
        _edit(invalidation_path("small", RUN), "The host slept.", "Because."), str(invalidation_path("small", RUN)),
    ),
    "a dispute reworded": (_edit(dispute_path("small", 1), "claim: No.", "claim: Yes."), str(dispute_path("small", 1))),
    "a dispute removed": (lambda db: (db.root / dispute_path("small", 1)).unlink(), str(dispute_path("small", 1))),
}  # fmt: skip


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize("case", TAKEN_BACK)
def test_what_takes_something_back_is_named_against_the_base(committed: Database, case: str, commit: bool) -> None:
    committed.write(dispute_path("small", 1), _dispute())
    _invalidate()(committed)
    base = _commit(committed)
    change, file = TAKEN_BACK[case]
    change(committed)
    if commit:
        _commit(committed)
    assert file in {str(finding.place.file) for finding in check(committed, base) if "was " in finding.what}


AFTER_CLOSE: dict[str, tuple[Change, str]] = {
    "a further run": (_put_run(), NEW_RUN),
    "its pool changed": (_edit(CYCLE, "title:", "# \ntitle:"), str(CYCLE)),
    "its board changed": (
        _edit(BOARD, "runs_per_set: 3", "runs_per_set: 4"),
        str(BOARD),
    ),
    "its board removed": (
        lambda db: (db.root / BOARD).unlink(), str(BOARD),
    ),
    "reopened": (lambda db: (db.root / close_path("small")).unlink(), CLOSE),
}  # fmt: skip


@pytest.mark.parametrize("case", AFTER_CLOSE)
def test_a_closed_cycle_stays_as_it_is(committed: Database, case: str) -> None:
    _close()(committed)
    base = _commit(committed)
    assert check(committed, base) == []
    change, file = AFTER_CLOSE[case]
    change(committed)
    after = [str(finding.place.file) for finding in check(committed, base) if "was " in finding.what]
    assert file in after


def test_a_resolved_dispute_is_not_resolved_again(committed: Database) -> None:
    committed.write(dispute_path("small", 1), _dispute())
    _resolve(committed)
    base = _commit(committed)
    _edit(dispute_path("small", 1), "See 0:12.", "See 0:13.")(committed)
    assert _named(committed, base) == [(str(dispute_path("small", 1)), None)]


def test_rewritten_history_is_named(committed: Database) -> None:
    base = _commit(committed)
    _git(committed.root, "commit", "-q", "--amend", "--allow-empty", "-m", "Rewritten")
    findings = check(committed, base)
    assert ["history was rewritten" in finding.what for finding in findings] == [True]


def test_a_base_that_is_none_is_a_clear_error(committed: Database, sound: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names no commit"):
        check(committed, "nowhere")
    plain = tmp_path / "plain"
    shutil.copytree(sound.root, plain, ignore=shutil.ignore_patterns(".git"))
    with pytest.raises(InputError, match="not a git repository"):
        check(Database(plain), "HEAD")


def test_the_command_prints_findings_and_fails(sound: Database) -> None:
    runner = CliRunner()
    program = build()
    try:
        passed = runner.invoke(program, ["--repo", str(sound.root), "check", "--json"])
        assert (passed.exit_code, json.loads(passed.stdout)) == (0, {"ok": True, "findings": []})
        _edit(CYCLE, "tier: standard", "tier: huge")(sound)
        failed = runner.invoke(program, ["--repo", str(sound.root), "check", "--json"])
        assert failed.exit_code == 1
        first = json.loads(failed.stdout)["findings"][0]
        assert (first["file"], first["field"]) == (str(CYCLE), "subjects[0].tier")
        assert isinstance(first["line"], int)
        told = runner.invoke(program, ["--repo", str(sound.root), "check"])
        assert told.exit_code == 1
        assert f"{CYCLE}:{first['line']}: subjects[0].tier" in told.stdout
    finally:
        context.choose(None)
