"""The newcomer types what an image's description says, and reports what was seen: a value that went in and came out."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest
import yaml

from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.newcomer.blocks import blocks
from argusic.runs.agents.newcomer.containers.lines import (
    files_of,
    folders_shown,
    given_by,
    is_question,
    lines_of,
    texts_in,
    written_by,
)
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.registry import implementation
from argusic.runs.session import Mission
from tests.runs.agents.conftest import ShellSession

#: Stands for what is handed in beside an image: keeps a server of Python's running, or reverses a file.
DOCKER = """\
#!/usr/bin/env python3
import os, signal, subprocess, sys
home = os.environ["HOME"]
kept = os.path.join(home, "kept")
words = [word for word in sys.argv[1:]]
def runs():
    try:
        os.kill(int(open(kept).read()), 0)
    except (OSError, ValueError):
        return False
    return True
if words[0] == "images":
    print("birds  sha256:abab  linux/amd64")
elif words[:2] == ["pull", "birds"]:
    print("birds is here")
elif words[0] == "run" and "-d" in words:
    folder = next((word.partition(":")[0] for word in words if word.endswith(":/srv")), home)
    port = next(word for word in words if ":80" in word).partition(":")[0]
    code = "import time; time.sleep(60)" if "deaf" in words else ""
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "http.server", port, "-d", folder]
    if "dies" in words:
        command = ["sh", "-c", "echo 'Fatal error: no birds today'; exit 3"]
    log = open(os.path.join(home, "log"), "w")
    started = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    if "dies" in words:
        started.wait()
    open(kept, "w").write(str(started.pid))
    print("web")
elif words[0] == "run" and "--version" in words:
    print("birds 1.0")
elif words[0] == "run" and "breaks" in words:
    sys.exit("docker: the image has no program 'birds'.")
elif words[0] == "run":
    print(open(words[-1]).read()[::-1][::-1].upper().lower())
elif words[0] == "ps":
    if runs():
        print("web")
elif words[0] == "logs":
    print(open(os.path.join(home, "log")).read())
elif words[0] == "rm":
    if runs():
        os.kill(int(open(kept).read()), signal.SIGKILL)
else:
    sys.exit("docker: that is not done here.")
"""


#: A line of a description that writes a page.
PAGE = "echo '<title>Birds</title><p>A little tern, 52 cm.</p>' > site/tern.html"


@pytest.fixture
def day(session: ShellSession, mission: Mission) -> Day:
    subject = session.home / "subject"
    (subject / "docker").write_text(DOCKER)
    (subject / "docker").chmod(0o755)
    return Day(session, replace(mission, kind="container-image", name="birds"))


class Day:
    """One day of the newcomer with a description."""

    def __init__(self, session: ShellSession, mission: Mission) -> None:
        self.session, self._mission = session, mission

    def live(self, description: str) -> Report:
        (self.session.home / "subject/DESCRIPTION.md").write_text(description)
        path = f"PATH={self.session.home}/.local/bin:$PATH; "
        run = self.session.run
        self.session.run = lambda command, **options: run(path + command, **options)  # type: ignore[method-assign]
        implementation("newcomer").run(self.session, self._mission)
        return Report.model_validate(yaml.safe_load((self.session.home / "report.yaml").read_text()))


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_a_server_is_kept_running_and_what_was_put_into_its_folder_comes_out_of_it(day: Day) -> None:
    port = free_port()
    report = day.live(
        f"# Birds\n\n```sh\nmkdir -p site\n{PAGE}\n```\n\n"
        f'```sh\ndocker pull birds\ndocker run -d --name web -p {port}:80 -v "$PWD/site:/srv" birds\n```\n\n'
        f"Then http://localhost:{port}/tern.html is that page.\n"
    )
    assert report.installed and report.launched and report.test_depth == "tier1_real"
    assert isinstance(report.verified_how, VerifiedHow)
    assert f"localhost:{port}/tern.html" in report.verified_how.command
    assert report.verified_how.result == "<title>Birds</title><p>A little tern, 52 cm.</p>"
    assert any(command.command.endswith("docker pull birds") for command in day.session.commands)
    assert not (day.session.home / "kept").exists() or "docker rm -f web" in day.session.commands[-2].command


def test_a_folder_that_the_description_shows_and_nobody_made_gets_a_page_to_serve(day: Day) -> None:
    port = free_port()
    report = day.live(f'```sh\ndocker run -d -p {port}:80 -v "$PWD/html:/srv" birds\n```\n')
    assert report.test_depth == "tier1_real" and "Wandering albatross" in report.final_state


def test_a_command_is_given_the_file_that_the_description_has_its_reader_write(day: Day) -> None:
    report = day.live(
        "Write a file `birds.txt`:\n\n```text\nthe wandering albatross: 351 cm\n```\n\n"
        'Then run it:\n\n```sh\ndocker run --rm -v "$PWD:/work" birds birds.txt\n```\n'
    )
    assert report.test_depth == "tier1_real" and "wandering albatross" in report.final_state
    assert report.errors == ()


def test_what_only_says_its_version_launched_and_is_not_verified(day: Day) -> None:
    report = day.live("```console\n$ docker run --rm birds --version\nbirds 1.0\n```\n")
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier3_none")


def test_a_description_without_a_command_launches_nothing(day: Day) -> None:
    report = day.live("# Birds\n\nThey sing.\n")
    assert (report.installed, report.launched, report.test_depth) == (True, False, "tier3_none")
    assert "names no command" in report.final_state


def test_an_image_that_ends_at_once_is_the_images_failure_with_what_it_logged(day: Day) -> None:
    port = free_port()
    report = day.live(f"```sh\ndocker run -d -p {port}:80 birds dies\n```\n")
    assert (report.installed, report.launched) == (True, False)
    assert report.errors is not None and "no birds today" in report.errors[0].what and not report.errors[0].fixed


def test_an_image_that_never_listens_did_not_launch(day: Day) -> None:
    port = free_port()
    day.session._end -= 600 - 22.5  # What is left of the budget.
    report = day.live(f"```sh\ndocker run -d -p {port}:80 birds deaf\n```\n")
    assert (report.installed, report.launched, report.test_depth) == (True, False, "tier3_none")


def test_a_program_that_is_not_there_is_an_error_in_the_images_own_words(day: Day) -> None:
    report = day.live("```sh\ndocker run --rm birds breaks\n```\n")
    assert not report.launched and report.errors is not None and "no program 'birds'" in report.errors[0].what


def told(text: str) -> list[tuple[str, str]]:
    return [(line.does, line.line) for line in lines_of(blocks(text), knowledge().samples)]


def test_lines_are_told_apart_by_what_they_do() -> None:
    text = """
```sh
sudo docker pull birds
docker login
docker build -t birds .
podman run --rm birds sing
docker run -p 80:80 birds
docker run -itd birds
docker run -v /path/to/songs:/songs birds list
docker exec web birds list
curl http://localhost:8000/birds
curl https://elsewhere.invalid/install.sh
docker run -e API_KEY=<your key> birds
```
"""
    assert told(text) == [
        ("pull", "docker pull birds"),
        ("run", "docker run --rm birds sing"),
        ("keep", "docker run -p 80:80 birds"),
        ("keep", "docker run -itd birds"),
        ("run", "docker run -v $PWD/songs:/songs birds list"),
        ("ask", "docker exec web birds list"),
        ("ask", "curl http://localhost:8000/birds"),
    ]


@pytest.mark.parametrize(
    ("line", "port"),
    [
        ("docker run -d -p 8000:80 x", 8000),
        ("docker run -dp 127.0.0.1:8000:80 x", 8000),
        ("docker run --publish=8000:80/tcp -d x", 8000),
        ("docker run -d -p 80 x", None),
    ],
)
def test_the_port_of_this_machine_is_read_from_the_line(line: str, port: int | None) -> None:
    (found,) = lines_of(blocks(f"```sh\n{line}\n```\n"), knowledge().samples)
    assert found.port == port


def test_what_goes_in_is_known_again_by_its_most_telling_part() -> None:
    assert (
        written_by("echo '<title>Birds</title><p>A little tern, 52 cm.</p>' > a/b.html")[0] == "A little tern, 52 cm."
    )
    assert texts_in('{"name": "wandering albatross", "wingspan": 351}')[0] == "wandering albatross"
    assert given_by('docker run -e "WHO=ada@example.com" -e PIN=1 birds "a little tern"') == (
        "a little tern",
        "ada@example.com",
    )
    assert folders_shown('docker run -v "$PWD/site:/srv" -v $(pwd)/a:/b -v data:/c -v "$PWD:/d" x') == (
        "$PWD/site",
        "$(pwd)/a",
    )
    assert files_of(blocks("Put it into `conf/birds.conf`:\n\n```\nwings 2\n```\n")) == {"conf/birds.conf": "wings 2"}
    assert is_question("docker run x --version") and not is_question("docker run -v a:/b x sing")
