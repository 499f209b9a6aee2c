"""What a page calls subjects of one name, and what stands beside a run whose report is contradicted."""

from __future__ import annotations

from pathlib import Path

from argusic.records.sources.package import Source
from argusic.records.sources.repository import Source as RepositorySource
from argusic.records.subject import Subject
from argusic.site.build import build
from argusic.site.naming import names_apart
from tests.site.conftest import silent
from tests.site.fixture_database import PASS, FixtureDatabase
from tests.site.reading import pages


def package(slug: str, name: str, ecosystem: str = "pypi") -> Subject:
    source = Source.model_validate({"kind": "package", "ecosystem": ecosystem, "name": name})
    return Subject(kind="package", slug=slug, name=name, source=source)


def test_a_name_of_one_subject_alone_stands_by_itself() -> None:
    assert names_apart([package("rq", "rq"), package("nose", "nose")]) == {"package/rq": "rq", "package/nose": "nose"}


def test_subjects_of_one_name_are_told_apart_by_ecosystem_or_kind() -> None:
    checkout = Subject(
        kind="repository", slug="cow", name="Cowsay", source=RepositorySource(url="https://example.org/cow.git")
    )
    assert names_apart([package("cow", "cowsay"), package("cow-npm", "cowsay", "npm"), checkout]) == {
        "package/cow": "cowsay (pypi)",
        "package/cow-npm": "cowsay (npm)",
        "repository/cow": "Cowsay (repository)",
    }


def test_subjects_that_even_that_leaves_alike_are_told_apart_by_address() -> None:
    assert names_apart([package("one", "cow"), package("two", "Cow")]) == {
        "package/one": "cow (package/one)",
        "package/two": "Cow (package/two)",
    }


def test_pages_never_call_two_subjects_the_same(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    for slug in ("twin-a", "twin-b"):
        twin = made.subject(slug, "Twin")
        for _ in range(3):
            made.run(twin, PASS, purpose="board")
    read = pages(build(made.finish(), tmp_path / "site", silent).folder)
    for page in ("index.html", "subjects/index.html", "boards/first/package.html"):
        assert "Twin (package/twin-a)" in read[page].said()
        assert "Twin (package/twin-b)" in read[page].said()


def test_every_page_of_a_control_that_lies_says_what_it_is(tmp_path: Path) -> None:
    made = FixtureDatabase(tmp_path / "referee")
    made.agent("liar", "Liar", role="control")
    subject = made.subject("demo")
    made.run(subject, PASS)
    lie = made.run(subject, PASS, agent="liar", purpose="control", commands=(), audited=True)
    read = pages(build(made.finish(), tmp_path / "site", silent).folder)
    page = read["subjects/package/demo.html"].said()
    assert page.count("The recording contradicts what this report claims") == 1
    assert "A control: its score proves the harness, says nothing of demo, and counts nowhere." in page
    for name in ("recording", "log"):
        said = read[f"runs/first/{lie.run}/{name}.html"].said()
        assert "A control: this run proves the harness, says nothing of demo, and counts nowhere." in said
        assert "The recording contradicts what the report of this run claims" in said
