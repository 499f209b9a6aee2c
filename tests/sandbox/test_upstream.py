from __future__ import annotations

import pytest

from argusic.sandbox.upstream import Hop, Upstream


def test_without_a_proxy_everything_is_reached_directly() -> None:
    assert Upstream({}).hop("https", "example.org") is None


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
def test_the_usual_variables_are_read(name: str) -> None:
    assert Upstream({name: "http://proxy:3128"}).hop("https", "example.org") == Hop("proxy", 3128, None)


def test_each_scheme_has_its_own() -> None:
    assert Upstream({"http_proxy": "http://proxy:1"}).hop("https", "example.org") is None


@pytest.mark.parametrize(
    ("exceptions", "host", "direct"),
    [
        ("example.org", "example.org", True),
        ("example.org", "www.example.org", True),
        (".example.org, other", "www.example.org", True),
        ("*.example.org", "www.EXAMPLE.org", True),
        ("example.org", "badexample.org", False),
        ("*", "anything", True),
        ("", "anything", False),
        (" , ", "anything", False),
    ],
)
def test_exceptions_are_reached_directly(exceptions: str, host: str, direct: bool) -> None:
    hop = Upstream({"https_proxy": "http://proxy:1", "no_proxy": exceptions}).hop("https", host)
    assert (hop is None) == direct
