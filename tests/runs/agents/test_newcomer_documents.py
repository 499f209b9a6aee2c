"""What the newcomer makes of documents: files that a reader is to write, programs that a reader pastes, synopses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from argusic.runs.agents.newcomer.arranging import arrange, uses, without_options
from argusic.runs.agents.newcomer.blocks import blocks
from argusic.runs.agents.newcomer.documented import commands
from argusic.runs.agents.newcomer.documents import as_python3, saved_files
from argusic.runs.agents.newcomer.ecosystems import Installed
from argusic.runs.agents.newcomer.examples import handed_over
from argusic.runs.agents.newcomer.javascript import packages_of, programs
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.projects import Project
from argusic.runs.agents.newcomer.servers import serves

SAMPLES = knowledge().samples

QUEUE = """\
# Nest

Write down what takes long:

```python
import time

def count_eggs(nest):
    time.sleep(1)
    return len(nest)
```

Then hand it over:

```python
from nest import Queue
from our_work import count_eggs
job = Queue().enqueue(count_eggs, 'a nest')
```

```console
$ nest worker
```
"""

MANAGED = """\
Our application::

    from frame import App
    application = App(__name__)

A file `manage.py`::

    # manage.py
    from shop import application
    from bird import Manager
    manager = Manager(application)

    @manager.command
    def hello():
        print "hello"

Run it::

    python manage.py hello
    > hello
"""

NODE = """\
# @birds/song

```js
const { sing } = require('@birds/song')

sing(2) // => 'chirp chirp'
const count = sing.words('tu whit')   // 2
console.log(sing.list(1)) // [ 'chirp' ]
sing(3) // louder than before
if (count) { // nothing to see
  sing(4) // => 'not on a line of its own'
}
```

```js
import { sing } from '@birds/song'
app.listen(3000)
```

```js
const other = require('other')
other() // => 1
```
"""


def project(text: str) -> Project:
    return Project(folder="~/unpacked", handed="x", files=(), documentation=(text,))


def installed(*programs: str, packages: tuple[str, ...] = (), summary: str = "") -> Installed:
    return Installed("", "", "", programs=programs, packages=packages, bare=("node", "npx"), summary=summary)


def test_a_module_that_only_the_documentation_defines_is_written_as_it_does() -> None:
    found = saved_files(project(QUEUE), frozenset({"nest"}))
    assert list(found) == ["our_work.py"]
    assert found["our_work.py"].startswith("import time\n") and "def count_eggs(nest):" in found["our_work.py"]


def test_a_module_that_is_there_is_not_written() -> None:
    assert saved_files(project(QUEUE), frozenset({"nest", "our_work"})) == {}


def test_a_module_is_only_written_of_statements_that_stand_by_themselves() -> None:
    assert saved_files(project(QUEUE.replace("import time\n", ""))) == {}


def test_what_a_saved_program_assumes_is_written_beside_it_though_it_is_of_python_2() -> None:
    found = saved_files(project(MANAGED))
    assert found["shop.py"] == "from frame import App\napplication = App(__name__)\n"
    assert 'print "hello"' in found["manage.py"]


def test_print_statements_become_calls_and_calls_stay() -> None:
    assert as_python3('  print "a", b\nprint("c")\nprinted = 1\n') == '  print("a", b)\nprint("c")\nprinted = 1\n'


def test_what_is_handed_over_to_be_done_is_a_function_that_is_imported_and_not_called() -> None:
    assert handed_over("from a import f, g\nq.put(f, 1)\ng(2)\nprint(h)\n") == ("f",)
    assert handed_over("not python at") == ()


def test_a_javascript_program_shows_what_its_comments_say_that_comes_out() -> None:
    first, second = programs(blocks(NODE), ("@birds/song",))
    assert first.shows == 3 and not first.listens and second.listens
    assert 'await show("sing(2)", (sing(2)), "\'chirp chirp\'");' in first.source
    assert 'await show("count", count, "2");' in first.source
    assert 'await show("sing.list(1)"' in first.source
    assert "sing(3) // louder than before" in first.source and "  sing(4) //" in first.source


def test_what_a_program_asks_for_is_a_package_and_no_file() -> None:
    source = (
        "require('a/b'); import x from '@s/p/q'; import './c.js'; import fs from 'node:fs'; import('https://x.y/z')"
    )
    assert packages_of(source) == {"a", "@s/p"}


@pytest.mark.node
def test_results_are_compared_as_node_shows_them(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "@birds" / "song"
    package.mkdir(parents=True)
    code = "const s = n => Array(n).fill('chirp').join(' '); s.words = t => t.split(' ').length; s.list = n => [s(n)];"
    (package / "index.js").write_text(f"{code} exports.sing = s;\n")
    program = programs(blocks(NODE), ("@birds/song",))[0]
    (tmp_path / "example.mjs").write_text(program.source)
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run([node, "example.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("3 of 3 documented results agree.\n")
    (package / "index.js").write_text(f"{code} exports.sing = Object.assign(n => 'moo', s);\n")
    done = subprocess.run([node, "example.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert "not as the documentation shows it" in done.stdout and "2 of 3" in done.stdout


@pytest.mark.parametrize(
    ("line", "used"),
    [
        ("echo 'tu whit' | bird --loud", True),
        ("cat song.txt | bird", True),
        ("bird < song.txt", True),
        ("echo bird | wc", False),
        ("npm install bird && bird", False),
        ("npx bird sing", True),
        ("npx -y @birds/song@2.0.0 sing", True),
        ("npx other", False),
    ],
)
def test_a_program_is_used_wherever_it_stands_in_a_line(line: str, used: bool) -> None:
    assert uses(line, installed("bird", packages=("@birds/song",)), frozenset()) is used


def test_what_a_filter_is_given_on_a_pipe_is_what_went_in() -> None:
    arranged = arrange("echo 'tu whit' | bird", SAMPLES, "txt")
    assert arranged is not None and "tu whit" in arranged.given


def test_what_a_synopsis_ends_with_in_brackets_is_left_out() -> None:
    arranged = arrange("bird [--loud] [options]", SAMPLES, "txt")
    assert arranged is not None and arranged.line == "bird"
    assert without_options("bird-server [path] [options]") == "bird-server"


@pytest.mark.parametrize("line", ["bird-server db.json", "npx bird-server"])
def test_a_program_that_is_called_a_server_goes_on_and_answers(line: str) -> None:
    told = commands(blocks(f"```sh\n{line}\n```\n")[0])[0]
    assert serves(told, installed("bird-server"))
    assert not serves(told, installed("other")) or line.startswith("npx")


def test_what_a_document_quotes_after_a_command_is_what_it_shows() -> None:
    (told,) = commands(blocks("Run it::\n\n    python manage.py hello\n    > hello world\n")[0])
    assert (told.line, told.shown) == ("python manage.py hello", "hello world")
