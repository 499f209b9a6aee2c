"""Each probe of `argusic doctor` in both outcomes, on the real machine: what it needs is taken away, not imitated."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from argusic.referee.doctor import examine, missing
from argusic.referee.probes import machine, registries, sandboxes, screens
from argusic.referee.probes.probe import Probe, as_root, ask
from argusic.sandbox.docker import Docker
from argusic.sandbox.docker.engine import EngineError
from argusic.sandbox.protocol import Need, Sandbox, SandboxSpec
from tests.docker_image import a_small_image


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return an empty folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def a_program(folder: Path, name: str, script: str) -> None:
    """Put a program into a folder."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def mended(probe: Probe) -> str:
    """Return the command that mends a lack, which says what cannot run."""
    assert not probe.ok
    assert probe.without
    assert probe.mend
    return probe.mend


def test_this_python_is_enough() -> None:
    assert machine.python().ok


def test_git_is_found_where_it_is() -> None:
    assert machine.git().found.startswith("Version ")


@pytest.mark.usefixtures("nothing_installed")
def test_a_missing_git_is_needed_and_mended_by_one_command() -> None:
    probe = machine.git()
    assert probe.needed
    assert mended(probe).endswith("apt-get install -y git")


@pytest.mark.usefixtures("nothing_installed")
def test_a_missing_browser_stops_no_attempt() -> None:
    probe = machine.browser()
    assert not probe.needed
    assert "chromium" in mended(probe)


def test_a_browser_is_found_under_any_of_its_names(nothing_installed: Path) -> None:
    a_program(nothing_installed, "google-chrome", "echo Chrome 1.2")
    assert "Chrome 1.2" in machine.browser().found


SMI = "echo 'NVIDIA H200, 143771, 570.86.15'"


def test_a_gpu_is_named_with_its_memory_and_driver(nothing_installed: Path) -> None:
    a_program(nothing_installed, "nvidia-smi", SMI)
    a_program(nothing_installed, "nvidia-ctk", "true")
    probe = screens.gpu()
    assert probe.ok and probe.found == "NVIDIA H200, 143771 MiB, driver 570.86.15."


def test_a_gpu_that_no_container_gets_is_mended_by_the_toolkit(nothing_installed: Path) -> None:
    a_program(nothing_installed, "nvidia-smi", SMI)
    assert mended(screens.gpu()).endswith("apt-get install -y nvidia-container-toolkit")


def test_a_driver_that_fails_is_no_gpu(nothing_installed: Path) -> None:
    a_program(nothing_installed, "nvidia-smi", "echo 'Failed to initialize NVML.'; exit 9")
    probe = screens.gpu()
    assert not probe.ok and probe.without
    assert probe.found == "This machine's GPU cannot be used: nvidia-smi says: Failed to initialize NVML."


@pytest.mark.usefixtures("nothing_installed")
def test_without_ffmpeg_no_desktop_application_can_be_filmed() -> None:
    probe = screens.display()
    assert "ffmpeg" in mended(probe) and "Ffmpeg is not installed." in probe.found
    assert probe.without == "Attempts on desktop applications."


@pytest.mark.parametrize("there", [True, False])
def test_the_display_of_bubblewrap_is_among_the_programs_that_it_shows(
    there: bool, tmp_path: Path, nothing_installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ffmpeg", "ffprobe", *(["Xvfb"] if there else [])):
        a_program(nothing_installed, name, "true")
    monkeypatch.setattr("argusic.sandbox.bubblewrap.provider._PROGRAMS", (nothing_installed,))
    probe = screens.display()
    assert probe.ok is there
    assert there or mended(probe).endswith("apt-get install -y xvfb")


def test_a_model_key_is_named_but_never_shown() -> None:
    probe = machine.model_key({"OPENAI_API_KEY": "sk-live-value", "PATH": "/bin"})
    assert probe.ok
    assert probe.found == "OPENAI_API_KEY is set."
    assert "sk-live-value" not in repr(probe)


def test_no_model_key_stops_no_attempt() -> None:
    probe = machine.model_key({"OPENAI_API_KEY": ""})
    assert not probe.needed
    assert mended(probe).startswith("export ")


def test_the_evidence_store_is_made_where_it_is_not_there(tmp_path: Path) -> None:
    assert machine.evidence_store(tmp_path / "a" / "store").ok
    assert list((tmp_path / "a" / "store").iterdir()) == []


def test_an_evidence_store_that_cannot_be_written_stops_every_attempt(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    probe = machine.evidence_store(tmp_path / "file" / "store")
    assert probe.needed
    assert "ARGUSIC_EVIDENCE" in mended(probe)


def test_memory_and_disk_are_compared_with_what_a_sandbox_may_use(tmp_path: Path) -> None:
    for probe in (machine.memory(), machine.disk(tmp_path / "not" / "there")):
        assert "a sandbox may use" in probe.found
        assert probe.ok == (probe.without is None)


def test_user_namespaces_are_made_for_real() -> None:
    refused = subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode
    assert sandboxes.user_namespaces().ok or refused or os.geteuid() == 0


@pytest.mark.parametrize(("setting", "value", "_"), sandboxes.FORBIDDING)
def test_a_setting_that_forbids_user_namespaces_is_named_with_the_command_that_allows(
    tmp_path: Path, setting: str, value: str, _: str
) -> None:
    (tmp_path / setting).parent.mkdir()
    (tmp_path / setting).write_text(f"{value}\n")
    probe = sandboxes.user_namespaces(argv=["false"], settings=tmp_path)
    assert setting.replace("/", ".") in probe.found
    assert f"sysctl -w {setting.replace('/', '.')}=" in mended(probe)


def test_user_namespaces_that_are_refused_without_a_setting_say_what_was_answered(tmp_path: Path) -> None:
    probe = sandboxes.user_namespaces(argv=["sh", "-c", "echo not permitted; exit 1"], settings=tmp_path)
    assert "not permitted" in probe.found
    assert mended(probe)


def test_an_engine_that_does_not_answer_is_started(nothing_installed: Path) -> None:
    a_program(nothing_installed, "dockerd", "exit 1")
    nowhere = f"unix://{nothing_installed}/socket"
    probe = sandboxes.docker(at=nowhere, systemd=nothing_installed / "none")
    assert probe.found == f"No engine answers at {nowhere}." and "service docker start" in mended(probe)
    assert "systemctl start docker" in mended(sandboxes.docker(at=nowhere, systemd=nothing_installed))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may talk to any engine")
def test_an_engine_that_does_not_let_this_user_in_is_opened_to_it() -> None:
    # A socket's path holds about a hundred characters, which a folder of pytest's may exceed.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as closed:
        path = Path(folder) / "socket"
        closed.bind(str(path))
        path.chmod(0)
        assert "usermod -aG docker " in mended(sandboxes.docker(at=f"unix://{path}"))


@pytest.mark.docker
def test_an_engine_that_answers_is_named_with_its_version() -> None:
    assert re.match(r"(Docker|Podman) \d\S* answers\.", sandboxes.docker().found)


def test_a_missing_docker_is_installed(nothing_installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    assert "docker.io" in mended(sandboxes.docker(at=f"unix://{nothing_installed}/socket"))


@pytest.mark.docker
def test_an_image_that_the_engine_does_not_have_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARGUSIC_IMAGE", raising=False)
    absent = sandboxes.docker_sandbox(Docker([f"sha256:{'0' * 64}"]))
    assert not absent.ok and "does not have the image" in absent.found and "environment build" in mended(absent)
    assert not absent.needed
    assert "No image is named" in sandboxes.docker_sandbox(Docker()).found
    assert sandboxes.docker_sandbox(Docker([a_small_image()])).ok


def test_control_groups_that_can_be_made_are_named_with_their_version_and_place(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text("")
    for controller in ("memory", "cpu", "pids"):
        (tmp_path / controller).mkdir()
        with mounts.open("a") as file:
            file.write(f"30 1 0:26 / {tmp_path / controller} rw - cgroup cgroup rw,{controller}\n")
    assert f"cgroup-v1: {tmp_path / 'cpu'}, " in sandboxes.control_groups(mountinfo=mounts).found


def test_control_groups_that_cannot_be_made_are_mended_by_groups_of_ones_own(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 1 0:26 / {tmp_path / 'gone'} rw - cgroup2 cgroup2 rw\n")
    assert "Delegate=yes" in mended(sandboxes.control_groups(mountinfo=mounts, systemd=tmp_path))


def test_no_command_is_named_for_control_groups_where_none_would_help(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 1 0:26 / {tmp_path / 'gone'} rw - cgroup2 cgroup2 rw\n")
    assert sandboxes.control_groups(mountinfo=mounts, systemd=tmp_path / "none").mend is None


def test_a_machine_without_control_groups_names_what_is_weaker(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text("21 1 0:20 / /proc rw - proc proc rw\n")
    probe = sandboxes.control_groups(mountinfo=tmp_path / "mountinfo")
    assert not probe.ok
    assert "watchdog" in (probe.without or "")


def mended_text(probe: Probe) -> str:
    """Return what was found of a lack that one command mends."""
    assert mended(probe)
    return probe.found


class Lacking:
    """A kind of sandbox that this machine cannot run."""

    name = "floating"

    def lack(self) -> str | None:
        return "There is no gravity to be without."

    def lack_of(self, need: Need) -> str | None:
        raise AssertionError(need)

    def start(self, spec: SandboxSpec) -> Sandbox:
        raise AssertionError(spec)

    def reap(self, name: str, work: Path) -> None:
        raise AssertionError(name, work)


def test_a_sandbox_that_does_not_start_stops_every_attempt_and_says_why(tmp_path: Path) -> None:
    probes = examine(tmp_path, [Lacking()], {})
    assert [probe.name for probe in missing(probes)] == ["floating sandbox"]
    assert missing(probes)[0].found == "There is no gravity to be without."


@pytest.mark.network
def test_the_package_registries_are_reached_through_their_ordinary_clients() -> None:
    assert registries.python_packages().ok
    assert registries.certificates().ok


def test_a_registry_that_is_not_there_is_a_lack_and_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    assert "pip could not download" in mended_text(registries.python_packages(seconds=30))


@pytest.mark.usefixtures("nothing_installed")
def test_a_missing_npm_is_installed() -> None:
    assert "npm" in mended(registries.node_packages())


def test_a_notice_of_npm_is_not_taken_for_a_version(nothing_installed: Path) -> None:
    a_program(nothing_installed, "npm", 'case "$*" in *--loglevel=error*) echo 1.2.3 ;; *) echo "npm notice" ;; esac')
    assert registries.node_packages().found == "npm found cowsay 1.2.3."


def test_missing_certificates_name_the_variable_that_hides_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.crt"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert mended(registries.certificates()).startswith("unset SSL_CERT_FILE")


def test_a_program_that_hangs_is_given_up_in_time() -> None:
    answer = ask(["sleep", "60"], seconds=0.2)
    assert answer.status is None
    assert "no answer" in answer.words


def test_root_is_asked_for_only_where_it_is_needed() -> None:
    assert as_root("true").split()[-1] == "true"
    assert as_root("true").startswith("sudo") <= (os.geteuid() != 0)


def doctor(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this checkout."""
    return subprocess.run(
        [sys.executable, "-m", "argusic", "doctor", "--json"],
        cwd=Path(__file__).parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.sandbox
def test_the_command_ends_with_0_where_an_attempt_can_run_and_with_3_where_none_can(tmp_path: Path) -> None:
    can = doctor(ARGUSIC_EVIDENCE=str(tmp_path / "store"))
    assert (can.returncode, json.loads(can.stdout)["attempt_can_run"]) == (0, True)
    cannot = doctor(ARGUSIC_EVIDENCE="/dev/null/store")
    assert (cannot.returncode, json.loads(cannot.stdout)["attempt_can_run"]) == (3, False)


def test_a_user_without_a_name_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 61185")

    monkeypatch.setattr("getpass.getuser", nobody)
    refused = EngineError("No container engine answers: Permission denied", number=errno.EACCES)
    what, mends = sandboxes._docker_lack(refused, "unix:///var/run/docker.sock", Path("/nowhere"))
    assert what == "The engine does not let this user in."
    assert mends.endswith("usermod -aG docker USER")
