"""GitHub asked through PyGithub, against a server: what is asked, how often, and what an error is called."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argusic.errors import ArgusicError, CheckFailed, EnvironmentLack, InputError
from argusic.evidence.stores.patience import Patience
from argusic.github.forge import DECIDES, Artifact, Forge, Job
from argusic.github.pygithub_forge import GitHubForge
from tests.github_server import BOT, TOKEN, Fault, GitHubServer

SLEPT: list[float] = []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    SLEPT.clear()
    with GitHubServer() as made:
        yield made


def forge_of(server: GitHubServer, token: str = TOKEN) -> Forge:
    return GitHubForge.of_environment(server.environment(token), Patience(sleep=SLEPT.append))


@pytest.fixture
def forge(server: GitHubServer) -> Forge:
    return forge_of(server)


def sentence(error: pytest.ExceptionInfo[ArgusicError]) -> str:
    said = str(error.value)
    assert "\n" not in said and said.endswith(".") and TOKEN not in said
    return said


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
def test_a_permission_is_the_finer_role(server: GitHubServer, forge: Forge, role: str) -> None:
    server.set_permission("ada", role)
    assert forge.permission("ada") == role
    assert (role in DECIDES) == (role in ("write", "maintain", "admin"))
    assert server.count() == 1


def test_somebody_who_is_not_known_may_do_nothing(server: GitHubServer, forge: Forge) -> None:
    assert forge.permission("eve") == "none"
    for name in ("", "../../ada", "ada/permission?", "a b", "é", "ada\n"):
        assert forge.permission(name) == "none"
    assert server.count() == 1


def test_a_role_of_an_organisations_own_is_what_it_was_made_from(server: GitHubServer, forge: Forge) -> None:
    server.set_permission("ada", "our-curators")
    assert forge.permission("ada") == "write"


def test_labels_are_added_with_one_request_and_one_that_is_not_there_is_passed_over(
    server: GitHubServer, forge: Forge
) -> None:
    issue = server.add_issue("t", labels=("opened", "old one"))
    assert forge.labels(issue) == ("old one", "opened")
    forge.label(issue, add=["b", "a/c?d"], remove=["old one", "never there"])
    assert server.labels(issue) == ["a/c?d", "b", "opened"]
    assert server.count() == 4
    forge.label(issue, remove=["a/c?d"])
    assert server.labels(issue) == ["b", "opened"]
    with pytest.raises(InputError, match=r"^ada/referee on GitHub has no issue 99, or this token may not see it"):
        forge.label(99, remove=["x"])
    with pytest.raises(InputError, match="has no issue 99"):
        forge.labels(99)


def test_a_comment_is_renewed_and_not_written_twice(server: GitHubServer, forge: Forge) -> None:
    issue = server.add_issue("t")
    forge.say(issue, "facts", "one")
    forge.say(issue, "other", "two")
    assert server.count() == 4
    forge.say(issue, "facts", "three")
    forge.say(issue, "facts", "three")
    assert [one["body"] for one in server.comments(issue)] == [
        "<!-- argusic: facts -->\nthree",
        "<!-- argusic: other -->\ntwo",
    ]
    assert server.count("PATCH") == 1


def test_a_strangers_comment_with_our_mark_is_left_alone(server: GitHubServer, forge: Forge) -> None:
    issue = server.add_issue("t")
    server.add_comment(issue, "<!-- argusic: facts -->\nmine", "eve")
    forge.say(issue, "facts", "ours")
    assert [(one["author"], one["body"][-4:]) for one in server.comments(issue)] == [("eve", "mine"), (BOT, "ours")]


def test_a_person_renews_their_own_comment_alone(server: GitHubServer) -> None:
    issue = server.add_issue("t")
    server.add_person("tok-ada", "ada")
    server.add_comment(issue, "<!-- argusic: facts -->\nthe program's", BOT)
    for text in ("one", "two"):
        forge_of(server, "tok-ada").say(issue, "facts", text)
    assert [(one["author"], one["body"].partition("\n")[2]) for one in server.comments(issue)] == [
        (BOT, "the program's"),
        ("ada", "two"),
    ]


def test_a_comment_whose_answer_was_lost_is_there_once(server: GitHubServer, forge: Forge) -> None:
    issue = server.add_issue("t")
    server.hub.faults.append(Fault("late", "POST", "/comments", status=502))
    forge.say(issue, "facts", "one")
    assert len(server.comments(issue)) == 1


def test_a_comment_among_many_is_found(server: GitHubServer, forge: Forge) -> None:
    issue = server.add_issue("t")
    for number in range(120):
        server.add_comment(issue, f"{number}")
    server.add_comment(issue, "<!-- argusic: facts -->\nold", BOT)
    forge.say(issue, "facts", "new")
    assert len(server.comments(issue)) == 121
    assert server.comments(issue)[-1]["body"].endswith("new")


def test_a_text_that_is_too_long_is_cut_and_says_so(server: GitHubServer, forge: Forge) -> None:
    issue = server.add_issue("t")
    forge.say(issue, "facts", "a line of it\n" * 10_000)
    text = server.comments(issue)[0]["body"]
    assert len(text) <= 65_536
    assert text.endswith("a line of it\n\nThe rest is left out: GitHub takes no longer text.\n")
    with pytest.raises(InputError, match="marks no comment"):
        forge.say(issue, "-->", "x")


def test_one_pull_request_is_opened_and_then_renewed(server: GitHubServer, forge: Forge) -> None:
    server.bare.commit("results/pilot", {"runs/pilot/a": b"1"})
    number = forge.pull("results/pilot", "main", "Runs of\npilot", "table")
    assert server.count() == 2
    assert forge.pull("results/pilot", "main", "Runs of pilot", "table") == number
    assert server.count("PATCH") == 0
    assert forge.pull("results/pilot", "main", "More runs", "tables") == number
    (pull,) = server.pulls()
    assert (pull["title"], pull["body"], pull["author"]) == ("More runs", "tables", BOT)
    server.merge(number)
    server.bare.commit("results/pilot", {"runs/pilot/b": b"1"})
    assert forge.pull("results/pilot", "main", "More runs", "tables") != number


def test_a_pull_request_that_another_opened_meanwhile_is_renewed(server: GitHubServer, forge: Forge) -> None:
    server.bare.commit("results/pilot", {"runs/pilot/a": b"1"})
    server.hub.faults.append(Fault("late", "POST", "/pulls", status=500))
    forge.pull("results/pilot", "main", "Runs", "table")
    assert len(server.pulls()) == 1
    server.bare.commit("same", {})
    with pytest.raises(EnvironmentLack, match=r"answers 422 Validation Failed \(No commits between main and main\)\.$"):
        forge.pull("main", "main", "t", "b")


def test_the_commit_of_an_open_pull_request_is_told(server: GitHubServer, forge: Forge) -> None:
    commit = server.bare.commit("results/pilot", {"runs/pilot/a": b"1"})
    number = forge.pull("results/pilot", "main", "Runs", "table")
    server.hub.requests.clear()
    assert (forge.pull_head(number), server.count()) == (commit, 1)
    server.merge(number)
    with pytest.raises(InputError, match=rf"the pull request {number} of ada/referee on GitHub is closed\."):
        forge.pull_head(number)
    with pytest.raises(InputError, match="has no pull request 99"):
        forge.pull_head(99)


def test_when_a_workflow_last_began_by_the_clock_is_told(server: GitHubServer, forge: Forge) -> None:
    server.add_workflow("sweep.yml")
    assert forge.last_started("sweep.yml") is None
    server.add_workflow("sweep.yml", "2026-11-02T03:17:09Z", "2026-11-01T03:17:09Z")
    assert forge.last_started("sweep.yml") == datetime(2026, 11, 2, 3, 17, 9, tzinfo=UTC)
    with pytest.raises(InputError, match=r"has no workflow other\.yml"):
        forge.last_started("other.yml")


def test_all_pages_of_artifacts_and_jobs_are_counted(server: GitHubServer, forge: Forge) -> None:
    for number in range(250):
        server.add_job(7, f"attempt ({number:03})")
    for number in range(120):
        server.add_artifact(7, f"attempt-{number:03}", b"PK%d" % number)
    assert forge.jobs(7)[249] == Job("attempt (249)", "success", 1)
    assert server.count() == 3
    listed = forge.artifacts(7)
    assert server.count() == 5
    assert [one.name for one in listed] == [f"attempt-{number:03}" for number in range(120)]
    assert {len(one.sha256 or "") for one in listed} == {64}
    server.add_run(8)
    assert (forge.artifacts(8), forge.jobs(8)) == ((), ())
    with pytest.raises(InputError, match="has no workflow run 9"):
        forge.artifacts(9)


def test_what_a_job_is_in_and_two_artifacts_of_one_name_are_told(server: GitHubServer, forge: Forge) -> None:
    server.add_job(7, "attempt (001)", "failure")
    server.add_job(7, "attempt (001)", None, attempt=2)
    server.add_artifact(7, "attempt-001-1", b"PK1")
    server.add_artifact(7, "attempt-001-1", b"PK2", digest=None)
    server.add_artifact(7, "gone", b"PK", expired=True, digest="sha512:aa")
    assert forge.jobs(7) == (Job("attempt (001)", None, 2),)
    listed = forge.artifacts(7)
    assert [(one.name, one.sha256 is None, one.expired) for one in listed] == [
        ("attempt-001-1", False, False),
        ("attempt-001-1", True, False),
        ("gone", True, True),
    ]


def test_what_github_lists_no_more_after_all_jobs_ran_again_is_not_invented(server: GitHubServer, forge: Forge) -> None:
    server.add_job(7, "attempt (001)", "failure")
    server.add_artifact(7, "attempt-001-1", b"PK1")
    server.run_all_again(7)
    assert (forge.artifacts(7), forge.jobs(7)) == ((), ())
    server.add_artifact(7, "attempt-001-2", b"PK2")
    assert [one.name for one in forge.artifacts(7)] == ["attempt-001-2"]


def test_an_artifact_is_brought_and_proven_and_no_token_goes_with_it(
    server: GitHubServer, forge: Forge, tmp_path: Path
) -> None:
    content = b"PK" + bytes(range(256)) * 9000
    server.add_artifact(7, "a", content)
    (artifact,) = forge.artifacts(7)
    server.hub.faults.append(Fault("cut", "GET", "/content/"))
    forge.download(artifact, tmp_path / "a.zip", most_bytes=len(content))
    assert (tmp_path / "a.zip").read_bytes() == content
    assert server.count("GET", "/content/") == 2
    assert server.hub.tokens_at_content == []
    with pytest.raises(InputError, match="is there already"):
        forge.download(artifact, tmp_path / "a.zip", most_bytes=len(content))


@pytest.mark.parametrize(
    ("served", "size", "digest", "said"),
    [
        (b"PK-other", None, "", "has the digest [0-9a-f]{64}, and GitHub states [0-9a-f]{64}"),
        (b"PK-short", 9, "", "has fewer bytes than the 9 stated"),
        (b"PK-muchlonger" * 99999, None, "", "has more bytes than the 8 stated"),
        (None, None, f"sha256:{'0' * 64}", "GitHub states 0{64}"),
        (None, 101, "", "has 101 bytes, of 100 allowed"),
    ],
)
def test_an_artifact_that_is_not_what_is_stated_leaves_nothing(
    server: GitHubServer, forge: Forge, tmp_path: Path, served: bytes | None, size: int | None, digest: str, said: str
) -> None:
    server.add_artifact(7, "a", b"PK-right", served=served, size=size, digest=digest)
    (artifact,) = forge.artifacts(7)
    with pytest.raises(CheckFailed, match=said) as failed:
        forge.download(artifact, tmp_path / "a.zip", most_bytes=100)
    sentence(failed)
    assert list(tmp_path.iterdir()) == []
    assert server.count("GET", "/content/") <= 1


def test_an_artifact_that_is_gone_is_named(server: GitHubServer, forge: Forge, tmp_path: Path) -> None:
    server.add_artifact(7, "a", b"PK", expired=True)
    for artifact in (*forge.artifacts(7), Artifact(99, "never", 3, None, False)):
        with pytest.raises(InputError, match=f"has the artifact '{artifact.name}' no more"):
            forge.download(artifact, tmp_path / "a.zip", most_bytes=100)


def test_a_status_is_stated_on_a_commit(server: GitHubServer, forge: Forge) -> None:
    sha = server.bare.tip("main") or ""
    forge.status(sha, "argusic/check", "failure", "two findings\nin " + "x" * 200)
    (status,) = server.statuses(sha)
    assert (status["state"], status["context"], len(status["description"])) == ("failure", "argusic/check", 140)
    assert server.count() == 1
    with pytest.raises(InputError, match=f"has no commit {'0' * 40}"):
        forge.status("0" * 40, "argusic/check", "success", "")
    with pytest.raises(InputError, match="is no full id of a commit"):
        forge.status("../../issues", "argusic/check", "success", "")


@pytest.mark.parametrize(
    ("status", "headers", "message", "least"),
    [
        (403, {"Retry-After": "7"}, "You have exceeded a secondary rate limit.", 7),
        (429, {"Retry-After": "7"}, "Too many", 7),
        (403, {}, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", 60),
        (500, {}, "Server Error", 0),
        (502, {}, "Bad Gateway", 0),
    ],
)
def test_what_may_pass_is_asked_again_when_github_said(
    server: GitHubServer, forge: Forge, status: int, headers: dict[str, str], message: str, least: float
) -> None:
    issue = server.add_issue("t")
    fault = server.fail("POST", "/comments", status, message, headers=headers)
    forge.say(issue, "facts", "one")
    assert (fault.times, len(SLEPT), len(server.comments(issue))) == (0, 1, 1)
    assert least <= SLEPT[0] < least + 1


def test_a_spent_allowance_is_not_waited_for_an_hour(server: GitHubServer, forge: Forge) -> None:
    server.hub.allowance = 1
    server.add_run(7)
    assert forge.jobs(7) == ()
    with pytest.raises(EnvironmentLack, match=r"403 API rate limit exceeded .* asks to wait [\d,]+ seconds") as failed:
        forge.jobs(7)
    sentence(failed)
    assert (SLEPT, server.count()) == ([], 2)
    server.hub.resets = int(time.time()) + 20
    server.hub.allowance = 3
    server.add_issue("t")
    forge.labels(1)
    with pytest.raises(EnvironmentLack, match=r"after 5 tries|asks to wait"):
        forge.labels(1)
    assert sum(SLEPT) <= 120


def test_a_server_that_stays_silent_is_left_after_some_tries(server: GitHubServer, forge: Forge) -> None:
    server.hub.faults.append(Fault("refuse", times=9))
    with pytest.raises(EnvironmentLack, match=r"cannot be reached \(.*\), after 5 tries") as failed:
        forge.labels(1)
    sentence(failed)
    assert server.count() == 5


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (401, "Bad credentials", "refuses this token (401 Bad credentials). It takes a token from GH_TOKEN or"),
        (403, "Resource not accessible by integration", "refuses this token (403 Resource not accessible by integ"),
        (422, "Unprocessable", "answers 422 Unprocessable."),
        (451, "Unavailable", "answers 451 Unavailable."),
    ],
)
def test_a_refusal_is_said_once(server: GitHubServer, forge: Forge, status: int, message: str, said: str) -> None:
    server.fail("GET", "/issues", status, message)
    with pytest.raises(EnvironmentLack) as failed:
        forge.labels(1)
    assert sentence(failed).startswith(f"ada/referee on GitHub {said}")
    assert (SLEPT, server.count()) == ([], 1)


def test_what_is_no_answer_of_github_is_said(server: GitHubServer, forge: Forge) -> None:
    server.hub.faults.append(Fault("cut", "GET", "/artifacts", times=9))
    server.add_artifact(7, "a", b"PK")
    with pytest.raises(EnvironmentLack):
        forge.artifacts(7)
    server.hub.faults.clear()
    server.fail("GET", "/jobs", 200, "a proxy's page")
    with pytest.raises(EnvironmentLack, match="answers what GitHub does not"):
        forge.jobs(7)


def test_an_environment_without_what_it_takes_is_refused(server: GitHubServer) -> None:
    good = server.environment()
    for changed, said in [
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY names no repository"),
        ({"GITHUB_REPOSITORY": "a/b/../c"}, "GITHUB_REPOSITORY names no repository"),
        ({"GITHUB_TOKEN": ""}, "there is no token to ask ada/referee on GitHub with"),
        ({"GITHUB_TOKEN": "se\ncret"}, "what is in GITHUB_TOKEN is no token"),
        ({"GITHUB_API_URL": "http://elsewhere.example"}, "no address that begins with https"),
    ]:
        with pytest.raises(EnvironmentLack, match=said) as failed:
            GitHubForge.of_environment({**good, **changed})
        assert "cret" not in sentence(failed)
