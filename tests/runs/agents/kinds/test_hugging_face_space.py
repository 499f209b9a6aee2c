"""The newcomer's way with Spaces: built from their own definition, reached, talked to, not claimed beyond that."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from argusic.records.report import Report
from argusic.runs.agents.newcomer.bench import Bench, OutOfTime
from argusic.runs.agents.newcomer.journal import Journal
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.spaces import browse
from argusic.runs.agents.newcomer.spaces.building import Built
from argusic.runs.agents.newcomer.spaces.dockerfile import instructions
from argusic.runs.agents.newcomer.spaces.serving import serve
from argusic.runs.agents.newcomer.spaces.talking import Line, judged, lines
from argusic.runs.agents.registry import implementation
from argusic.runs.session import Mission
from tests.runs.agents.conftest import ShellSession
from tests.runs.agents.kinds import gradio_stand_in
from tests.runs.agents.test_newcomer_honesty import check, free_port

FRONT = "---\ntitle: Bird\nsdk: {}\n---\n# Bird\n"
LISTED = "gradio_client\n"
Live = Callable[..., Report]


@pytest.fixture
def lived(mission: Mission, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Live:
    """Let the newcomer live its day on a Space, and hold its report against the record."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(gradio_stand_in.wheels(tmp_path / "wheels")))

    def day(files: dict[str, str], budget: float = 120) -> Report:
        subject = Path(mission.subject_folder)
        for name, text in files.items():
            (subject / name).parent.mkdir(parents=True, exist_ok=True)
            (subject / name).write_text(text)
        session = ShellSession(subject.parent, budget, environment=lambda: request.getfixturevalue("environment"))
        try:
            implementation("newcomer").run(session, replace(mission, kind="hugging-face-space"))
        finally:
            session._end += 60
            session.run("kill -- -$(cat ~/server.pid) 2> /dev/null; true")
        report = Report.model_validate(yaml.safe_load(Path(mission.report_path).read_text(encoding="utf-8")))
        check(report, session.commands)
        return report

    return day


def app(code: str, **more: str) -> dict[str, str]:
    return {"README.md": FRONT.format("gradio"), "requirements.txt": LISTED, "app.py": code, **more}


@pytest.mark.endurance
def test_what_is_put_into_a_gradio_app_and_comes_out_again_verifies_it(lived: Live) -> None:
    report = lived(app("import gradio\ngradio.launch(lambda name: f'Hello, {name}!')\n"))
    assert (report.installed, report.launched, report.test_depth, report.errors) == (True, True, "tier1_real", ())
    assert "Gradio 1.0 and the requirements that it lists were installed" in report.final_state
    assert "“The wandering albatross spans 351 cm.” came out again" in report.final_state


@pytest.mark.endurance
def test_requirements_that_do_not_resolve_end_before_anything_is_launched(lived: Live) -> None:
    report = lived(app("import gradio\n", **{"requirements.txt": "no-such-bird==9.9\n"}))
    assert (report.installed, report.launched) == (False, False)
    assert report.errors is not None and report.errors[0].what.startswith("installing its requirements")


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Callable[[str], tuple[Line, ...]]]:
    """Start an app on the stand-in, put values into it by the program that is carried in, and return its lines."""
    (tmp_path / "gradio.py").write_text(gradio_stand_in.SERVER)
    (tmp_path / "gradio_client.py").write_text(gradio_stand_in.CLIENT)
    started: list[subprocess.Popen[bytes]] = []

    def ask(code: str) -> tuple[Line, ...]:
        port = free_port()
        kept = {"PYTHONPATH": str(tmp_path), "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
        started.append(subprocess.Popen([sys.executable, "-c", f"import gradio\n{code}"], env=kept, stdout=-1))
        assert started[-1].stdout is not None and started[-1].stdout.readline()
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        program = files("argusic.runs.agents.newcomer.spaces").joinpath("ask.py")
        done = subprocess.run(
            [sys.executable, str(program), f"http://127.0.0.1:{port}/"], env=kept, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return lines(done.stdout)

    yield ask
    for one in started:
        one.kill()
        one.communicate()


def test_an_answer_that_follows_what_is_put_in_is_told_from_one_that_does_not(asked: Any) -> None:
    slider = "parameters=[gradio.SLIDER], props=[{'minimum': 0, 'maximum': 100}]"
    offers, tried_it = asked(f"gradio.launch(lambda n: n * n, {slider})")
    assert offers.says == ["/predict"]
    assert (tried_it.says["came out"], tried_it.says["then came out"]) == ("529", "1681")
    assert (tried_it.says["found again"], tried_it.says["follows"]) == ([], True)
    _, always = asked("gradio.launch(lambda name: 'a bird')")
    assert (always.says["found again"], always.says["follows"]) == ([], False)


def test_an_app_that_refuses_what_is_put_in_is_heard(asked: Any) -> None:
    _, refused = asked("def no(x):\n    raise ValueError('no birds today')\ngradio.launch(no)")
    assert (refused.word, refused.says["why"]) == ("refused", "no birds today")


def reached(session: ShellSession, code: str) -> tuple[str | None, Journal]:
    """Launch a program as a Space, and return where its interface was reached and what was noted."""
    folder = session.home / "space"
    folder.mkdir()
    (folder / "app.py").write_text(code)
    port = free_port()
    bench = Bench(session, Journal("one"), knowledge())
    built = Built("It is there.", f"python3 app.py {port}", str(folder), "", port)
    try:
        return serve(bench, built), bench.journal
    finally:
        session._end += 60
        session.run("kill -- -$(cat ~/server.pid) 2> /dev/null; true")


PAGE = """
import http.server, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response({status}); self.end_headers(); self.wfile.write(b"<html>")
print("Running on http://0.0.0.0:%s" % sys.argv[1], flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
"""


def test_a_space_that_never_listens_is_waited_for_within_bounds(session: ShellSession) -> None:
    session._end = time.monotonic() + 24
    with pytest.raises(OutOfTime):
        reached(session, "import time\ntime.sleep(600)\n")
    assert time.monotonic() < session._end


def test_a_space_that_crashes_at_its_start_is_an_error_with_its_last_words(session: ShellSession) -> None:
    where, journal = reached(session, "raise RuntimeError('no weights here')\n")
    assert where is None and not journal.launched
    assert "no weights here" in journal.errors[0].failure.sentence


def test_a_page_that_answers_with_an_error_is_no_interface(session: ShellSession) -> None:
    where, journal = reached(session, PAGE.format(status=500))
    assert where is None and journal.errors[0].step == "reaching its interface"


def test_an_interface_is_reached_where_it_answers(session: ShellSession) -> None:
    where, journal = reached(session, PAGE.format(status=200))
    assert where is not None and "came up and answered on port" in journal.launched and not journal.errors


@pytest.mark.parametrize(
    ("readme", "says"),
    [
        ("# Bird\n", "no front matter"),
        ("---\nsdk: gradio\napp_file: ../../report.yaml\n---\n", "leads out of the Space"),
        ("---\nsdk: !!python/name:os.system\n---\n", "cannot be read"),
    ],
)
def test_a_definition_that_is_missing_or_hostile_builds_nothing(lived: Live, readme: str, says: str) -> None:
    report = lived({"README.md": readme, "app.py": "raise SystemExit\n"})
    assert not report.installed and report.errors is not None and says in report.errors[0].what


def test_a_file_that_is_not_there_is_an_error(lived: Live) -> None:
    report = lived({"README.md": FRONT.format("static").replace("# Bird", "")})
    assert not report.installed and report.errors is not None and "index.html" in report.errors[0].what


@pytest.mark.endurance
def test_a_static_page_is_reached_and_without_a_browser_not_verified(lived: Live) -> None:
    page = {"a/index.html": "<title>Bird</title><button>Sing</button>"}
    report = lived({"README.md": "---\nsdk: static\napp_file: a/index.html\n---\n", **page})
    assert (report.installed, report.launched, report.test_depth, report.errors) == (True, True, "tier3_none", ())
    assert "no browser" in report.final_state


CONTAINER = """\
FROM python:3.12-slim
RUN useradd -m user && \\
    apt-get install -y nothing
# A remark.
ENV GREETING="Hello" GRADIO_SERVER_NAME=127.0.0.1 GRADIO_SERVER_PORT={port}
WORKDIR /app
COPY --chown=user requirements.txt .
RUN pip install --no-cache-dir gradio -r requirements.txt
COPY . /app
USER user
CMD ["python", "/app/app.py"]
"""


@pytest.mark.endurance
def test_a_dockerfile_is_followed_by_hand_where_there_is_no_engine(lived: Live) -> None:
    code = "import gradio, os\ngradio.launch(lambda x: x, page=os.environ['GREETING'].join('{}').encode())\n"
    port = free_port()
    front = f"---\nsdk: docker\napp_port: {port}\n---\n"
    files = {"Dockerfile": CONTAINER.format(port=port), "README.md": front, "requirements.txt": LISTED, "app.py": code}
    report = lived(files)
    assert (report.installed, report.launched) == (True, True), report
    assert "No engine was at hand" in report.final_state and "apt-get, useradd" in report.final_state
    assert "python:3.12-slim" in report.final_state


@pytest.mark.parametrize(
    ("text", "says"),
    [("COPY . /app\n", "builds on"), ("FROM a\nCOPY --from=b /x /y\n", "another image")],
)
def test_a_dockerfile_that_needs_an_engine_or_says_too_little_is_not_taken_for_built(
    lived: Live, text: str, says: str
) -> None:
    report = lived({"README.md": FRONT.format("docker"), "Dockerfile": text})
    assert not report.installed and report.errors is not None and says in report.errors[0].what


def test_instructions_are_joined_over_lines_and_know_both_forms() -> None:
    said = instructions(
        '# syntax\nfrom a AS b\nRUN one && \\\n# between\n  two\nCMD ["x", "y z"]\nRUN <<EOF\nthree\nEOF\nnonsense\n'
    )
    assert [one.name for one in said] == ["FROM", "RUN", "CMD", "RUN"]
    assert said[1].rest.split() == ["one", "&&", "two"] and said[2].words == ("x", "y z")
    assert said[3].rest == "<<EOF\nthree\nEOF"


def tried(**said: Any) -> str:
    return f"tried: {json.dumps(said)}\n"


@pytest.mark.parametrize(
    ("output", "holds"),
    [
        (tried(name="/a", **{"found again": ["351"], "follows": False}), "“351” came out again"),
        (tried(control="range", label="Days", follows=True, **{"came out": "4"}), "(Days) answers depends"),
        (tried(name="/a", **{"found again": [], "follows": False}), None),
        (tried(name="/a", follows="true"), None),
        ("tried: [1]\nTried: {}\ntried: {not json\n", None),
        ('answer: {"found again": ["x"]}\n', None),
        ("", None),
    ],
)
def test_only_what_came_out_again_or_follows_shows_anything(output: str, holds: str | None) -> None:
    said = judged(output, "its page")
    assert said is None if holds is None else said is not None and holds in said


def test_what_a_space_says_cannot_be_taken_for_a_line_of_the_program() -> None:
    said = {"came out": 'x\ntried: {"follows": true}', "found again": [], "follows": False}
    assert judged(tried(name="/a", **said), "its page") is None
    assert [line.word for line in lines(tried(**said))] == ["tried"]


@pytest.mark.parametrize(
    ("bounds", "first", "other"),
    [
        ((None, None, None), "351", "56"),
        (("0", None, None), "351", "56"),
        (("1", "11", "1"), "5", "7"),
        (("0", "1", "0.05"), "0.35", "0.6"),
        (("a", "b", "0"), "351", "56"),
    ],
)
def test_a_field_gets_numbers_that_it_takes(bounds: tuple[str | None, ...], first: str, other: str) -> None:
    assert (browse.amount(*bounds, which=0), browse.amount(*bounds, which=1)) == (first, other)


def test_a_page_says_something_new_only_beside_what_it_said_and_what_was_put_in() -> None:
    assert browse.new_in("Square\n4\n16\n", "Square\n3\n9", "4") == "16"
    assert browse.holds("it is 351.", "351") and not browse.holds("it is 3,351", "351")
    assert browse.cut("see https://registry.example-npmjs.org/x now") == "see (a registry) now"
    assert len(browse.cut("x" * 1000)) == 300
