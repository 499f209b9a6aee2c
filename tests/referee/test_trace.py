"""Every figure leads down to evidence, every step is checked, and whatever is altered on the way is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import board_path, cycle_path, edition_path, verdicts_path
from argusic.errors import InputError
from argusic.evidence.store import FolderStore
from argusic.records.board import Board
from argusic.records.findings import Invalidation
from argusic.records.manifest import Manifest
from argusic.records.run import Ending, Run
from argusic.referee.recompute import recompute
from argusic.referee.tracing.link import Broken, Link
from argusic.referee.tracing.tracing import Tracer
from tests.program import Done, argusic
from tests.runs.crashing import played
from tests.site.fixture_database import CYCLE, FAIL, PASS, FixtureDatabase

BOARD = board_path(CYCLE, "package")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return a generated cycle whose runs came to everything that counts on a board."""
    made = FixtureDatabase(tmp_path_factory.mktemp("generated") / "referee")
    made.agent("pilot", "Pilot")
    made.board_agents = ["newcomer", "pilot"]
    subjects = [made.subject(name) for name in ("first", "second", "third", "fourth")]
    mock, timeout = {**PASS, "test_depth": "tier2_mock"}, Ending(how="time_limit")
    for agent in made.board_agents:
        for report in (PASS, mock, PASS, FAIL):
            made.run(subjects[0], report, agent=agent, purpose="board")
        for report in (mock, PASS, mock):
            made.run(subjects[1], report, agent=agent, purpose="board")
        for report in (FAIL, PASS, FAIL):
            made.run(subjects[2], report, agent=agent, purpose="board")
    made.run(subjects[3], FAIL, purpose="board", ending=timeout)
    made.run(subjects[3], None, agent="pilot", purpose="board")
    made.run(subjects[3], PASS, agent="pilot", purpose="board", ending=Ending(how="harness_error"))
    return made.finish()


def seconds(chain: Link) -> list[float]:
    return [link.second for link in chain.walk() if link.second is not None]


def leaves(chain: Link) -> Iterator[Link]:
    yield from (link for link in chain.walk() if not link.below)


def figures(tracer: Tracer, path: object) -> dict[str, Link]:
    return {address: tracer.trace(address) for address in tracer.addresses(str(path))}


def test_every_figure_of_a_board_leads_to_seconds_in_recordings(made: Database) -> None:
    tracer = Tracer(made)
    found = figures(tracer, BOARD)
    assert len(found) > 50
    for address, chain in found.items():
        counts_nothing = chain.value in (0, None, "incomplete") or address.endswith("#runs_per_set")
        assert seconds(chain) or counts_nothing, address
        # It ends in recordings and in the rules, and in nothing else.
        ends = {leaf.file for leaf in leaves(chain) if leaf.second is None} - {str(edition_path("v1.5"))}
        assert ends <= ({str(BOARD)} if counts_nothing else set()), address


def test_the_chain_of_a_board_score_has_every_step(made: Database) -> None:
    chain = Tracer(made).trace(f"{BOARD}#newcomer/score")
    median = next(link for link in chain.below if "package/first" in link.what)
    run = median.below[0]
    assert [link.what for link in run.below] == [
        "line install",
        "line launch",
        "line error recovery",
        "line verification depth",
    ]
    claim = run.below[0].below[0]
    command = claim.below[0]
    (second,) = command.below
    files = [Path(link.file).name for link in (chain, median, run, claim, command, second)]
    assert files == ["package.yaml", "package.yaml", "run.yaml", "run.yaml", "commands.jsonl", "recording.cast"]
    assert second.second == 0.5 and second.play is not None and second.play.endswith("recording.html?t=0.5")
    assert {Path(file).name for file in chain.files()} >= {"evidence.yaml", "report.yaml", "session.log", "v1.5.yaml"}


def test_a_claim_leads_to_the_commands_that_show_it(made: Database) -> None:
    run = next(stored for stored in made.runs() if stored.run.report.content and stored.run.report.content.launched)
    tracer = Tracer(made)

    def shown(figure: str) -> list[object]:
        chain = tracer.trace(f"{run.path}#{figure}")
        return [link.line for link in chain.walk() if Path(link.file).name == "commands.jsonl"]

    assert shown("report/content/installed") == [1]
    assert shown("report/content/launched") == [3]
    assert shown("report/content/verified_how/command") == [3]
    assert shown("report/content/errors/1/what") == [2]
    assert shown("commands") == [3, 3] or shown("commands")[-1] == 3


def test_every_file_of_the_database_has_its_figures_traced(made: Database) -> None:
    tracer = Tracer(made)
    paths = [
        *(stored.path for stored in made.runs()),
        *(stored.folder / name for stored in made.runs() for name in ("evidence.yaml", "commands.jsonl")),
        *(stored.folder / name for stored in made.runs() for name in ("recording.cast", "session.log")),
        verdicts_path(CYCLE, "package"),
        cycle_path(CYCLE),
        edition_path("v1.5"),
        *(f"pool/{what}" for what in ("agents/pilot.yaml", "subjects/package/f/first.yaml", "subjects", "cycles")),
        *("runs", "leaderboards/verdicts", "rules/kinds/package.yaml"),
    ]
    count = sum(len(figures(tracer, path)) for path in paths)
    assert count > 1000


def test_the_figures_of_the_rubric_follow_in_exact_fractions(made: Database) -> None:
    for address, chain in figures(Tracer(made), BOARD).items():
        for link in chain.walk():
            if link.what.startswith("score of run") and link.value is not None:
                lines = [below.value for below in link.below]
                assert link.value == pytest.approx(sum(value for value in lines if isinstance(value, int | float))), (
                    address
                )


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"{BOARD}#newcomer/scor", "has no figure 'newcomer/scor'. It has #newcomer/score"),
        (f"{BOARD}#", "is a file; its figures have addresses"),
        ("leaderboards/boards/first/repository.yaml#a/score", "does not exist"),
        ("README.md#score", "is no file that states figures"),
        ("../x.yaml#score", "is no address of a figure"),
        ("runs/first#a b", "is no address of a figure"),
    ],
)
def test_a_wrong_address_says_what_there_is(made: Database, address: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        Tracer(made).trace(address)


# What is altered on a chain is named


def altered(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]


def broken(database: Database, address: str) -> str:
    with pytest.raises(Broken) as found:
        Tracer(database).trace(address)
    return str(found.value)


@pytest.fixture
def one(tmp_path: Path) -> tuple[Database, Run]:
    """Return a database with one set, and its first run."""
    made = FixtureDatabase(tmp_path / "referee")
    runs = [made.run(subject, PASS, purpose="board") for subject in [made.subject("first")] for _ in range(3)]
    return made.finish(), runs[0]


def places(database: Database, run: Run) -> dict[str, Path]:
    """Return every file on the chain of a board's score, by name."""
    stored = next(stored for stored in database.runs() if stored.run.run == run.run)
    manifest = database.read(stored.folder / "evidence.yaml", Manifest)
    store = FolderStore(database.store_folder)
    found = {
        str(stored.folder / file.name): database.root / stored.folder / file.name
        if file.place == "run"
        else store.path(file.sha256)
        for file in manifest.files
    }
    own = (stored.folder / "evidence.yaml", BOARD, edition_path("v1.5"), cycle_path(CYCLE))
    return {**found, **{str(path): database.root / path for path in own}}


def test_one_bit_of_any_file_on_a_chain_breaks_it_there_and_names_the_file(one: tuple[Database, Run]) -> None:
    database, run = one
    address = f"{BOARD}#newcomer/score"
    Tracer(database).trace(address)
    for name, path in places(database, run).items():
        data = path.read_bytes()
        path.chmod(0o644)
        missed = []
        for position in sorted({len(data) * part // 23 for part in range(23)} | {len(data) - 1}):
            path.write_bytes(altered(data, position))
            try:
                Tracer(database).trace(address)
            except Broken as error:
                # What one file says of another can be wrong on either side: then both are named. A file of the store
                # is another run's as well, where the two are alike.
                assert name in str(error) or Path(name).name in str(error), f"{position}: {error}"
            else:
                missed.append(position)
        path.write_bytes(data)
        # The cycle's title, and conditions that the manifest alone states, are vouched for by signatures alone.
        assert len(missed) < (12 if path.name in ("first.yaml", "evidence.yaml") else 1), f"{name}: {missed}"
    Tracer(database).trace(address)


def test_a_figure_that_was_made_better_is_named_by_its_field(one: tuple[Database, Run]) -> None:
    database, _ = one
    path = database.root / BOARD
    path.write_text(path.read_text().replace('exact: "100"', 'exact: "99"'))
    said = broken(database, f"{BOARD}#newcomer/rank")
    assert "agents[0].score.exact: the chain breaks here: is '99', but the facts give '100'." in said


def test_a_run_that_was_made_worse_is_named_and_not_the_board(one: tuple[Database, Run]) -> None:
    database, run = one
    name = next(name for name in places(database, run) if name.endswith("run.yaml"))
    path = database.root / name
    path.write_text(path.read_text().replace("launched: true", "launched: false"))
    assert broken(database, f"{BOARD}#newcomer/score").startswith(f"{name}: the chain breaks here")


def test_a_run_that_is_gone_breaks_the_board(one: tuple[Database, Run]) -> None:
    database, run = one
    folder = next(stored.folder for stored in database.runs() if stored.run.run == run.run)
    for path in (database.root / folder).iterdir():
        path.unlink()
    assert str(BOARD) in broken(database, f"{BOARD}#newcomer/score")


def test_a_later_finding_is_on_the_chain_of_a_run_that_counts_nowhere(one: tuple[Database, Run]) -> None:
    database, run = one
    finding = Invalidation(run=run.run, cycle=CYCLE, reason="A mirror was down.", by="ada", at=run.finished)
    path = f"runs/{CYCLE}/invalidations/{run.run}.yaml"
    (database.root / path).parent.mkdir(parents=True)
    database.write(Path(path), finding)  # type: ignore[arg-type]
    assert "agents[0]" in broken(database, f"{BOARD}#newcomer/score")
    recompute(database)
    chain = Tracer(database).trace(f"{BOARD}#newcomer/attempts/invalid")
    assert chain.value == 1
    assert path in chain.files() and seconds(chain)


def test_a_claim_that_the_record_contradicts_breaks_its_chain_and_is_a_remark_at_a_control(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    never = {**PASS, "verified_how": {"command": "demo --decode everything", "result": "all of it"}}
    subject = made.subject("first")
    runs = [
        made.run(subject, never, audited=True),
        made.run(subject, never, agent="nop", purpose="control", audited=True),
    ]
    assert {run.audit.contradicted for run in runs if run.audit} == {("verified_how.command",)}
    database = made.finish()
    held, control = (stored.path for stored in sorted(database.runs(), key=lambda stored: stored.run.started))
    tracer = Tracer(database)
    assert tracer.trace(f"{held}#outcome").value == "held"
    said = broken(database, f"{held}#report/content/verified_how/command")
    assert "the recording contradicts the report. No recorded command is" in said
    chain = tracer.trace(f"{control}#verification_depth")
    assert any(
        remark.startswith("contradicted: No recorded command") for link in chain.walk() for remark in link.remarks
    )
    for figure in ("total", "outcome"):
        assert any("a control" in remark for remark in tracer.trace(f"{control}#{figure}").remarks)
        assert tracer.trace(f"{held}#{figure}").remarks == ()


# The command


def command(database: Database, *words: str) -> Done:
    return argusic(database, "trace", *words)


def test_the_command_prints_a_tree_and_every_fingerprint(made: Database) -> None:
    done = command(made, f"{BOARD}#newcomer/score")
    assert done.returncode == 0, done.stderr
    for part in (
        "board score of newcomer: ",
        "└── middle score of newcomer on",
        "The chain holds.",
        "recording.html?t=",
    ):
        assert part in done.stdout
    for file, sha256 in Tracer(made).trace(f"{BOARD}#newcomer/score").files().items():
        assert f"{sha256}  {file}" in done.stdout


def test_as_json_it_is_complete(made: Database) -> None:
    data = json.loads(command(made, f"{BOARD}#newcomer/score", "--json").stdout)
    chain = Tracer(made).trace(f"{BOARD}#newcomer/score")
    assert data["ok"] is True and data["chain"] == chain.plain()
    assert data["seconds"] == len(seconds(chain)) and len(data["files"]) == len(chain.files())


def test_a_file_alone_lists_its_figures(made: Database) -> None:
    listed = command(made, str(BOARD)).stdout.split()
    assert listed == Tracer(made).addresses(str(BOARD))
    board = made.read(BOARD, Board)
    assert {f"{BOARD}#{row.agent}/score" for row in board.agents} <= set(listed)


def test_a_broken_chain_ends_with_status_1_and_a_wrong_address_with_2(one: tuple[Database, Run]) -> None:
    database, _ = one
    assert command(database, f"{BOARD}#nobody/score").returncode == 2
    path = database.root / BOARD
    path.write_text(path.read_text().replace("rank: 1", "rank: 2"))
    done = command(database, f"{BOARD}#newcomer/score", "--json")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    data = json.loads(done.stdout)
    assert data["ok"] is False and data["broken"]["file"] == str(BOARD) and data["broken"]["field"] == "agents[0].rank"


@pytest.mark.sandbox
@pytest.mark.timeout(400)
def test_every_figure_of_a_real_cycle_leads_to_its_recordings(small_database: Callable[..., Database]) -> None:
    database = played(small_database)(standard_agent="newcomer")
    done = argusic(database, "cycle", "run", "small", "--json")
    assert done.returncode == 0, done.stderr
    recompute(database)
    tracer = Tracer(database)
    path = board_path("small", "repository")
    assert seconds(tracer.trace(f"{path}#player/score"))
    for stored in database.runs():
        for name in ("run.yaml", "evidence.yaml", "commands.jsonl", "recording.cast", "session.log"):
            for address in tracer.addresses(str(stored.folder / name)):
                tracer.trace(address)
    for other in (path, verdicts_path("small", "repository"), "runs", "pool/subjects"):
        assert figures(tracer, other)
