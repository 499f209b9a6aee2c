from __future__ import annotations

import threading
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import close_path, cycle_path, subject_path
from argusic.errors import InputError
from argusic.pool.adding import drafted, enter, entry_of, free_slug, known, may_enter
from argusic.pool.kinds.protocol import Resolved
from argusic.records.cycle import Close
from argusic.records.sources import package, repository
from argusic.records.subject import Subject

CYCLE = b"""\
# The cycle of the test.
schema: 1
cycle: "spring"
title: Spring   # as readers see it
edition: v1.5
edition_sha256: "0000000000000000000000000000000000000000000000000000000000000000"
opens: 2026-11-30T00:00:00Z
closes: 2027-11-30T00:00:00Z
standard_agent: newcomer
subjects:
  # The first one.
  - subject: package/first
    pin:
      kind: package
      version: '1.0'
      file: first-1.0-py3-none-any.whl
      sha256: "0000000000000000000000000000000000000000000000000000000000000000"
"""


@pytest.fixture
def base(tmp_path: Path) -> Database:
    for folder in ("pool/cycles", "pool/subjects", "rules", "runs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pool/cycles/spring.yaml").write_bytes(CYCLE)
    return Database(tmp_path)


def found(name: str = "Thing") -> Resolved:
    pin = package.Pin(version="1.10", file="thing-1.10.tar.gz", sha256="1" * 64)
    return Resolved(name, package.Source(ecosystem="pypi", name=name), pin, "Does things.")


def draft(base: Database, one: Resolved) -> Subject:
    slug = free_slug(base, "package", one)
    return drafted("package", slug, one, summary=one.summary, licence=None, languages=())


def nameless(slug: str, one: Resolved) -> Subject:
    return drafted("repository", slug, one, summary=None, licence=None, languages=())


def test_a_slug_is_made_of_the_name(base: Database) -> None:
    assert free_slug(base, "package", found("Zope.Interface")) == "zope.interface"


def test_a_taken_slug_gets_the_ecosystem_and_a_repository_its_kind(base: Database) -> None:
    first = draft(base, found("thing"))
    base.write(subject_path("package", first.slug), first)
    assert free_slug(base, "package", found("Thing")) == "thing-pypi"
    local = repository.Source(url="https://host.invalid/a/thing")
    one = Resolved("a/thing", local, repository.Pin(commit="1" * 40), None)
    assert free_slug(base, "repository", one) == "a--thing"
    base.write(subject_path("repository", "a--thing"), nameless("a--thing", one))
    assert free_slug(base, "repository", one) == "a--thing-repository"


@pytest.mark.parametrize("name", ["con", "---", "speed"])
def test_a_name_without_a_slug_asks_for_one(base: Database, name: str) -> None:
    with pytest.raises(InputError, match="--slug"):
        free_slug(base, "package", found("x")._replace(name=name))


def test_the_same_source_is_the_same_subject(base: Database) -> None:
    assert known(base, "package", found()) is None
    base.write(subject_path("package", "thing"), draft(base, found()))
    subject = known(base, "package", found())
    assert subject is not None and subject.ref == "package/thing"


@pytest.mark.parametrize(("field", "value"), [("summary", " "), ("licence", ""), ("languages", [""])])
def test_an_empty_value_is_refused_with_its_field(field: str, value: object) -> None:
    facts = {"summary": None, "licence": None, "languages": [], field: value}
    with pytest.raises(InputError, match=field):
        drafted("package", "thing", found(), **facts)  # type: ignore[arg-type]


def test_a_summary_steers_no_terminal_and_turns_no_line_round(base: Database) -> None:
    says = "A\x1b[31m \u202ethings\n\x00 and\u200b <b>bold</b> \u00e9"
    one = drafted("package", "thing", found(), summary=says, licence="MIT", languages=())
    assert one.summary == "A [31m things and <b>bold</b> \u00e9"


def test_a_pin_is_added_to_a_cycle_and_the_rest_of_its_file_stays(base: Database) -> None:
    subject = draft(base, found())
    enter(base, "spring", entry_of(subject, found()))
    written = (base.root / cycle_path("spring")).read_bytes()
    assert written.startswith(CYCLE)
    entry = base.cycle("spring").entry("package/thing")
    assert entry is not None and entry.pin == found().pin


def test_several_who_add_to_one_cycle_at_once_lose_nothing(base: Database) -> None:
    names = [f"thing-{number}" for number in range(6)]
    entries = [entry_of(draft(base, found(name)), found(name)) for name in names]
    threads = [threading.Thread(target=enter, args=(base, "spring", entry)) for entry in entries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {entry.subject for entry in base.cycle("spring").subjects} >= {f"package/{name}" for name in names}


def test_a_subject_enters_a_cycle_once(base: Database) -> None:
    may_enter(base, "spring", "package/thing")
    with pytest.raises(InputError, match="already"):
        may_enter(base, "spring", "package/first")


def test_the_pool_of_a_closed_cycle_changes_no_more(base: Database) -> None:
    cycle = base.cycle("spring")
    close = Close(cycle="spring", closed=cycle.closes, by="A", runs=0, derived={})
    base.write(close_path("spring"), close)
    with pytest.raises(InputError, match="closed"):
        may_enter(base, "spring", "package/thing")
