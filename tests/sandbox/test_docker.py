"""What the Docker sandbox asks of an engine, which containers it removes, and what it says where it cannot work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.container import Request
from argusic.sandbox.docker.engine import Engine, EngineError
from argusic.sandbox.docker.image import BASE_LABEL, found, made_ready, ready_tag
from argusic.sandbox.docker.refused import profile
from argusic.sandbox.docker.traces import OWNER_LABEL, is_dead, owner_labels, sweep
from argusic.sandbox.protocol import Limits, SandboxSpec, SandboxStartFailed
from tests.docker_image import a_small_image

SPEC = SandboxSpec("a-run", Path("/work"), Limits(memory_mb=256, cpus=1.5, processes=50, disk_mb=60))
REQUEST = Request(SPEC, "sha256:1", {"PATH": "/usr/bin", "LANG": "C"}, Path("/work/line"), certificates=True)


def test_a_container_has_no_network_no_privilege_and_its_limits() -> None:
    host = REQUEST.host()
    assert (host["network_mode"], host["ipc_mode"], host["cap_drop"]) == ("none", "private", ["ALL"])
    assert "no-new-privileges" in host["security_opt"] and "cap_add" not in host and "privileged" not in host
    assert (host["mem_limit"], host["memswap_limit"]) == (256_000_000, 256_000_000)
    assert (host["nano_cpus"], host["pids_limit"]) == (1_500_000_000, 51)


def test_everything_of_the_host_that_is_shown_inside_is_read_only() -> None:
    assert len(REQUEST.host()["binds"]) == 3
    assert all(bind.startswith("/work/line") and bind.endswith(":ro") for bind in REQUEST.host()["binds"])


def test_a_container_is_the_ordinary_users_and_keeps_the_images_own_variables() -> None:
    details = REQUEST.details()
    assert details["user"] == "61184:61184" and details["labels"]["argusic.run"] == "a-run"
    assert details["environment"]["PATH"] == "/root/.local/bin:/usr/bin" and details["environment"]["LANG"] == "C.UTF-8"
    assert details["environment"]["SSL_CERT_FILE"] == "/etc/ssl/certs/ca-certificates.crt"


def test_an_engine_that_reads_profiles_is_told_where_one_lies() -> None:
    request = Request(SPEC, "sha256:1", {}, Path("/line"), certificates=False, profile=Path("/line/seccomp.json"))
    assert "seccomp=/line/seccomp.json" in request.host()["security_opt"]


def test_the_refused_calls_are_a_profile_that_leaves_out_what_programs_need() -> None:
    made = json.loads(profile())
    (refused,) = made["syscalls"]
    assert {"mount", "bpf", "kexec_load", "setns", "open_by_handle_at"} <= set(refused["names"])
    assert not {"ptrace", "clone", "unshare", "execve"} & set(refused["names"])  # `unshare` the first process needs.


def test_this_process_is_not_dead_and_no_stranger_is_taken_for_dead() -> None:
    own = owner_labels("a-run")[OWNER_LABEL]
    pid, begun, boot, space = own.split(" ")
    assert not is_dead(own)
    assert is_dead(f"{pid} {int(begun) - 1} {boot} {space}"), "another process had this number before"
    assert is_dead(f"{pid} {begun} 0-0-0 {space}"), "the machine was started anew since"
    for stranger in ("", "somebody", f"{pid} {begun} {boot} pid:[1]"):
        assert not is_dead(stranger)


def test_where_no_engine_answers_the_lack_says_so(tmp_path: Path) -> None:
    absent = Docker(["sha256:1"], at="unix:///nonexistent/socket")
    assert absent.lack() == "No container engine answers: No such file or directory."
    with pytest.raises(SandboxStartFailed, match="No container engine answers"):
        absent.start(SPEC)
    absent.reap("a-run", tmp_path)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as opened:
        yield opened


OWNER = """
import sys
from argusic.sandbox.docker.engine import Engine
from argusic.sandbox.docker.traces import owner_labels
with Engine() as engine:
    print(engine.create(sys.argv[1], ["true"], name=sys.argv[2], host={}, labels=owner_labels("swept")))
"""


@pytest.mark.docker
def test_a_sweep_removes_what_dead_owners_left_and_nothing_else(engine: Engine) -> None:
    image, name = a_small_image(), f"argusic-swept-{os.getpid()}"
    left = subprocess.run([sys.executable, "-c", OWNER, image, name], capture_output=True, text=True, check=True)
    own = engine.create(image, ["true"], name=f"{name}-own", host={}, labels=owner_labels("swept"))
    other = engine.create(image, ["true"], name=f"{name}-other", host={})
    try:
        sweep(engine)
        assert engine.state(left.stdout.strip()) is None
        assert engine.state(own) is not None and engine.state(other) is not None
    finally:
        engine.remove(own)
        engine.remove(other)


@pytest.mark.docker
def test_an_image_is_made_ready_once_and_says_from_what(engine: Engine) -> None:
    image = found(engine, [f"sha256:{'0' * 64}", a_small_image()])
    ready = made_ready(engine, image)
    assert made_ready(engine, image) == ready != image.id
    facts = engine.image(ready)
    assert facts is not None and facts.labels[BASE_LABEL] == image.id
    # What is ready already is used as it is.
    assert made_ready(engine, facts) == ready
    subprocess.run(["docker", "rmi", "--no-prune", ready_tag(ready)], check=True, capture_output=True)


@pytest.mark.docker
def test_a_second_image_made_ready_whose_name_another_took_is_removed(engine: Engine) -> None:
    image = found(engine, [a_small_image()])
    ready = made_ready(engine, image)
    name = f"argusic-nameless-{os.getpid()}"
    container = engine.create(image.id, ["true"], name=name, host={}, labels=owner_labels(name))
    try:
        commit = ["docker", "commit", "--change", f"LABEL {BASE_LABEL}={image.id}", container]
        nameless = subprocess.run(commit, check=True, capture_output=True, text=True).stdout.strip()
    finally:
        engine.remove(container)
    assert made_ready(engine, image) == ready
    assert engine.image(nameless) is None and engine.image(ready) is not None


@pytest.mark.docker
def test_a_runtime_that_the_engine_does_not_have_is_named_with_those_it_has() -> None:
    lack = Docker([a_small_image()], runtime="runsc-none").lack()
    assert lack is not None and lack.startswith("The engine has no runtime called runsc-none; it has ")
    assert "runc" in lack


@pytest.mark.docker
def test_an_image_without_python_is_named(tmp_path: Path, engine: Engine) -> None:
    made = subprocess.run(
        ["docker", "build", "--quiet", "-"],
        input=f"FROM {a_small_image()}\nUSER 0\nRUN rm /usr/bin/python3\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    bare = made.stdout.strip()
    try:
        (tmp_path / "work").mkdir()
        with pytest.raises(SandboxStartFailed, match="the image has no /usr/bin/python3 that works"):
            Docker([bare]).start(SandboxSpec("no-python", tmp_path / "work"))
        assert list((tmp_path / "work").iterdir()) == [] and engine.containers("argusic.run=no-python") == {}
    finally:
        # What it was made from has no name, and goes with it.
        subprocess.run(["docker", "rmi", ready_tag(bare)], check=True, capture_output=True)


@pytest.mark.docker
def test_an_error_of_the_engine_is_one_sentence_with_its_status(engine: Engine) -> None:
    with pytest.raises(EngineError) as caught:
        engine.start("0" * 64)
    assert caught.value.status == 404 and "No such container" in str(caught.value)
    assert engine.state("0" * 64) is None
    engine.remove("0" * 64)
