"""Vendors' tools: where they are published, how they are pinned, and places that are not what they were."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pydantic import ValidationError

from argusic.errors import EnvironmentLack, InputError
from argusic.pool.downloads import Bounds
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable
from argusic.pool.kinds.registry import recognise
from argusic.pool.kinds.vendor_tool import VendorToolKind
from argusic.records.sources.vendor_tool import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.environment.mirror import Mirror
from tests.pool.conftest import Index, Said, node_package, wheel
from tests.pool.kinds.vendor_tool.conftest import Archive, Site, archive

KIND = VendorToolKind(pauses=(), bounds=Bounds(most_bytes=200_000, stall_seconds=1, seconds=3))
WING = {"usr/bin/wing": "#!/bin/sh\necho 351\n", "usr/share/doc/wing/README.Debian": "wing says 351\n"}


def subject(found: Resolved) -> Subject:
    return Subject(kind="vendor-tool", slug="wing", name=found.name, source=found.source)


def fetched(found: Resolved, said: Said, kind: VendorToolKind = KIND) -> Path:
    return kind.fetch(subject(found), found.pin, said.workshop)


def nothing_kept(said: Said) -> bool:
    return not list((said.workshop.cache / "packages").glob("[!.]*"))


@pytest.mark.parametrize(
    "target",
    ["tool:wing", "tool:wing==2.1", "tool:npm:@birds/wing@2.1", "tool:deb:wing", "tool:deb:wing/stable=1:2~rc1-1"],
)
def test_how_a_tool_is_written_is_no_other_kinds_way(target: str) -> None:
    assert recognise(target).kind == recognise("tool:https://birds.example/wing-2.1.tar.gz").kind == "vendor-tool"


@pytest.mark.parametrize(
    "target", ["wing", "npm:wing", "tool:", "tool:deb:", "tool:deb:../x", "tool:git@host:x", "x tool:wing"]
)
def test_what_is_written_otherwise_is_no_tool(target: str) -> None:
    assert not KIND.recognises(target)


def test_a_tool_of_the_package_index_is_pinned_and_handed_in(workshop: Said, index: Index, tmp_path: Path) -> None:
    file, content = wheel("wing", "2.1")
    sha256 = index.add("wing", file, content)
    found = KIND.resolve("tool:wing", workshop.workshop)
    assert found.source == Source(channel="pypi", name="wing")
    assert found.pin == Pin(version="2.1", file=file, sha256=sha256)
    folder = tmp_path / "handed"
    folder.mkdir()
    KIND.hand_in(subject(found), found.pin, fetched(found, workshop), folder)
    assert [(one.name, one.read_bytes()) for one in folder.iterdir()] == [(file, content)]
    task = KIND.task(subject(found), found.pin)
    assert f"/root/subject/{file}" in task and "by the vendor's own instructions and nothing" in task


@pytest.mark.node
def test_a_tool_of_npm_is_pinned_with_both_digests(workshop: Said, index: Index) -> None:
    integrity = index.publish("@birds/wing", "2.1", node_package("@birds/wing", "2.1"))
    found = KIND.resolve("tool:npm:@birds/wing", workshop.workshop)
    assert isinstance(found.pin, Pin) and found.pin.integrity == integrity
    bare = found._replace(pin=found.pin.model_copy(update={"integrity": None}))
    with pytest.raises(PinMismatch, match="lacks the integrity"):
        fetched(bare, workshop)


@pytest.mark.parametrize(
    "change",
    [pytest.param({"sha256": "0" * 64}, marks=pytest.mark.endurance), {"version": None}, {"file": "~wing.whl"}],
)
def test_a_wrong_pin_stops_a_packaged_tool(workshop: Said, index: Index, change: dict[str, str | None]) -> None:
    file, content = wheel("wing", "2.1")
    index.add("wing", file, content)
    pin = Pin(version="2.1", file=file, sha256=hashlib.sha256(content).hexdigest())
    found = Resolved("wing", Source(channel="pypi", name="wing"), pin.model_copy(update=change), None)
    with pytest.raises(PinMismatch):
        fetched(found, workshop)
    assert nothing_kept(workshop)


@pytest.mark.endurance
def test_a_registry_that_is_down_makes_the_tool_unavailable(workshop: Said, index: Index) -> None:
    index.status = 503
    pin = Pin(version="2.1", file="wing-2.1-py3-none-any.whl", sha256="0" * 64)
    with pytest.raises(SubjectUnavailable):
        fetched(Resolved("wing", Source(channel="pypi", name="wing"), pin, None), workshop)


def at(site: Site, path: str = "/wing-2.1.tar.gz", content: bytes | None = None) -> Resolved:
    content = archive({"README.md": b"# wing\n", "bin/wing": b"#!/bin/sh\n"}) if content is None else content
    site.files[path] = content
    pin = Pin(file=path.rpartition("/")[2], sha256=hashlib.sha256(content).hexdigest(), url=f"{site.url}{path}")
    return Resolved("wing", Source(channel="url", name="wing", site=site.url), pin, None)


def test_a_build_at_an_address_is_pinned_by_its_digest(workshop: Said, site: Site) -> None:
    wanted = at(site)
    found = KIND.resolve(f"tool:{site.url}/wing-2.1.tar.gz", workshop.workshop)
    assert (found.source, found.pin, found.readme) == (wanted.source, wanted.pin, True)
    assert fetched(found, workshop).read_bytes() == site.files["/wing-2.1.tar.gz"]
    assert site.asked == ["/wing-2.1.tar.gz"], "it is in the cache, and is not fetched again"
    assert all(one.destroyed for one in workshop.opened)
    assert f"publishes at {site.url}/wing-2.1.tar.gz" in KIND.task(subject(found), found.pin)


def test_another_file_at_a_pinned_address_is_refused(workshop: Said, site: Site) -> None:
    found = at(site)
    site.files["/wing-2.1.tar.gz"] = b"another"
    with pytest.raises(PinMismatch, match=hashlib.sha256(b"another").hexdigest()):
        fetched(found, workshop)
    assert nothing_kept(workshop)


@pytest.mark.parametrize("states", [True, False])
def test_a_file_that_is_too_large_is_refused(workshop: Said, site: Site, states: bool) -> None:
    site.states = states
    with pytest.raises(PinMismatch, match="larger than 200000 bytes"):
        fetched(at(site, content=b"x" * 300_000), workshop)
    with pytest.raises(InputError, match="larger than 200000 bytes"):
        KIND.resolve(f"tool:{site.url}/wing-2.1.tar.gz", workshop.workshop)
    assert nothing_kept(workshop)


def test_a_file_that_is_cut_off_is_asked_for_again(workshop: Said, site: Site) -> None:
    site.cut_at = 100
    with pytest.raises(SubjectUnavailable, match="cut off after 100 of"):
        fetched(at(site), workshop, VendorToolKind(pauses=(0.0,)))
    assert len(site.asked) == 2


def test_a_site_that_refuses_makes_the_tool_unavailable(workshop: Said, site: Site) -> None:
    site.status = 503
    with pytest.raises(SubjectUnavailable, match="the server answers 503"):
        fetched(at(site), workshop)


def test_a_site_that_is_silent_is_not_waited_for(workshop: Said, site: Site) -> None:
    found = at(site)
    site.cut_at, site.stall, site.states = 100, 2.5, True
    with pytest.raises(SubjectUnavailable, match=r"timed out|cut off"):
        fetched(found, workshop)


def test_a_site_that_is_not_there_makes_the_tool_unavailable(workshop: Said) -> None:
    pin = Pin(file="wing.tgz", sha256="0" * 64, url="http://127.0.0.1:9/wing.tgz")
    source = Source(channel="url", name="wing", site="http://127.0.0.1:9")
    with pytest.raises(SubjectUnavailable, match="refused"):
        fetched(Resolved("wing", source, pin, None), workshop)


def test_what_is_gone_is_the_users_mistake_when_named_and_unavailable_when_pinned(workshop: Said, site: Site) -> None:
    with pytest.raises(InputError, match="the server answers 404"):
        KIND.resolve(f"tool:{site.url}/wing.tgz", workshop.workshop)
    found = at(site)
    site.files.clear()
    with pytest.raises(SubjectUnavailable, match="no longer gives"):
        fetched(found, workshop)


def test_a_redirection_is_followed_and_its_digest_counts(workshop: Said, site: Site) -> None:
    found = at(site)
    site.files["/there"] = site.files.pop("/wing-2.1.tar.gz")
    site.leads["/wing-2.1.tar.gz"] = "/there"
    assert fetched(found, workshop).name == "wing-2.1.tar.gz"


@pytest.mark.parametrize("target", ["http://birds.example/x", "ftp://birds.example/x", "file:///etc/passwd"])
def test_a_redirection_to_what_is_not_https_is_refused(workshop: Said, site: Site, target: str) -> None:
    found = at(site)
    site.leads["/wing-2.1.tar.gz"] = target
    with pytest.raises(PinMismatch, match="not https"):
        fetched(found, workshop)


def test_redirections_end(workshop: Said, site: Site) -> None:
    found = at(site)
    site.leads["/wing-2.1.tar.gz"] = "/wing-2.1.tar.gz"
    with pytest.raises(PinMismatch, match="on and on"):
        fetched(found, workshop)
    assert len(site.asked) <= 7


@pytest.mark.parametrize(
    "url",
    [
        "http://birds.example/wing.tgz",
        "https://a:b@birds.example/wing.tgz",
        "https://birds.example/w x.tgz",
        "https://birds.example/wing.tgz#x",
        "https://[::1/wing.tgz",
        "ftp://birds.example/wing.tgz",
        "https:///wing.tgz",
    ],
)
def test_an_address_that_is_not_plain_https_is_no_address_of_a_tool(url: str, workshop: Said) -> None:
    with pytest.raises(ValidationError):
        Pin(file="wing.tgz", sha256="0" * 64, url=url)
    if KIND.recognises(f"tool:{url}"):
        with pytest.raises(InputError):
            KIND.resolve(f"tool:{url}", workshop.workshop)


@pytest.mark.parametrize("path", ["/", "/..%2fwing", "/%2e%2e", "/-wing", "/a%00b", "/w%20x"])
def test_an_address_that_names_no_safe_file_is_refused(path: str, workshop: Said, site: Site) -> None:
    with pytest.raises(InputError, match="no file's name"):
        KIND.resolve(f"tool:{site.url}{path}", workshop.workshop)
    assert site.asked == []


def test_a_pin_that_leads_to_another_site_than_the_vendors_is_refused(workshop: Said, site: Site) -> None:
    found = at(site)
    elsewhere = found._replace(source=Source(channel="url", name="wing", site="https://birds.example"))
    with pytest.raises(PinMismatch, match=r"not on https://birds\.example"):
        fetched(elsewhere, workshop)
    assert site.asked == []


def of(debian: Archive) -> VendorToolKind:
    return VendorToolKind(pauses=(), mirror=debian.mirror)


def test_a_package_of_debian_is_the_newest_of_its_release(workshop: Said, debian: Archive, tmp_path: Path) -> None:
    debian.add("wing", "1:2.9-1", WING)
    sha256 = debian.add("wing", "1:2.10~rc1-1", WING)
    found = of(debian).resolve("tool:deb:wing", workshop.workshop)
    assert found.source == Source(channel="debian", name="wing", suite="stable")
    assert isinstance(found.pin, Pin)
    assert (found.pin.version, found.pin.sha256) == ("1:2.10~rc1-1", sha256)
    assert found.pin.file == f"wing_2.10~rc1-1_{found.pin.architecture}.deb"
    assert (found.summary, found.readme) == ("Measures wings", True)
    folder = tmp_path / "handed"
    folder.mkdir()
    KIND.hand_in(subject(found), found.pin, fetched(found, workshop, of(debian)), folder)
    assert [one.name for one in folder.iterdir()] == [found.pin.file]
    task = KIND.task(subject(found), found.pin)
    assert "unpack it with dpkg-deb into your home" in task and "Debian stable" in task


def test_a_package_of_debian_that_is_not_there_is_the_users_mistake(workshop: Said, debian: Archive) -> None:
    debian.add("wing", "2.9-1", WING)
    for target, said in {"tool:deb:beak": "no package called beak", "tool:deb:wing=3.0": "no wing 3.0"}.items():
        with pytest.raises(InputError, match=said):
            of(debian).resolve(target, workshop.workshop)


def test_a_wrong_digest_of_a_package_of_debian_stops_it(workshop: Said, debian: Archive) -> None:
    debian.add("wing", "2.9-1", WING)
    found = of(debian).resolve("tool:deb:wing", workshop.workshop)
    assert isinstance(found.pin, Pin)
    wrong = found._replace(pin=found.pin.model_copy(update={"sha256": "0" * 64}))
    with pytest.raises(PinMismatch, match=found.pin.sha256):
        fetched(wrong, workshop, of(debian))


def test_a_version_that_debian_dropped_makes_the_tool_unavailable(workshop: Said, debian: Archive) -> None:
    sha256 = debian.add("wing", "2.9-1", WING)
    pin = Pin(version="2.8-1", file="wing_2.8-1_amd64.deb", sha256=sha256, architecture="amd64")
    with pytest.raises(SubjectUnavailable, match=r"no longer has wing 2\.8-1"):
        fetched(
            Resolved("wing", Source(channel="debian", name="wing", suite="stable"), pin, None), workshop, of(debian)
        )


def test_a_mirror_that_sends_another_file_or_none_is_not_believed(workshop: Said, debian: Archive) -> None:
    debian.add("wing", "2.9-1", WING)
    path = next(path for path in debian.site.files if path.endswith(".deb"))
    debian.site.files[path] = debian.site.files[path][::-1]
    with pytest.raises(SubjectUnavailable, match="could not be fetched from the mirror"):
        of(debian).resolve("tool:deb:wing", workshop.workshop)
    debian.site.files.clear()
    with pytest.raises(SubjectUnavailable, match="lists of Debian stable"):
        of(debian).resolve("tool:deb:wing", workshop.workshop)
    assert nothing_kept(workshop)


def test_a_mirror_that_nobody_signed_is_not_believed(workshop: Said, debian: Archive) -> None:
    debian.add("wing", "2.9-1", WING)
    plain = Mirror(debian.mirror().address, debian.mirror().keyring)
    with pytest.raises(SubjectUnavailable):
        VendorToolKind(pauses=(), mirror=lambda: plain).resolve("tool:deb:wing", workshop.workshop)


def test_a_machine_that_knows_no_mirror_says_so(workshop: Said) -> None:
    def none() -> Mirror:
        raise EnvironmentLack("This machine's apt knows no Debian mirror.")

    with pytest.raises(EnvironmentLack):
        VendorToolKind(pauses=(), mirror=none).resolve("tool:deb:wing", workshop.workshop)


@pytest.mark.parametrize(
    ("channel", "more"),
    [
        ("pypi", {"suite": "stable"}),
        ("debian", {}),
        ("url", {}),
        ("npm", {"site": "https://birds.example"}),
        ("url", {"site": "https://birds.example/path"}),
        ("debian", {"suite": "stable main\ndeb http://x"}),
    ],
)
def test_a_source_says_what_its_channel_needs_and_nothing_else(channel: str, more: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Source.model_validate({"channel": channel, "name": "wing", **more})


@pytest.mark.parametrize("channel", ["debian", "url"])
def test_a_pin_without_what_its_channel_needs_is_refused(channel: str, workshop: Said) -> None:
    more = {"suite": "stable"} if channel == "debian" else {"site": "https://birds.example"}
    source = Source.model_validate({"channel": channel, "name": "wing", **more})
    with pytest.raises(PinMismatch, match="lacks what a tool of the channel"):
        fetched(Resolved("wing", source, Pin(file="wing.deb", sha256="0" * 64), None), workshop)
