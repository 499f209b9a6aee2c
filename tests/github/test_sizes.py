"""The heavy tier by GitHub's own figure: asked over a socket, compared to the kB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.errors import ArgusicError, EnvironmentLack, InputError
from argusic.evidence.stores.patience import Patience
from argusic.github.sizes import GitHubSizes
from argusic.pool.hosts import Figures, Reported, figures, heavy_by
from argusic.rules.editions import newest
from tests.github_server import TOKEN, GitHubServer

ABOVE = newest(Database(Path(__file__).parents[2]).editions()).heavy_above_mb


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


def asked(environment: Mapping[str, str]) -> GitHubSizes:
    return GitHubSizes(environment, Patience(tries=2, first=0.01, longest=1))


def test_the_figure_is_githubs_own_in_kb(github: GitHubServer) -> None:
    github.hub.size_kb, github.hub.licence, github.hub.language = 602_113, "MIT", "C++"
    said = asked(github.environment()).reported(f"{github.url}/ada/referee.git")
    assert said == Reported("GitHub", 602_113, "MIT", "C++")


@pytest.mark.parametrize(("size_kb", "heavy"), [(499_999, False), (500_000, False), (500_001, True)])
def test_only_what_is_strictly_larger_than_the_editions_figure_is_heavy(size_kb: int, heavy: bool) -> None:
    assert ABOVE == 500
    why = heavy_by(Reported("GitHub", size_kb), ABOVE, date(2026, 11, 30))
    assert why == ("500,001 kB as GitHub reports it on 2026-11-30, more than 500 MB" if heavy else None)
    assert heavy_by(Reported("GitHub", size_kb), None, date(2026, 11, 30)) is None


def test_a_repository_is_heavy_by_what_its_host_answers(github: GitHubServer) -> None:
    github.hub.size_kb = 500_001
    found = figures(github.git_url, asked(github.environment()), ABOVE)
    assert found.heavy_by is not None and found.heavy_by.startswith("500,001 kB as GitHub reports it on ")
    github.hub.size_kb = 500_000
    assert figures(github.git_url, asked(github.environment()), ABOVE).heavy_by is None


@pytest.mark.parametrize(
    "form",
    ["http://{0}/ada/referee", "http://{0}/ada/referee.git/", "ssh://git@{0}/ada/referee", "git://{0}/ada/referee.git"],
)
def test_every_form_of_an_address_names_the_same_repository(form: str, github: GitHubServer) -> None:
    place = github.url.removeprefix("http://")
    assert asked(github.environment()).reported(form.format(place)) is not None


def test_the_short_form_with_a_user_names_it_too() -> None:
    with pytest.raises(EnvironmentLack, match="ada/referee on GitHub cannot be reached"):
        asked({"GITHUB_API_URL": "http://127.0.0.1:9"}).reported("git@github.com:ada/referee.git")


@pytest.mark.parametrize(
    "address",
    [
        "https://other.example/ada/referee",
        "/srv/referee",
        "file:///srv/referee",
        "git@other.example:ada/referee",
        "https://github.com/ada",
        "https://github.com/ada/referee/tree",
        "https://github.com.evil.example/ada/referee",
        "https://github.com/ada/..%2f..%2fuser",
        "https://github.com@evil.example/ada/referee",
    ],
)
def test_nobody_is_asked_about_what_is_elsewhere(address: str) -> None:
    assert asked({"GITHUB_API_URL": "http://127.0.0.1:9"}).reported(address) is None


def test_a_host_that_does_not_answer_is_said_and_stops_nothing(github: GitHubServer) -> None:
    github.fail("GET", "/repos/ada/referee", 503, times=2)
    found = figures(github.git_url, asked(github.environment()), ABOVE)
    assert found.heavy_by is None
    assert "whether it is heavy is for you to say: ada/referee on GitHub answers 503" in found.notes[0]


def test_a_repository_that_is_not_there_is_said(github: GitHubServer) -> None:
    with pytest.raises(InputError):
        asked(github.environment()).reported(f"{github.url}/ada/other")


def test_without_a_token_what_is_public_is_read(github: GitHubServer) -> None:
    github.hub.private = False
    without = {name: value for name, value in github.environment().items() if value != TOKEN}
    assert asked(without).reported(github.git_url) is not None


def test_no_token_goes_where_everybody_can_read_it(github: GitHubServer) -> None:
    open_to_all = {**github.environment(), "GITHUB_API_URL": "http://api.example"}
    with pytest.raises(ArgusicError, match="begins with https"):
        asked(open_to_all).reported(github.git_url)


def test_nobody_is_asked_where_there_is_nobody_to_ask() -> None:
    assert figures("https://github.com/ada/referee", None, ABOVE) == Figures()
