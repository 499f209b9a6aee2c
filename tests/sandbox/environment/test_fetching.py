"""What is fetched: the mirror that apt has, packages that are gone, and files that are not what was pinned."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from argusic.errors import EnvironmentLack, InputError
from argusic.sandbox.environment.apt import Offered
from argusic.sandbox.environment.fetching import Files, fetch_packages, refuse_what_is_gone
from argusic.sandbox.environment.mirror import KEYRING, VARIABLE, choose, find_mirror
from argusic.sandbox.environment.planning import Pinned
from tests.sandbox.environment.made import SHA

SIGNED = "/usr/share/keyrings/debian-archive-keyring.gpg"


def test_the_mirror_is_the_one_that_debians_key_signs() -> None:
    targets = (
        f"http://other.example/apt stable main Other /key.gpg\nhttp://mirror.example/debian trixie main  {SIGNED}\n"
    )
    assert choose(targets) == "http://mirror.example/debian"


def test_the_mirror_is_the_one_that_says_it_is_debian() -> None:
    assert choose("http://mirror.example/debian bookworm main Debian \n") == "http://mirror.example/debian"


def test_the_mirror_is_the_one_that_this_debian_comes_from() -> None:
    assert choose("http://mirror.example/debian bookworm main  \n", "bookworm") == "http://mirror.example/debian"


@pytest.mark.parametrize(
    "line",
    [
        "http://mirror.example/debian-security trixie-security main Debian ",
        "http://mirror.example/debian trixie-backports main Debian ",
        "http://mirror.example/debian trixie contrib Debian ",
        "http://mirror.example/ubuntu noble main Ubuntu ",
        "",
    ],
)
def test_what_is_no_whole_debian_is_no_mirror(line: str) -> None:
    assert choose(line + "\n") is None


def test_a_named_mirror_goes_before_apts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys = tmp_path / "keys.gpg"
    keys.touch()
    monkeypatch.setenv(VARIABLE, "http://variable.example/debian/")
    assert find_mirror("http://named.example/debian", keys).address == "http://named.example/debian"
    assert (
        find_mirror(None, keys).source("trixie")
        == f"deb [signed-by={keys}] http://variable.example/debian trixie main\n"
    )


def test_a_machine_without_a_mirror_is_told_how_to_name_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # No apt.
    monkeypatch.delenv(VARIABLE, raising=False)
    keys = tmp_path / "keys.gpg"
    keys.touch()
    with pytest.raises(EnvironmentLack, match=f"knows no Debian mirror.*--mirror URL, or in {VARIABLE}"):
        find_mirror(None, keys)


def test_a_machine_without_debians_keys_is_told_the_package(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLack, match="apt-get install -y debian-archive-keyring"):
        find_mirror("http://named.example/debian", tmp_path / KEYRING.name)


def test_packages_that_are_gone_are_named_with_the_command_that_renews_the_list() -> None:
    wanted = [Pinned("jq", "1.7.1-6", SHA), Pinned("zip", "3.0-15", SHA)]
    offered = {("zip", "3.0-15"): Offered("zip", "3.0-15", SHA, 1), ("jq", "1.7.2-1"): Offered("jq", "1.7.2-1", SHA, 1)}
    with pytest.raises(EnvironmentLack) as told:
        refuse_what_is_gone(wanted, offered, "Debian 13.9")
    assert str(told.value).startswith(
        "The Debian mirror (Debian 13.9) no longer has 1 of the pinned packages: jq 1.7.1-6. "
        "`argusic environment renew` writes the list anew"
    )


def test_another_file_under_a_pinned_version_is_refused() -> None:
    offered = {("jq", "1.7.1-6"): Offered("jq", "1.7.1-6", "1" * 64, 1)}
    with pytest.raises(EnvironmentLack, match=r"other files under the versions that the list pins: jq 1\.7"):
        refuse_what_is_gone([Pinned("jq", "1.7.1-6", SHA)], offered, "Debian 13.8")


def test_files_are_kept_under_their_digest_alone(tmp_path: Path) -> None:
    files, arrived = Files(tmp_path / "kept"), tmp_path / "arrived"
    arrived.write_bytes(b"content")
    digest = hashlib.sha256(b"content").hexdigest()
    assert files.take(arrived, SHA) is None
    assert files.take(arrived, digest) == digest
    assert files.holds(digest)
    assert files.path(digest).read_bytes() == b"content"


def test_the_mirror_is_not_asked_for_what_is_kept(tmp_path: Path) -> None:
    files, arrived = Files(tmp_path / "kept"), tmp_path / "arrived"
    arrived.write_bytes(b"content")
    digest = files.take(arrived)
    assert digest is not None

    def never() -> None:
        raise AssertionError("the mirror was asked")

    fetch_packages(files, [Pinned("jq", "1.7.1-6", digest)], never, print)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "stated",
    [
        "",
        "not a url",
        "mirror.example/debian",
        "[trusted=yes] http://mirror.example",
        "http://a/b\ndeb http://c/d",
        "http:/",
    ],
)
def test_what_is_no_address_of_a_mirror_never_reaches_apt(stated: str, tmp_path: Path) -> None:
    keyring = tmp_path / "keys.gpg"
    keyring.touch()
    with pytest.raises(InputError, match=r"--mirror is .* no address of a mirror"):
        find_mirror(stated, keyring)


def test_the_variable_is_held_to_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keyring = tmp_path / "keys.gpg"
    keyring.touch()
    monkeypatch.setenv(VARIABLE, "a b")
    with pytest.raises(InputError, match=f"{VARIABLE} is 'a b'"):
        find_mirror(None, keyring)
    assert find_mirror("file:/srv/debian/", keyring).address == "file:/srv/debian"
