"""What a Space says of itself is read as what a stranger wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argusic.pool.spaces.definition import DefinitionUnusable, read_definition


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "", "# Bird"])


def test_a_definition_says_what_runs_which_version_and_which_file() -> None:
    said = read_definition(
        front(
            "title: Bird 🐦",
            "tags: [a, ]",
            "sdk: gradio",
            "sdk_version: 5.50.0",
            "app_file: src/run.py",
            "license: mit",
        )
    )
    assert (said.sdk, said.sdk_version, said.app_file, said.licence) == ("gradio", "5.50.0", "src/run.py", "mit")
    assert (said.title, said.python_version, said.app_port, said.doubts) == ("Bird 🐦", None, 7860, ())


@pytest.mark.parametrize(
    ("sdk", "starts"),
    [("gradio", "app.py"), ("streamlit", "app.py"), ("docker", "Dockerfile"), ("static", "index.html")],
)
def test_without_a_file_the_usual_one_of_the_sdk_is_meant(sdk: str, starts: str) -> None:
    assert read_definition(front(f"sdk: {sdk}")).app_file == starts


def test_a_version_is_taken_as_it_is_written_and_not_as_a_number() -> None:
    said = read_definition(front("sdk: streamlit", "sdk_version: 1.30", "python_version: 3.10 # not 3.1"))
    assert (said.sdk_version, said.python_version) == ("1.30", "3.10")


@pytest.mark.parametrize("value", ["{GRADIO_VERSION}", "latest", "'5.0; curl evil'", "[1, 2]", "-r /etc/passwd"])
def test_what_is_no_version_is_left_aside_and_said(value: str) -> None:
    said = read_definition(front("sdk: gradio", f"sdk_version: {value}"))
    assert said.sdk_version is None and "which is no version" in said.doubts[0]


@pytest.mark.parametrize("value", ["0", "70000", "x", "true"])
def test_what_is_no_port_is_left_aside_and_said(value: str) -> None:
    said = read_definition(front("sdk: docker", f"app_port: {value}"))
    assert said.app_port == 7860 and "which is no port" in said.doubts[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# Bird\n", "no front matter"),
        ("", "no front matter"),
        ("---\nsdk: gradio\n", "no front matter"),
        (front("title: Bird"), "names no sdk"),
        (front("sdk: [gradio]"), "none of gradio, streamlit"),
        (front("sdk: Gradio"), "none of gradio, streamlit"),
        (front("- sdk"), "no list of names"),
        (front("sdk: gradio", "sdk: static"), "twice"),
        (front("a: &a [x]", "b: *a", "sdk: gradio"), "cannot be read"),
        (front("sdk: !!python/object/apply:os.system [id]"), "cannot be read"),
        (front("sdk: gradio", "tags: [a, , b]"), "cannot be read"),
        (front("sdk: gradio", "a: " + "[" * 50 + "]" * 50), "cannot be read"),
        (front("sdk: gradio", f"title: {'x' * 60_000}"), "longer than"),
    ],
)
def test_what_defines_nothing_is_refused_with_a_sentence(text: str, says: str) -> None:
    with pytest.raises(DefinitionUnusable, match=says) as refused:
        read_definition(text)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "path", ["../up.py", "/etc/passwd", "a/../../b.py", "~/x.py", "-c", "a\\\\b.py", "a//b.py", "."]
)
def test_a_file_outside_of_the_space_is_never_started(path: str) -> None:
    with pytest.raises(DefinitionUnusable, match="leads out of the Space"):
        read_definition(front("sdk: gradio", f'app_file: "{path}"'))


@pytest.mark.parametrize("value", ['""', "[a]", "7", f'"{"x" * 400}"'])
def test_what_is_no_files_name_is_refused(value: str) -> None:
    with pytest.raises(DefinitionUnusable, match="no file's name"):
        read_definition(front("sdk: gradio", f"app_file: {value}"))


@given(st.text(max_size=300))
def test_any_text_gives_a_definition_or_a_sentence(text: str) -> None:
    for readme in (text, f"---\n{text}\n---\n", f"---\nsdk: gradio\n{text}\n---\n"):
        try:
            said = read_definition(readme)
        except DefinitionUnusable as error:
            assert str(error)
        else:
            assert ".." not in said.app_file.split("/") and not said.app_file.startswith("/")
