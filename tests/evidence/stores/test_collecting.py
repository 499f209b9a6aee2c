"""The evidence of a cycle goes where others reach it, and comes back proven; what is withdrawn is gone there, too."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyrage import x25519

from argusic.database.codec import dump
from argusic.database.database import Database
from argusic.database.paths import EVIDENCE_HOME_PATH, agent_path
from argusic.errors import ArgusicError, EnvironmentLack, InputError
from argusic.evidence.identity import commitment
from argusic.evidence.keys import KeyFolder
from argusic.evidence.layout import LOG_NAME
from argusic.evidence.sealing.configurations import seal_configuration, unseal_configuration
from argusic.evidence.sealing.keys import ensure_recipients
from argusic.evidence.sealing.sealing import seal
from argusic.evidence.store import FolderStore
from argusic.evidence.stores.collecting import bring_served, collect, fetch, kept_files
from argusic.evidence.stores.configured import elsewhere_of, store_of
from argusic.evidence.verify import verify
from argusic.records.configuration import Configuration
from argusic.records.evidence_home import EvidenceHome
from argusic.records.manifest import Manifest
from argusic.referee.withdrawing import withdraw
from tests.evidence.published import RUN_IDS, publish
from tests.evidence.stores.between import Fault
from tests.evidence.stores.places import Place

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def database(small_database: Callable[..., Database], tmp_path: Path, place: Place) -> Database:
    """A database with two runs, which keep four files in a store elsewhere."""
    database = small_database()
    for run in RUN_IDS:
        publish(database, tmp_path / run, run)
    database.write(EVIDENCE_HOME_PATH, EvidenceHome.model_validate({"schema": 1, **place.home}))
    return database


@pytest.fixture
def clone(database: Database, tmp_path: Path) -> Callable[[str], Database]:
    """Return a maker of clones of the database: all that git holds, and nothing of its store."""

    def make(name: str) -> Database:
        shutil.copytree(database.root, tmp_path / name, ignore=shutil.ignore_patterns(".argusic"))
        return Database(tmp_path / name)

    return make


def said(database: Database, *, offline: bool = False) -> list[str]:
    return [finding.what for finding in verify(database, offline=offline).findings]


def stored(database: Database, role: str) -> str:
    manifest = database.read(next(iter(database.runs())).folder / "evidence.yaml", Manifest)
    return next(file.sha256 for file in manifest.files if file.role == role)


def test_what_is_collected_verifies_in_a_clone(database: Database, clone: Callable[[str], Database]) -> None:
    told: list[tuple[int, int]] = []
    made = collect(database, "small", lambda done, of: told.append((done, of)))
    assert (made.files, made.there, made.held_back, made.findings) == (len(told) - 1, 0, 0, ())
    assert told[-1] == (made.files, made.files)
    again = collect(database, "small")
    assert (again.files, again.there) == (0, made.files)
    other, told = clone("other"), []
    verified = verify(other, bringing=lambda done, of: told.append((done, of)))
    assert (verified.runs, verified.findings) == (2, [])
    assert told[-1] == (made.files, made.files)
    assert said(other, offline=True) == []


def test_offline_nothing_is_fetched_and_what_is_not_here_is_said(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    collect(database, "small")
    other = clone("other")
    place.between.seen.clear()
    if place.kind == "repository":  # It is here, packed.
        assert said(other, offline=True) == []
        return
    assert said(other, offline=True) == ["it is not on this machine, and nothing is fetched (--offline)"] * 4
    assert place.between.seen == []


def test_what_was_never_collected_is_missing_here_and_there(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    assert set(said(clone("other"))) == {
        f"it is missing in the evidence store, here and in {store}"
        for store in [elsewhere.name for elsewhere in [elsewhere_of(database)] if elsewhere]
    }
    assert said(database) == []


def test_a_file_that_is_another_there_is_a_finding_of_its_own(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    collect(database, "small")
    if place.kind == "bucket":
        sha256, name = stored(database, "log"), place.home["bucket"]["name"]
        place.s3.put_object(Bucket=name, Key=f"a/b/{sha256[:2]}/{sha256}", Body=b"another log")
    elif place.kind == "repository":
        [pack] = database.root.glob("runs/small/packs/*.zip")
        pack.write_bytes(pack.read_bytes().replace(b"ls", b"lS"))
    else:
        assert place.hub is not None
        number, content = next(iter(place.hub.content.items()))
        place.hub.content[number] = content.replace(b"ls", b"lS")
    found = said(clone("other"))
    assert found
    assert all("what lies there as" in what and "is not used" in what for what in found)


@pytest.mark.parametrize("place", ["bucket", "releases"], indirect=True)
def test_a_store_that_cannot_be_reached_stops_the_verification_with_one_sentence(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    collect(database, "small")
    place.between.faults = [Fault("answer", "GET", times=99, status=403)]
    with pytest.raises(EnvironmentLack, match=r"refuses? th"):
        verify(clone("other"))


def test_collecting_goes_on_where_it_was_stopped(database: Database, place: Place) -> None:
    def stop(done: int, of: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(database, "small", stop)
    made = collect(database, "small")
    assert made.there >= 1
    assert made.there + made.files == len({one.sha256 for one in kept_files(database, database.runs())})


def test_what_is_damaged_or_gone_here_is_not_sent_and_said(database: Database) -> None:
    path = FolderStore(database.store_folder).path(stored(database, "log"))
    path.chmod(0o644)
    path.write_bytes(b"another")
    made = collect(database, "small")
    assert [finding.what[:70] for finding in made.findings] == [
        "it is not sent: in the store on this machine it has the digest " + made.findings[0].what[63:70]
    ]
    path.unlink()
    assert "it is not sent: in the store on this machine it is not in the evidence store." in [
        finding.what for finding in collect(database, "small").findings
    ]


def test_sealed_files_go_to_private_stores_alone(
    database: Database, clone: Callable[[str], Database], place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUSIC_KEYS", str(tmp_path / "keys"))
    (tmp_path / LOG_NAME).write_bytes(b"a secret")
    recipients = ensure_recipients(database, "small", KeyFolder.of_user())
    entry = seal(tmp_path / LOG_NAME, "log", store_of(database), recipients)
    path = next(iter(database.runs())).folder / "evidence.yaml"
    changed = database.read(path, Manifest).model_copy(update={"sealed": (entry,)})
    (database.root / path).write_bytes(dump(changed))
    if place.hub is not None:
        place.hub.private = False
    if place.kind != "bucket":
        assert collect(database, "small").held_back == 1
        assert elsewhere_of(database).holds([entry.sealed_sha256]) == set()  # type: ignore[union-attr]
    if place.hub is None and place.kind != "bucket":
        return  # A repository of git is for everybody, and for ever.
    if place.hub is not None:
        place.hub.private = True
    assert collect(database, "small").held_back == 0
    other = clone("other")
    runs = list(other.runs())
    fetch(other, store_of(other), runs)
    assert not store_of(other).path(entry.sealed_sha256).exists()
    assert fetch(other, store_of(other), runs, sealed=True).files == 1
    assert store_of(other).check(entry.sealed_sha256).is_file()


def test_the_sealed_configuration_of_an_agent_goes_the_way_of_sealed_files(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    exact = Configuration.model_validate(
        {
            "agent": "newcomer",
            "salt": "5" * 64,
            "model": {"name": "pebble-7", "url": "https://model.invalid/v1"},
            "key": {"provider": "none"},
        }
    )
    pairs = [x25519.Identity.generate() for _ in range(2)]
    sealed = seal_configuration(exact, FolderStore(database.store_folder), [str(pair.to_public()) for pair in pairs])
    facts = {"program": "shell", "implementation": "shell", "commitment": commitment(exact), "sealed": sealed}
    agent = database.agent("newcomer").model_copy(update=facts)
    database.write(agent_path("newcomer"), agent, replace=True)
    made = collect(database, "small")
    other = clone("other")
    if made.held_back:
        assert elsewhere_of(database).holds([sealed.sealed_sha256]) == set()  # type: ignore[union-attr]
        return
    assert fetch(other, store_of(other), list(other.runs()), sealed=True).findings == ()
    assert unseal_configuration(agent, store_of(other), pairs[:1]) == exact


def test_what_is_withdrawn_is_gone_there_and_is_never_sent_again(
    database: Database, clone: Callable[[str], Database], place: Place
) -> None:
    collect(database, "small")
    sha256, other = stored(database, "log"), clone("other")
    place.between.faults = [Fault("answer", "GET", times=99, status=403)]
    if place.kind == "repository":  # What stands for a server that refuses is a pack that cannot be read.
        [pack] = database.root.glob("runs/small/packs/*.zip")
        pack.rename(pack.with_suffix(".away"))
        pack.write_bytes(b"no pack")
    with pytest.raises(ArgusicError, match=r"refuses? th|it is no pack of evidence"):
        withdraw(database, RUN_IDS[0], [LOG_NAME], reason="A token.", by="ada", at=NOW)
    if place.kind == "repository":
        pack.with_suffix(".away").rename(pack)
    # Nothing has happened: it can be said again.
    assert database.withdrawals("small") == {}
    assert FolderStore(database.store_folder).check(sha256).is_file()
    place.between.faults = []
    withdraw(database, RUN_IDS[0], [LOG_NAME], reason="A token.", by="ada", at=NOW)
    assert not FolderStore(database.store_folder).path(sha256).exists()
    elsewhere = elsewhere_of(database)
    assert elsewhere is not None
    assert elsewhere.holds([sha256]) == set()
    assert collect(database, "small").files == 0
    # The other run's log is the same to the byte in this made database, so it is gone with it and is named.
    assert {finding.place.file.parent.name for finding in verify(database).findings} <= {RUN_IDS[1]}  # type: ignore[union-attr]
    assert [what for what in said(other) if "missing" not in what] == []


def test_a_repository_without_a_store_elsewhere_has_nowhere_to_send_to(
    small_database: Callable[..., Database],
) -> None:
    database = small_database()
    for text in (None, "schema: 1\n"):
        if text:
            (database.root / EVIDENCE_HOME_PATH).write_text(text)
        assert isinstance(store_of(database), FolderStore)
        with pytest.raises(InputError, match=r"nowhere to send it to\. Name the repository itself, a bucket or"):
            collect(database, "small")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bucket: {name: one}\nreleases: {repository: ada/evidence}\n", "names more than one store"),
        ("repository: {}\nreleases: {repository: ada/evidence}\n", "names more than one store"),
        ("repository: {most_mb: 0}\n", "rules/evidence.yaml:2"),
        ("bucket: {name: One Two}\n", "rules/evidence.yaml:2"),
        ("bucket: {name: one, endpoint: 'https://key:secret@example.org'}\n", "rules/evidence.yaml:2"),
        ("bucket: {name: one, secret: x}\n", "rules/evidence.yaml:2"),
        ("releases: {repository: evidence}\n", "rules/evidence.yaml:2"),
    ],
)
def test_a_wrong_statement_of_the_store_is_said(small_database: Callable[..., Database], text: str, said: str) -> None:
    database = small_database()
    (database.root / EVIDENCE_HOME_PATH).write_text("schema: 1\n" + text)
    with pytest.raises(InputError) as caught:
        store_of(database)
    assert said in str(caught.value)


def test_what_is_wrong_with_one_run_does_not_keep_the_others_from_being_brought(
    database: Database, clone: Callable[[str], Database]
) -> None:
    collect(database, "small")
    other = clone("other")
    folders = [stored.folder for stored in other.runs()]
    (other.root / folders[0] / "evidence.yaml").write_text("nonsense")
    bring_served(other, store_of(other), folders)
    assert FolderStore(other.store_folder).check(stored(database, "log")).is_file()


def test_a_library_that_is_not_installed_is_named_with_what_installs_it(
    small_database: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = small_database()
    (database.root / EVIDENCE_HOME_PATH).write_text("schema: 1\nbucket: {name: one}\n")
    monkeypatch.delitem(sys.modules, "argusic.evidence.stores.bucket", raising=False)
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(EnvironmentLack, match=r"boto3 is not installed\. Run: pip install 'argusic\[bucket\]'"):
        store_of(database).bring(["0" * 64])
    # To keep evidence on this machine nothing of it is needed: no attempt fails for want of it.
    assert store_of(database).put(database.root / EVIDENCE_HOME_PATH).size > 0
