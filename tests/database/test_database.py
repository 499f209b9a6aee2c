"""The database by ids: what lies there now, in a plain folder as in a git checkout, never through a link."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import cycle_path, invalidation_path, subject_path
from argusic.errors import InputError
from argusic.records.findings import Dispute, Invalidation, Screening
from argusic.records.kind import Kind
from argusic.records.run import Run
from argusic.records.sources.package import Source
from argusic.records.subject import Subject

PutRun = Callable[[Path, Run], Path]


def _invalidation(run: Run) -> Invalidation:
    return Invalidation(run=run.run, cycle=run.cycle, reason="The host slept.", by="A. Person", at=run.finished)


def test_runs_come_by_path_and_can_be_narrowed(database: Database) -> None:
    found = [(stored.run.cycle, str(stored.path)) for stored in database.runs()]
    assert found == sorted(found, key=lambda pair: pair[1])
    assert [cycle for cycle, _ in found] == ["autumn", "spring", "spring"]
    assert len(list(database.runs("spring"))) == 2
    assert len(list(database.runs("spring", "package"))) == 2
    assert list(database.runs("spring", "repository")) == []
    assert list(database.runs("winter")) == []
    assert next(database.runs()).folder.name == next(database.runs()).run.run


def test_what_is_new_edited_or_gone_shows_at_once(
    database: Database, make_run: Callable[..., Run], put_run: PutRun
) -> None:
    path = put_run(database.root, make_run(5))
    assert len(list(database.runs())) == 4
    put_run(database.root, make_run(0, commands=77))
    assert 77 in {stored.run.commands for stored in database.runs()}
    path.unlink()
    assert len(list(database.runs())) == 3


def test_a_run_in_the_wrong_place_is_an_error(
    database: Database, make_run: Callable[..., Run], put_run: PutRun
) -> None:
    path = put_run(database.root, make_run(5))
    moved = path.parent.parent.parent / "oracle" / path.parent.name / "run.yaml"
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    with pytest.raises(InputError, match="holds what belongs at runs/spring/package/t/tinydb/newcomer"):
        list(database.runs())


def test_the_same_bytes_in_two_places_are_wrong_in_one(
    database: Database, make_run: Callable[..., Run], put_run: PutRun
) -> None:
    list(database.runs())
    first = put_run(database.root, make_run(0))
    copy = Path(str(first).replace("/spring/", "/winter/"))
    copy.parent.mkdir(parents=True)
    copy.write_bytes(first.read_bytes())
    with pytest.raises(InputError, match="runs/winter"):
        list(database.runs())


def test_a_broken_run_is_named_with_its_place(
    database: Database, make_run: Callable[..., Run], put_run: PutRun
) -> None:
    path = put_run(database.root, make_run(5))
    path.write_bytes(path.read_bytes().replace(b"commands: 3", b"commands: three"))
    with pytest.raises(InputError) as caught:
        list(database.runs())
    place = caught.value.place
    assert place is not None
    assert (str(place.file), place.field) == (str(path.relative_to(database.root)), "commands")


def test_links_are_never_followed(
    database: Database, make_run: Callable[..., Run], put_run: PutRun, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    secret = put_run(outside, make_run(7, cycle="secret"))
    inside = database.root / "runs"
    (inside / "secret").symlink_to(outside / "runs" / "secret")
    linked = put_run(database.root, make_run(8))
    linked.unlink()
    linked.symlink_to(secret)
    assert {stored.run.cycle for stored in database.runs()} == {"spring", "autumn"}
    for path in (linked, inside / "secret" / secret.relative_to(outside / "runs" / "secret")):
        with pytest.raises(InputError, match="symbolic link"):
            database.read(PurePosixPath(path.relative_to(database.root)), Run)
    with pytest.raises(InputError, match="symbolic link"):
        database.read(PurePosixPath("pool/../../outside") / secret.relative_to(outside), Run)
    strange = database.listing("runs").strange
    assert sorted(strange.values()) == ["a symbolic link"] * 2


def test_nothing_is_written_through_a_link(database: Database, make_run: Callable[..., Run], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (database.root / "runs" / "spring" / "invalidations").symlink_to(outside)
    run = make_run(0)
    with pytest.raises(InputError, match="symbolic link"):
        database.write(invalidation_path("spring", run.run), _invalidation(run))
    assert not any(outside.iterdir())


def test_a_link_to_the_whole_database_is_fine(database: Database, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(database.root)
    assert len(list(Database(tmp_path / "link").runs())) == 3


def test_what_is_learnt_later_is_found_by_cycle(database: Database, make_run: Callable[..., Run]) -> None:
    run = make_run(0)
    assert database.invalidations("spring") == {}
    database.write(invalidation_path("spring", run.run), _invalidation(run))
    screening = Screening(
        cycle="spring", subject=run.subject, finding="agents", reason="Both fell over.", by="B", at=run.finished
    )
    database.write(PurePosixPath("runs/spring/screenings/package/tinydb.yaml"), screening)
    for issue in (10, 9):
        dispute = Dispute(
            issue=issue, run=run.run, cycle="spring", by="C", opened=run.finished, claim="No.", expected="Yes."
        )
        database.write(PurePosixPath(f"runs/spring/disputes/{issue}.yaml"), dispute)
    assert database.invalidations("spring") == {run.run: _invalidation(run)}
    assert database.screenings("spring") == (screening,)
    assert [dispute.issue for dispute in database.disputes("spring")] == [9, 10]
    assert database.invalidations("autumn") == {}
    assert database.close("spring") is None


def test_a_record_is_written_only_where_it_belongs_and_replaced_only_when_told(
    database: Database, make_run: Callable[..., Run]
) -> None:
    found = _invalidation(make_run(0))
    with pytest.raises(InputError, match="belongs at"):
        database.write(invalidation_path("autumn", found.run), found)
    database.write(invalidation_path("spring", found.run), found)
    with pytest.raises(InputError, match="never replaced"):
        database.write(invalidation_path("spring", found.run), found)
    database.write(invalidation_path("spring", found.run), found.model_copy(update={"by": "D"}), replace=True)
    assert database.invalidations("spring")[found.run].by == "D"


def test_what_is_not_there_is_a_clear_error(database: Database) -> None:
    with pytest.raises(InputError, match=r"^pool/cycles/winter\.yaml: does not exist"):
        database.cycle("winter")
    with pytest.raises(InputError, match="KIND/SLUG"):
        database.subject("tinydb")
    for hostile in ("../../etc/passwd", "/etc/passwd", ".."):
        with pytest.raises(InputError):
            database.cycle(hostile)
        with pytest.raises(InputError):
            database.subject(f"package/{hostile}")


def test_subjects_and_kinds_come_in_their_order(database: Database) -> None:
    for name in ("zope", "attrs"):
        source = Source(ecosystem="pypi", name=name)
        subject = Subject(kind="package", slug=name, name=name, source=source)
        database.write(subject_path("package", name), subject)
    for place, kind in ((2, "package"), (1, "repository")):
        record = Kind(kind=kind, title=kind, runs_when="It launches.", place=place)
        database.write(PurePosixPath(f"rules/kinds/{kind}.yaml"), record)
    assert [subject.slug for subject in database.subjects()] == ["attrs", "zope"]
    assert [kind.kind for kind in database.kinds()] == ["repository", "package"]
    assert database.subject("package/zope").source.model_dump()["name"] == "zope"


def test_an_edition_comes_with_the_digest_of_its_file(database: Database) -> None:
    shipped = Path(__file__).parents[2] / "rules" / "editions" / "v1.5.yaml"
    (database.root / "rules" / "editions").mkdir()
    target = database.root / "rules" / "editions" / "v1.5.yaml"
    target.write_bytes(shipped.read_bytes())
    edition, digest = database.edition("v1.5")
    assert edition.edition == "v1.5"
    assert digest == hashlib.sha256(shipped.read_bytes()).hexdigest()
    target.rename(target.with_name("v1.10.yaml"))
    with pytest.raises(InputError, match=r"belongs at rules/editions/v1\.5\.yaml"):
        database.edition("v1.10")


def test_editions_come_in_the_order_of_their_numbers(database: Database) -> None:
    shipped = (Path(__file__).parents[2] / "rules" / "editions" / "v1.5.yaml").read_bytes()
    (database.root / "rules" / "editions").mkdir()
    for name in ("v1.10", "v1.9", "v0.2"):
        path = database.root / "rules" / "editions" / f"{name}.yaml"
        path.write_bytes(shipped.replace(b"edition: v1.5", f'edition: "{name}"'.encode(), 1))
    assert [edition.edition for edition in database.editions()] == ["v0.2", "v1.9", "v1.10"]


def test_the_database_is_found_from_anywhere_inside(database: Database, tmp_path: Path) -> None:
    deep = database.root / "runs" / "spring" / "package"
    assert Database.find(deep).root == database.root
    assert Database.find(database.root).root == database.root
    with pytest.raises(InputError, match="--repo"):
        Database.find(tmp_path)


def test_caches_and_evidence_go_where_the_environment_says(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database.work == database.root / ".argusic" / "work"
    assert database.cache_folder == database.root / ".argusic" / "cache"
    assert database.store_folder == database.root / ".argusic" / "evidence"
    monkeypatch.setenv("ARGUSIC_CACHE", str(tmp_path / "c"))
    monkeypatch.setenv("ARGUSIC_EVIDENCE", str(tmp_path / "e"))
    moved = Database(database.root)
    assert (moved.cache_folder, moved.store_folder) == (tmp_path / "c", tmp_path / "e")


def test_an_unfinished_write_is_no_file_of_the_database_and_is_swept_away(database: Database) -> None:
    left = [
        database.root / "pool" / ".argusic-tmp-0123",
        database.root / "runs" / "spring" / "package" / ".argusic-tmp-4567",
        database.store_folder / ".argusic-tmp-89ab",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    assert list(database.listing("pool").blobs) == []
    database.sweep()
    assert [path for path in left if path.exists()] == []
    assert len(list(database.runs())) == 3


def test_a_digest_moves_exactly_with_what_feeds_it(
    database: Database, make_run: Callable[..., Run], put_run: PutRun
) -> None:
    groups = [("spring", "package"), ("spring", "repository"), ("autumn", "package")]

    def moved(change: Callable[[], object]) -> list[tuple[str, str]]:
        before = database.input_digests(*groups)
        change()
        after = database.input_digests(*groups)
        assert after[groups[0]] == database.input_digest(*groups[0])
        return [group for group in groups if before[group] != after[group]]

    def write(path: str, text: str = "x: 1\n") -> Callable[[], object]:
        full = database.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        return lambda: full.write_text(text)

    run = put_run(database.root, make_run(0)).relative_to(database.root)
    assert moved(lambda: None) == []
    assert moved(lambda: os.utime(database.root / run)) == []
    assert moved(lambda: put_run(database.root, make_run(9))) == [groups[0]]
    assert moved(lambda: put_run(database.root, make_run(9, commands=4))) == [groups[0]]
    assert moved(write(f"{run.parent}/log.txt")) == []
    assert moved(write("runs/spring/invalidations/x.yaml")) == groups[:2]
    assert moved(write("runs/spring/disputes/1.yaml")) == groups[:2]
    assert moved(write("runs/spring/close.yaml")) == groups[:2]
    assert moved(write("runs/spring/screenings/package/x.yaml")) == [groups[0]]
    assert moved(write(str(cycle_path("autumn")))) == [groups[2]]
    assert moved(write("pool/subjects/package/t/tinydb.yaml")) == [groups[0], groups[2]]
    assert moved(write("pool/agents/newcomer.yaml")) == groups
    assert moved(write("rules/editions/v1.5.yaml")) == groups
    assert moved((database.root / run).unlink) == [groups[0]]
    assert moved(write("leaderboards/boards/spring/package.yaml")) == []


def test_a_digest_is_the_same_before_and_after_the_commit(
    database: Database, git: Callable[..., str], make_run: Callable[..., Run], put_run: PutRun
) -> None:
    put_run(database.root, make_run(9))
    before = database.input_digests()
    assert sorted(before) == [("autumn", "package"), ("spring", "package")]
    git(database.root, "init", "-q")
    git(database.root, "add", ".")
    git(database.root, "commit", "-q", "-m", "All")
    assert Database(database.root).input_digests() == before


def test_an_edit_that_git_was_told_not_to_see_is_seen(
    database: Database, git: Callable[..., str], make_run: Callable[..., Run], put_run: PutRun
) -> None:
    if database.git is None:
        git(database.root, "init", "-q")
        git(database.root, "add", ".")
    database = Database(database.root)
    path = put_run(database.root, make_run(0))
    for bit in ("--assume-unchanged", "--skip-worktree"):
        git(database.root, "update-index", bit, str(path.relative_to(database.root)))
        before = database.input_digests()
        put_run(database.root, make_run(0, commands=len(bit)))
        assert database.input_digests() != before
        assert len(bit) in {stored.run.commands for stored in database.runs()}


def test_the_run_index_names_each_run_by_cycle_and_kind(database: Database) -> None:
    index = database.run_index()
    assert {group: len(runs) for group, runs in index.items()} == {("autumn", "package"): 1, ("spring", "package"): 2}
    for runs in index.values():
        for path, blob in runs:
            data = (database.root / path).read_bytes()
            assert hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == blob
            assert dump(database.read(path, Run)) == data


@pytest.mark.parametrize("cycle", ["{outside}", "../../outside"])
def test_no_id_leads_out_of_the_database(small_database: Callable[..., Database], tmp_path: Path, cycle: str) -> None:
    database = small_database()
    outside = tmp_path / "outside"
    outside.with_suffix(".yaml").write_bytes(database.read_bytes(cycle_path("small")))
    named = cycle.format(outside=outside)
    for reading in (database.cycle, lambda name: database.remove(cycle_path(name))):
        with pytest.raises(InputError, match=r"is no path in the database"):
            reading(named)
    assert not database.holds(cycle_path(named))
    assert outside.with_suffix(".yaml").exists()
