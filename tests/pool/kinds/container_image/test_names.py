"""Images are named as engines name them, and such a name is nothing else's."""

from __future__ import annotations

import pytest

from argusic.errors import InputError
from argusic.pool.images.names import address_of, is_local, read_name
from argusic.pool.kinds.registry import recognise


@pytest.mark.parametrize(
    ("target", "registry", "repository", "tag"),
    [
        ("docker://birds", "docker.io", "library/birds", "latest"),
        ("docker://lab/birds:1", "docker.io", "lab/birds", "1"),
        ("docker://docker.io/birds", "docker.io", "library/birds", "latest"),
        ("docker://registry.invalid/lab/more/birds:1.2-x", "registry.invalid", "lab/more/birds", "1.2-x"),
        ("docker://localhost:5000/birds", "localhost:5000", "birds", "latest"),
        (f"docker://registry.invalid:80/birds@sha256:{'0' * 64}", "registry.invalid:80", "birds", None),
    ],
)
def test_a_name_is_completed_as_engines_complete_it(
    target: str, registry: str, repository: str, tag: str | None
) -> None:
    found = read_name(target)
    assert (found.registry, found.repository, found.tag) == (registry, repository, tag)
    assert (found.digest is not None) == ("@" in target)


@pytest.mark.parametrize(
    "target",
    [
        "docker://",
        "docker:// x",
        "docker://Birds",
        "docker://a/../b",
        "docker://x:1:2",
        "docker://a@b/c",
        "docker://x@sha256:12",
    ],
)
def test_what_no_engine_takes_for_a_name_is_refused(target: str) -> None:
    with pytest.raises(InputError, match="is no image's name"):
        read_name(target)


def test_only_a_registry_of_this_machine_is_spoken_to_without_tls() -> None:
    assert address_of("127.0.0.1:5000") == "http://127.0.0.1:5000"
    assert is_local("localhost") and not is_local("localhost.invalid") and not is_local("127.0.0.1.invalid")
    assert address_of("registry.invalid") == "https://registry.invalid"
    assert address_of("docker.io").startswith("https://registry-1.")


@pytest.mark.parametrize("target", ["docker://registry.invalid/birds:1", "docker://birds", "image:birds.yaml"])
def test_a_target_is_of_this_kind_alone(target: str) -> None:
    assert recognise(target).kind == "container-image"
