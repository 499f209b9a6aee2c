"""GPUs: named by their own driver, asked of the engine in its own words, and refused where it gives none."""

from __future__ import annotations

from pathlib import Path

import pytest

from argusic.records.manifest import GpuFacts
from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.container import Request
from argusic.sandbox.docker.engine import Engine
from argusic.sandbox.docker.traces import OWNER_LABEL
from argusic.sandbox.gpus import gpus
from argusic.sandbox.protocol import SandboxSpec, SandboxStartFailed
from argusic.sandbox.registry import provider
from tests.docker_image import a_small_image

UNKNOWN = "This machine's GPU cannot be used: nvidia-smi does not answer in the form that is known here."
H200 = GpuFacts(name="NVIDIA H200", memory_mb=143771, driver="570.86.15")


def smi(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the driver's own program."""
    file = folder / "nvidia-smi"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo 'NVIDIA H200, 143771, 570.86.15'", (H200,)),
        ("echo 'NVIDIA H200, 143771, 570.86.15'; echo '\"GB10, new\", [N/A], 580.1'", (
            H200, GpuFacts(name="GB10, new", memory_mb=0, driver="580.1"),
        )),
        ("true", "This machine has no GPU: NVIDIA's driver names none."),
        ("echo 'No devices were found'; exit 6",
         "This machine's GPU cannot be used: nvidia-smi says: No devices were found."),
        ("exit 9", "This machine's GPU cannot be used: nvidia-smi says: it ended with status 9."),
        ("echo what, is, this, now", UNKNOWN),
        ("printf 'a\\0b, 1, 2'", UNKNOWN),
    ],
)  # fmt: skip
def test_gpus_are_those_that_their_driver_names(
    script: str, found: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi(tmp_path, script, monkeypatch)
    assert gpus() == found


def test_without_a_driver_there_is_no_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpus() == "This machine has no GPU, or NVIDIA's driver is not installed: there is no nvidia-smi."


def test_a_driver_that_hangs_is_not_waited_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argusic.sandbox.gpus._SECONDS", 0.2)
    smi(tmp_path, "exec sleep 30", monkeypatch)
    assert gpus() == "This machine's GPU cannot be used: nvidia-smi does not answer (TimeoutExpired)."


def test_only_a_sandbox_that_asks_gets_a_gpu() -> None:
    def granted(gpu: bool) -> object:
        spec = SandboxSpec("a-run", Path("/work"), gpu=gpu)
        return Request(spec, "sha256:1", {}, Path("/line"), certificates=False).host().get("device_requests")

    assert granted(False) is None
    assert granted(True) == [{"count": -1, "capabilities": [["gpu", "compute", "utility"]]}]


@pytest.mark.sandbox
def test_bubblewrap_gives_no_gpu_and_runs_nothing_without_one(tmp_path: Path) -> None:
    bubblewrap = provider("bubblewrap")
    sentence = "A bubblewrap sandbox has no GPU: use `--sandbox docker` on a machine with a GPU."
    assert bubblewrap.lack_of("gpu") == sentence
    with pytest.raises(SandboxStartFailed, match="has no GPU"):
        bubblewrap.start(SandboxSpec("a-run", tmp_path, gpu=True))


@pytest.mark.docker
def test_an_engine_that_gives_containers_no_gpu_says_so_itself_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meant for engines without NVIDIA's toolkit; with one there is nothing that it would refuse."""
    docker = Docker([a_small_image()])
    smi(tmp_path, "echo 'NVIDIA H200, 143771, 570.86.15'", monkeypatch)
    said = docker.lack_of("gpu")
    assert said is not None and said.startswith("The container engine cannot give a container this machine's GPUs: ")
    assert "could not select device driver" in said or "unresolvable CDI devices" in said
    assert said.endswith("`nvidia-ctk runtime configure --runtime=docker` and restart the engine.")
    (tmp_path / "work").mkdir()
    with pytest.raises(SandboxStartFailed, match="cannot give a container"):
        docker.start(SandboxSpec("a-run", tmp_path / "work", gpu=True))
    with Engine() as engine:
        left = [labels for labels in engine.containers(OWNER_LABEL).values() if labels["argusic.run"] == "argusic-gpu"]
    assert left == []
