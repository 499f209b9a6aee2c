"""Images built for real: the same to the byte each time, once for their content, and with what they promise."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.database.paths import RECIPE_PATH
from argusic.errors import EnvironmentLack
from argusic.records.environment import Recipe, Tool
from argusic.sandbox.environment import image as images
from argusic.sandbox.environment import loading
from argusic.sandbox.environment.build import Keep, Made, build, mirrored, recorded
from argusic.sandbox.environment.fetching import Files, PackagesGone, fetch_packages
from argusic.sandbox.environment.planning import Pinned, Plan, planned
from tests.docker_image import pinned_or_newest
from tests.sandbox.environment.made import SHA

TOP = Path(__file__).parents[3]
RECIPE = Database(TOP).read(RECIPE_PATH, Recipe)
#: Two builds on a busy machine.
pytestmark = pytest.mark.timeout(900)


def tools(image: str) -> list[Tool]:
    return [tool for group in RECIPE.of("small" if image == "small" else "published") for tool in group.tools]


@pytest.fixture(scope="module")
def small() -> tuple[Plan, Made]:
    """Return the small image: the published one, or of today's packages where the mirror no longer has those."""
    return pinned_or_newest("small")


@pytest.mark.environment
def test_a_second_build_elsewhere_is_the_same_to_the_byte(
    small: tuple[Plan, Made], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, first = small
    # What packages would look at while they are installed.
    for name, value in {"HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "", "PYTHONOPTIMIZE": "1"}.items():
        monkeypatch.setenv(name, value)
    elsewhere = Database(TOP, cache_folder=tmp_path / "cache")
    # The same files, which need not be fetched again; everything else is made anew.
    shutil.copytree(
        Keep(Database(TOP)).files.folder, Keep(elsewhere).files.folder, dirs_exist_ok=True, copy_function=_link
    )
    second = build(elsewhere, plan, print)
    assert not second.reused
    assert second.folder != first.folder
    one, other = members(first), members(second)
    assert {name: (one.get(name), other.get(name)) for name in one | other if one.get(name) != other.get(name)} == {}
    assert second.image == first.image


def members(made: Made) -> dict[str, str]:
    """Return everything in an image by its path, in the order that it lies there: what it is, and its content."""
    found = {}
    with tarfile.open(images.layer_path(made.folder / images.FOLDER, made.image.layer)) as root:
        for number, member in enumerate(root):
            opened = root.extractfile(member) if member.isreg() else None
            content = hashlib.sha256(opened.read()).hexdigest()[:16] if opened else member.linkname
            facts = f"{member.mode:o} {member.uid}:{member.gid} {member.size} {member.mtime} {content}"
            found[member.name] = f"{number}: {facts} {sorted(member.pax_headers.items())}"
    return found


def _link(source: str, destination: str) -> None:
    try:
        Path(destination).hardlink_to(source)
    except OSError:
        shutil.copyfile(source, destination)


@pytest.mark.environment
def test_a_pinned_build_is_the_recorded_image(small: tuple[Plan, Made]) -> None:
    record = recorded(Database(TOP))
    assert record is not None
    said = record.image("small")
    assert said is not None
    if said.content == small[0].content:  # Else the mirror has moved on, and the build is of its newest packages.
        assert said.image == small[1].image.image


@pytest.mark.environment
def test_an_image_that_is_kept_is_not_built_again(small: tuple[Plan, Made]) -> None:
    told: list[str] = []
    again = build(Database(TOP), small[0], told.append)
    assert again.reused
    assert again.image == small[1].image
    assert told == []


@pytest.mark.environment
def test_an_image_holds_no_trace_of_the_build_or_the_mirror(small: tuple[Plan, Made]) -> None:
    _, made = small
    with tarfile.open(images.layer_path(made.folder / images.FOLDER, made.image.layer)) as root:
        members = {member.name.removeprefix("./"): member for member in root}
        identity = root.extractfile(members["etc/machine-id"])
        assert identity is not None
        assert identity.read() == b""
    files = {name for name, member in members.items() if member.isreg()}
    assert max(member.mtime for member in members.values()) <= small[0].time
    for emptied in ("var/log/", "var/cache/apt/", "var/lib/apt/lists/", "tmp/", "run/", "root/.cache/"):
        assert [name for name in files if name.startswith(emptied)] == [], emptied
    assert [name for name in files if "ssh_host" in name] == []
    assert {"etc/apt/sources.list.d/debian.sources", "usr/sbin/policy-rc.d", "usr/bin/python3.13"} <= files


@pytest.mark.environment
def test_a_version_that_the_mirror_no_longer_has_is_named(tmp_path: Path) -> None:
    gone = [Pinned("jq", "0.1-1", SHA)]
    with (
        mirrored(RECIPE.suite, RECIPE.architecture, None) as apt,
        pytest.raises(PackagesGone, match=r"no longer has 1 of the pinned packages: jq 0\.1-1\. `argusic environment"),
    ):
        fetch_packages(Files(tmp_path / "files"), gone, apt, print)
    assert list((tmp_path / "files").iterdir()) == []


@pytest.mark.environment
def test_a_package_that_does_not_exist_is_named() -> None:
    with (
        mirrored(RECIPE.suite, RECIPE.architecture, None) as apt,
        pytest.raises(EnvironmentLack, match=r"apt-get failed: .*no-such-package"),
    ):
        apt().resolve(["no-such-package"])


@pytest.mark.environment
@pytest.mark.docker
def test_an_engine_runs_the_small_image_and_everything_in_it_that_is_promised(small: tuple[Plan, Made]) -> None:
    loading.load(small[1])
    assert not loading.load(small[1])
    digest = loading.known(small[1].image)
    assert digest is not None
    answers = [loading.ask(digest, tool) for tool in tools("small")]
    assert [(answer.tool.name, answer.said) for answer in answers if not answer.ok] == []
    assert answers


@pytest.mark.published
@pytest.mark.parametrize("tool", tools("published"), ids=lambda tool: tool.name)
def test_the_published_image_holds_what_it_promises(tool: Tool) -> None:
    record = recorded(Database(TOP))
    image = record.image("published") if record else None
    digest = loading.known(image) if image else None
    assert digest is not None
    answer = loading.ask(digest, tool)
    assert answer.ok, f"{tool.command}\nwas to say {tool.says!r} and said:\n{answer.said}"


@pytest.mark.environment
def test_a_build_that_is_interrupted_leaves_nothing(tmp_path: Path, small: tuple[Plan, Made]) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    shutil.copytree(
        Keep(Database(TOP)).files.folder,
        Keep(Database(TOP, cache_folder=cache)).files.folder,
        dirs_exist_ok=True,
        copy_function=_link,
    )
    environment = {**os.environ, "ARGUSIC_CACHE": str(cache), "TMPDIR": str(temporary)}
    newest = [] if planned(Database(TOP), "small") == small[0] else ["--newest"]
    argv = [sys.executable, "-m", "argusic", "environment", "build", "--small", "--no-load", *newest]
    with subprocess.Popen(
        argv,
        cwd=TOP,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have had them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        while "installing essential" not in (line := process.stderr.readline()):
            assert line, "it ended before it was interrupted"
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(120) == 130
    assert [path.name for path in temporary.iterdir()] == []
    assert list((cache / "environment/images").iterdir()) == []
    mounts = Path("/proc/mounts").read_text()
    assert str(temporary) not in mounts
