"""Machines of one's own: one job each, on a fresh machine that holds no token; and what is said of them agrees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.workflows.repository import TOP, Repository, values

RUNNERS = TOP / "tools/runners"
CONFIGURATION = "eyJhIjoiYiJ9ZZ=="

PROGRAMS = {
    "gh": f'echo "gh $*" >>"$LOG"; case "$*" in *generate-jitconfig*) echo "42 {CONFIGURATION}";; esac',
    "qemu-img": 'echo "qemu-img $*" >>"$LOG"; touch "${@: -2:1}"',
    "xorriso": 'echo "xorriso $*" >>"$LOG"; cp "${@: -2:1}" "$SEED"',
    "qemu-system-x86_64": 'echo "qemu $*" >>"$LOG"; env >"$MACHINE"; exit "${QEMU_STATUS:-0}"',
}


class Host:
    """A host whose programs only write down what they were asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        (folder / "bin").mkdir()
        self.state.mkdir()
        for name, text in PROGRAMS.items():
            program = folder / "bin" / name
            program.write_text(f"#!/usr/bin/env bash\n{text}\n")
            program.chmod(0o755)

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one job."""
        given = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "LOG": str(self.folder / "log"),
            "SEED": str(self.folder / "seed"),
            "MACHINE": str(self.folder / "machine"),
            "STATE_DIRECTORY": str(self.state),
            "REPOSITORY": "ada/referee",
            "IMAGE": "/images/base.qcow2",
            "GH_TOKEN": "the-token",
            **environment,
        }
        return subprocess.run([RUNNERS / "one-job"], env=given, capture_output=True, text=True, timeout=60)

    def read(self, name: str) -> str:
        """Return a file that a program wrote."""
        return (self.folder / name).read_text()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Return a host."""
    return Host(tmp_path)


def test_a_machine_is_made_for_one_job_and_is_gone_afterwards(host: Host) -> None:
    done = host.run(DEVICE="0000:01:00.0")
    assert done.returncode == 0, done.stderr
    asked, *_, machine, given_back = host.read("log").splitlines()
    assert "repos/ada/referee/actions/runners/generate-jitconfig" in asked
    assert "labels[]=self-hosted -f labels[]=gpu" in asked
    assert "-b /images/base.qcow2" in host.read("log")
    assert "vfio-pci,host=0000:01:00.0" in machine
    assert given_back == "gh api --silent -X DELETE repos/ada/referee/actions/runners/42"
    assert list(host.state.iterdir()) == []


def test_the_machine_has_its_configuration_and_the_host_keeps_the_token(host: Host) -> None:
    host.run()
    assert f'content: "{CONFIGURATION}"' in host.read("seed")
    assert "the-token" not in host.read("seed") + host.read("machine") + host.read("log")
    assert CONFIGURATION not in host.read("log") + host.read("machine")


def test_a_machine_that_fails_is_gone_too_and_that_is_said(host: Host) -> None:
    assert host.run(QEMU_STATUS="3").returncode == 1
    assert list(host.state.iterdir()) == []
    assert "-X DELETE" in host.read("log")


def test_without_a_configuration_no_machine_is_made(host: Host) -> None:
    (host.folder / "bin/gh").write_text('#!/bin/sh\necho \'{"message": "Bad credentials"}\'\nexit 1\n')
    assert host.run().returncode != 0
    assert not (host.folder / "machine").exists()
    assert list(host.state.iterdir()) == []


HERE = Repository(
    {path.relative_to(TOP).as_posix(): path.read_text() for path in [*RUNNERS.iterdir(), TOP / "rules/runners.yaml"]}
)


def test_a_fresh_machine_ends_itself_after_its_job() -> None:
    told = HERE.yaml("tools/runners/user-data")
    (command,) = told["runcmd"]
    assert command.strip().endswith("poweroff")
    assert "runuser -u runner" in command


def test_pods_carry_the_labels_that_jobs_ask_for() -> None:
    pods = HERE.yaml("tools/runners/arc-values.yaml")
    assert pods["scaleSetLabels"] == HERE.yaml("rules/runners.yaml")["gpu"]["labels"]


def test_a_pod_is_a_virtual_machine_that_knows_nothing_of_its_cluster() -> None:
    text = (RUNNERS / "arc-values.yaml").read_text()
    spec = HERE.yaml("tools/runners/arc-values.yaml")["template"]["spec"]
    assert spec["runtimeClassName"].startswith("kata")
    assert spec["automountServiceAccountToken"] is False
    assert spec["restartPolicy"] == "Never"
    assert "hostPath" not in text and "hostNetwork" not in text and "docker.sock, mountPath: /var" not in text
    images = [value for path, value in values(spec) if path[-1] == "image"]
    assert len(images) == 2
    assert all("@sha256:" in image for image in images)


def test_the_machine_of_the_unit_reaches_nothing_beside_the_host() -> None:
    unit = (RUNNERS / "argusic-runner@.service").read_text()
    denied = next(line for line in unit.splitlines() if line.startswith("IPAddressDeny="))
    assert {"localhost", "link-local", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"} <= set(
        denied.partition("=")[2].split()
    )
    assert "LoadCredential=token:" in unit
    assert "GH_TOKEN" not in unit
