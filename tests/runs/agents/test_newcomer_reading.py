"""The newcomer finds in a documentation what a careful reader would find, and no more."""

from __future__ import annotations

import time

import pytest

from argusic.runs.agents.newcomer import examples
from argusic.runs.agents.newcomer.arranging import arrange, is_probe, plainly, uses, without_options
from argusic.runs.agents.newcomer.bench import tamed
from argusic.runs.agents.newcomer.blocks import Block, blocks
from argusic.runs.agents.newcomer.documented import commands, is_python, saved_as, statements
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.mcp.configured import loosely
from argusic.runs.agents.newcomer.projects import read_metadata
from argusic.runs.session import CommandResult

SAMPLES = knowledge().samples
INSTALLED = Installed(
    shows="", folder="", workspace="", programs=("bird",), modules=("bird",), bare=("python", "python3")
)

MARKDOWN = """\
# Bird

Install it:

```sh
pip install bird
```

Then, from a shell:

    $ bird sing "tu whit"
    tu whit, tu whoo
    $ bird --version

1. a list

       not code, but a continued item

Done.
"""

RST = """\
Bird
====

.. image:: bird.png
   :alt: no code

.. code-block:: python
   :linenos:

   import bird

It sings::

  $ bird sing

>>> 1 + 1
2

The end.
"""


def test_markdown_blocks_keep_language_text_and_the_sentences_around_them() -> None:
    found = blocks(MARKDOWN)
    assert [block.language for block in found] == ["sh", ""]
    assert found[0] == Block("sh", "pip install bird", "Install it:", "Then, from a shell:")
    assert found[1].text == '$ bird sing "tu whit"\ntu whit, tu whoo\n$ bird --version'


def test_restructuredtext_directives_literal_blocks_and_sessions_are_found_and_images_are_not() -> None:
    assert [(block.language, block.text) for block in blocks(RST)] == [
        ("python", "import bird"),
        ("", "$ bird sing"),
        ("pycon", ">>> 1 + 1\n2"),
    ]


def test_an_unclosed_fence_ends_with_the_document() -> None:
    assert [block.text for block in blocks("```\na\nb")] == ["a\nb"]


def test_the_indentation_of_a_metadata_field_is_no_code() -> None:
    text = "Bird\n        ----\n        \n        It sings::\n        \n          $ bird sing\n"
    assert [
        block.text for block in blocks(read_metadata({"PKG-INFO": f"Name: b\nDescription: {text}"}).description)
    ] == ["$ bird sing"]


def test_a_prompt_tells_commands_from_what_they_print() -> None:
    first, second = commands(blocks(MARKDOWN)[1])
    assert (first.line, first.shown) == ('bird sing "tu whit"', "tu whit, tu whoo")
    assert (second.line, second.shown) == ("bird --version", "")


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "title": "x"\n}',
        "====  ====\na     b\n====  ====",
        "bird (0.10.0)   553.4    46.5",
        "cat > x << EOF\nbird\nEOF",
    ],
)
def test_a_block_that_is_no_shell_gives_no_commands(text: str) -> None:
    assert commands(Block("", text)) == ()


def test_continued_lines_are_one_command_and_comments_are_none() -> None:
    found = commands(Block("bash", "# first\nbird sing \\\n  --loud  # now\n"))
    assert [command.line for command in found] == ["bird sing --loud"]


@pytest.mark.parametrize(
    ("block", "name"),
    [
        (Block("python", "# save this as app.py\nimport bird"), "app.py"),
        (Block("python", "# content of test_bird.py\nimport bird"), "test_bird.py"),
        (Block("python", "import bird", before="Create an application, in `example.py`:"), "example.py"),
        (Block("", '{"a": 1}', after="Save this in `metadata.json` and run it."), "metadata.json"),
        (Block("", "bird serve -m metadata.json", before="Save this in `metadata.json` and run it like so:"), None),
        (Block("python", "import bird", before="See the notes."), None),
    ],
)
def test_a_file_that_the_reader_is_to_save_is_recognised(block: Block, name: str | None) -> None:
    assert saved_as(block) == name


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("bird sing", True),
        ("LOUD=1 bird sing", True),
        ("python -m bird", True),
        ("python app.py", True),
        ("pip install bird", False),
        ("python setup.py install", False),
        ("git clone bird", False),
        ("python other.py", False),
        ("fish swim", False),
        ("", False),
    ],
)
def test_only_commands_that_start_the_project_count(line: str, counts: bool) -> None:
    assert uses(line, INSTALLED, frozenset({"app.py", "setup.py"})) is counts


def test_a_tool_that_makes_an_environment_of_its_own_is_left_out() -> None:
    assert plainly("uv run bird sing") == "bird sing" and plainly("bird run") == "bird run"


@pytest.mark.parametrize("line", ["bird --help", "bird -V", "bird version", "bird sing --version"])
def test_help_and_version_are_probes(line: str) -> None:
    assert is_probe(line)


def test_a_placeholder_becomes_a_sample_whose_content_is_what_goes_in() -> None:
    arranged = arrange("bird {source_file} --loud", SAMPLES, "md")
    assert arranged and arranged.line == "bird sample.md --loud"
    assert arranged.makes == ("sample.md",) and arranged.given[0] == "Wandering albatross"


@pytest.mark.parametrize(
    ("line", "makes"),
    [
        ("lint check path/to/code/", ("code/sample.py",)),
        ("lint check code/*.py", ("code/sample.py",)),
        ("lint check code/to/file.py", ("code/to/file.py",)),
        ("lint check -o out/", ()),
        ("lint check ../code/", ()),
        ("lint check /code/", ()),
    ],
)
def test_a_folder_that_a_command_presupposes_gets_a_file(line: str, makes: tuple[str, ...]) -> None:
    ready = arrange(line, SAMPLES, "py")
    assert ready is not None and ready.makes == makes


def test_arguments_that_only_their_author_keeps_in_a_file_are_left_alone() -> None:
    assert arrange("lint check @arguments.txt", SAMPLES, "py") is None


def test_a_path_to_nowhere_becomes_a_file_of_this_folder() -> None:
    arranged = arrange("bird serve path/to/database.db", SAMPLES, "txt")
    assert arranged and arranged.line == "bird serve database.db" and arranged.makes == ("database.db",)


@pytest.mark.parametrize(
    "line",
    [
        "bird publish heroku database.db",
        "bird -a USERNAME sing",
        "bird ~/Library/x.db",
        "bird login",
        "sudo bird",
        "bird <your-token>",
        "bird ...",
        "bird [OPTIONS] sing",
    ],
)
def test_what_needs_an_account_another_machine_or_a_decision_is_left_alone(line: str) -> None:
    assert arrange(line, SAMPLES, "txt") is None


def test_a_session_is_taken_apart_and_written_down_again_alike() -> None:
    text = ">>> def f(a):\n...     return a\n>>> f(1)\n1\n>>> f()\nTraceback (most recent call last):\nTypeError: no\n"
    told = statements(Block("pycon", text))
    again = statements(Block("pycon", examples.as_session(told)))
    assert [(e.source, e.want) for e in again[1:2]] == [("f(1)\n", "1\n")]
    assert again[2].exc_msg == told[2].exc_msg and len(again) == 3


def test_a_broken_session_gives_no_statements() -> None:
    assert statements(Block("pycon", ">>>1")) == ()


def test_fragments_whose_names_come_from_nowhere_are_left_out() -> None:
    told = examples.as_examples("import bird\nnest = bird.Nest()\nself.check(nest)\nnest.sing()")
    kept = examples.standing(told, examples.Scope())
    assert [example.source for example in kept] == ["import bird\n", "nest = bird.Nest()\n", "nest.sing()\n"]
    assert examples.standing(examples.as_examples("return 1"), examples.Scope()) == ()


def test_a_value_that_is_only_written_down_is_no_statement() -> None:
    told = examples.as_examples("[{'name': 'John'}]")
    assert examples.standing(told, examples.Scope()) == ()


def test_what_print_is_given_proves_nothing_unless_the_project_brings_its_own_print() -> None:
    assert examples.put_in("import bird\nprint('whistle')") == ()
    assert "whistle" in examples.put_in("from bird import print\nprint('whistle')")
    assert "whistle" in examples.put_in("import bird\nbird.sing('whistle')")


def test_a_program_is_told_from_a_session() -> None:
    assert is_python(Block("", "import bird")) and not is_python(Block("python", ">>> import bird"))


def test_a_line_of_tildes_under_a_heading_of_restructured_text_is_no_fence() -> None:
    text = "Bird\n====\n\nFrom source\n~~~~~~~~~~~\n\n.. code:: shell\n\n    bird sing\n\nUse\n~~~\n\nJust sing.\n"
    assert [block.text for block in blocks(text)] == ["bird sing"]


@pytest.mark.parametrize("blanks", [" ", "\n", " \n", "\t\r\n"])
def test_a_document_of_blanks_is_read_in_no_time(blanks: str) -> None:
    printed = f"$ bird sing{blanks * (400_000 // len(blanks))}x"
    text = tamed(CommandResult(1, "cat README", 0, printed, 0.1, None)).output
    begun = time.process_time()
    blocks(f"```sh\n{text}\n```\n")
    [commands(block) for block in blocks(f"```sh\n{text}\n```\n")]
    without_options(text)
    loosely(text)
    assert time.process_time() - begun < 2


def test_what_an_honest_document_holds_is_left_alone() -> None:
    printed = f"a{' ' * 200}b\n\n\n  c"
    assert tamed(CommandResult(1, "cat README", 0, printed, 0.1, None)).output == printed
