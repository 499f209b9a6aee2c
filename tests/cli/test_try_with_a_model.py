"""`argusic try --agent shell`: a model of one's own, behind any server of the protocol, tries a project."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from argusic.database.database import Database
from argusic.evidence.layout import TRAJECTORY_NAME
from argusic.evidence.store import FolderStore
from argusic.evidence.verify import verify
from argusic.records.manifest import Manifest
from argusic.records.trajectory import Trajectory
from tests.cli.test_try import repo, tried
from tests.model_server import ModelServer, always, by_turn
from tests.program import Done, started
from tests.runs.agents.shell.working import DONE, run

__all__ = ["repo", "tried"]

pytestmark = pytest.mark.sandbox

MINE = ("--agent", "shell", "--url", "http://h/v1", "--model", "m")
REPORT = """installed: true
launched: true
errors: []
test_depth: tier1_real
verified_how: {command: test "$(python3 adder.py 2 3)" = 5 && echo five, result: five}
final_state: It adds two and three to five.
"""


@pytest.fixture
def adder(repo: Path) -> Path:
    folder = repo.parent / "adder"
    folder.mkdir()
    (folder / "README.md").write_text("# Adder\n\nAdds two numbers.\n\n```\n$ python3 adder.py 2 3\n5\n```\n")
    (folder / "adder.py").write_text("import sys\nprint(sum(map(int, sys.argv[1:])))\n")
    return folder


def test_a_model_of_one_s_own_tries_a_project(adder: Path, tried: Callable[..., Done]) -> None:
    script = by_turn(
        run("cd subject && python3 adder.py 2 3"),
        run('test "$(python3 adder.py 2 3)" = 5 && echo five'),
        run(f"cat > ~/report.yaml << 'END'\n{REPORT}END"),
        DONE,
    )
    with ModelServer(script) as server:
        done = tried("./adder", "--agent", "shell", "--url", server.url, "--model", "pebble-7", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["verdict"], answer["runs"][0]["outcome"], answer["runs"][0]["total"]) == ("runs", "pass_full", 100)
    database = Database(Path(answer["repository"]))
    (stored,) = database.runs()
    (entry,) = [
        file for file in database.read(stored.folder / "evidence.yaml", Manifest).files if file.name == TRAJECTORY_NAME
    ]
    trajectory = Trajectory.model_validate_json(FolderStore(database.store_folder).path(entry.sha256).read_bytes())
    assert trajectory.agent.model_name == "pebble-7"
    assert stored.run.model_use is not None and stored.run.model_use.calls == 4
    assert verify(database).findings == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--agent", "shell"), "needs a model"),
        (("--agent", "shell", "--url", "http://127.0.0.1:9/v1"), "--url and --model go together"),
        (("--url", "http://127.0.0.1:9/v1", "--model", "m"), "for --agent shell"),
        (("--agent", "shell", "--url", "nowhere", "--model", "m"), "--url must be an address"),
        (("--agent", "shell", "--url", "http://[::1/v1", "--model", "m"), "--url must be an address"),
        (("--agent", "shell", "--url", "http://h:0x1/v1", "--model", "m"), "--url must be an address"),
        (("--agent", "shell", "--url", "http://h/v1", "--model", " "), "--model must not be empty"),
        ((*MINE, "--key", "sk-abc", "--price", "1,2"), "--key must be the name of an environment variable"),
        ((*MINE, "--key", "KEY", "--price", "1"), "--price: what is written must be US dollars"),
        ((*MINE, "--key", "KEY", "--price", "1e9,1"), "--price: what is read must be US dollars"),
        (("--agent", "shell", "--url", "http://me:pw@h/v1", "--model", "m"), "holds a name or a password"),
        (("--agent", "shell", "--url", "http://h/v1", "--model", "m", "--key", "KEY"), "--key and --price go together"),
    ],
)
def test_options_that_make_no_model_are_refused(tried: Callable[..., Done], words: tuple[str, ...], says: str) -> None:
    done = tried(".", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in " ".join(done.stderr.split())


def test_without_the_key_nothing_is_tried_and_that_is_said(adder: Path, tried: Callable[..., Done]) -> None:
    done = tried("./adder", *MINE, "--key", "NO_SUCH_KEY", "--price", "1,2")
    assert (done.returncode, done.stdout) == (3, "")
    assert "the environment variable NO_SUCH_KEY holds no key" in " ".join(done.stderr.split())


def test_trials_of_one_moment_have_folders_of_their_own(adder: Path, repo: Path) -> None:
    base = Database(repo, cache_folder=repo.parent / "cache")
    with ModelServer(always(DONE)) as server:
        words = ("try", str(adder), "--agent", "shell", "--url", server.url, "--model", "m", "--json")
        together = [started(base, *words) for _ in range(3)]
        ended = [one.communicate(timeout=120) for one in together]
    assert [one.returncode for one in together] == [0, 0, 0], ended
    assert len({json.loads(out)["repository"] for out, _ in ended}) == 3


def test_what_a_killed_trial_left_behind_goes_with_the_next_trial(
    adder: Path, repo: Path, tried: Callable[..., Done]
) -> None:
    base = Database(repo, cache_folder=repo.parent / "cache")
    with ModelServer(by_turn(run("sleep 100"))) as server:
        words = ("./adder", "--agent", "shell", "--url", server.url, "--model", "m")
        killed = started(base, "try", str(adder), *words[1:])
        deadline = time.monotonic() + 60
        while not server.asked and time.monotonic() < deadline:
            time.sleep(0.05)
        killed.kill()
        killed.communicate(timeout=60)
    (work,) = (repo / ".argusic/try").glob("*/.argusic/work")
    assert [path for path in work.iterdir() if path.is_dir()] != []
    with ModelServer(always(DONE)) as server:
        assert tried("./adder", "--agent", "shell", "--url", server.url, "--model", "m").returncode == 0
    assert [path for path in work.iterdir() if path.is_dir()] == []
    (stored,) = Database(work.parents[1]).runs()
    assert stored.run.ending.how == "interrupted"
