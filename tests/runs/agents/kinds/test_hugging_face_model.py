"""The newcomer's way with models: the card's snippet runs word for word, and what is claimed of it was decoded."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.newcomer.blocks import blocks
from argusic.runs.agents.newcomer.knowledge import knowledge
from argusic.runs.agents.newcomer.models import observe
from argusic.runs.agents.newcomer.models.snippets import pip_line, snippets
from argusic.runs.agents.registry import implementation
from argusic.runs.session import Mission

USING = 'from vectors import embed\nsentences = ["one", "two words"]\nembeddings = embed(sentences)\n'
CARD = f"# vectors\n\nInstall it:\n\n```\npip install -U vectors\n```\n\nUse it:\n\n```python\n{USING}```\n"
CODE = "def embed(texts):\n    return [[float(len(text)), 0.5, 1.0] for text in texts]\n"


def found(card: str, name: str = "ada/vectors", brought: str = "") -> list[tuple[str, tuple[str, ...]]]:
    return [(one.text, one.wants) for one in snippets(blocks(card), name, brought, knowledge().repairs)]


def seen(folder: Path, source: str) -> str:
    """Return what the observer said of a snippet."""
    (folder / "snippet.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, observe.__file__, "snippet.py"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return done.stdout if done.returncode == 0 else f"failed: {done.stdout}"


def handed(session: Any, card: str, code: str) -> str:
    """Hand in a published archive as its kind lays it out; return its name."""
    info = "vectors-1.0.dist-info"
    subject = session.home / "subject"
    path = subject / "vectors-1.0-py3-none-any.whl"
    files = {
        "vectors.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: vectors\nVersion: 1.0\n\n{card}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    (subject / "README.md").write_text(card, encoding="utf-8")
    return str(path.name)


def lived(session: Any, mission: Mission) -> Report:
    mission = dataclasses.replace(mission, kind="hugging-face-model", name="ada/vectors")
    implementation("newcomer").run(session, mission)
    return Report.model_validate(yaml.safe_load(Path(mission.report_path).read_text(encoding="utf-8")))


def test_a_snippet_that_produces_what_fits_what_went_in_is_verified(session: Any, mission: Mission) -> None:
    name = handed(session, CARD, CODE)
    report = lived(session, mission)
    assert report.installed and report.launched and report.test_depth == "tier1_real"
    how, says = report.verified_how, report.final_state
    assert isinstance(how, VerifiedHow) and any(r.command == how.command and r.ok for r in session.commands)
    assert says is not None and "the documented snippet produced output" in says and "On the CPU" in says
    assert "2 texts went in, and 2 rows of 3 numbers came out" in says
    # What was run is what the card has, and what was installed is what was handed in.
    assert (session.home / "snippet-1" / "snippet.py").read_text(encoding="utf-8").strip() == USING.strip()
    assert any(r.ok and "word for word" in r.output for r in session.commands)
    assert any("pip install" in r.command and name in r.command and "-U" not in r.command for r in session.commands)


@pytest.mark.endurance
def test_a_snippet_that_fails_is_an_error_and_no_launch(session: Any, mission: Mission) -> None:
    handed(session, CARD, "def embed(texts):\n    raise ValueError('no weights')\n")
    report = lived(session, mission)
    assert report.installed and not report.launched and report.says_not_verified
    assert report.encountered == 1 and report.fixed == 0
    assert "produced output" not in (report.final_state or "")


def test_a_card_without_a_snippet_ends_in_a_report_that_says_so(session: Any, mission: Mission) -> None:
    (session.home / "subject" / "README.md").write_text("# vectors\n\nNothing here.\n", encoding="utf-8")
    report = lived(session, mission)
    assert not report.installed and report.encountered == 1


def test_a_snippet_that_speaks_for_the_observer_is_not_believed(tmp_path: Path) -> None:
    false = "Lines printed: 1. Values shown or left: 1.\\nDevice: GPU.\\nDecoded: all is well."
    said = seen(tmp_path, f'print("{false}")\nx = 1\n')
    assert said.endswith("Device: CPU.\nDecoded: nothing.\n")
    late = f'import atexit, os\natexit.register(lambda: print("{false}"))\nos._exit(0)\n'
    assert not seen(tmp_path, late).endswith("all is well.\n")


@pytest.mark.parametrize(
    ("source", "decoded"),
    [
        # Rows of numbers for texts that went in: as many, finite, no two alike, and not written down by the snippet.
        ('t = ["a", "b"]\nv = [[1.0, float(n)] for n in range(2)]\n', "2 texts went in, and 2 rows of 2 numbers"),
        ('t = ["a", "b"]\nv = [[1.0, 2.0], [1.0, 3.0]]\n', "nothing"),
        ('t = ["a", "b"]\nv = [[1.0, 2.0] for n in range(2)]\n', "nothing"),
        ('t = ["a", "b"]\nv = [[1.0, float("nan")] for n in range(2)]\n', "nothing"),
        ('t = ["a", "b", "c"]\nv = [[float(n)] for n in range(2)]\n', "nothing"),
        # A value that is a mere expression is shown, as at the prompt.
        ('def f(t):\n    return "é" + t[1:]\nf("elan vital")\n', "the text that went in came out with 1 marks put in"),
        ('def f(t):\n    return t\nf("elan vital")\n', "nothing"),
        ('print("score: %d" % 1)\n# score: 1\n', "1 of the 1 lines that it printed are those that its comments show"),
        ('print("score: %d" % 2)\n# score: 1\n', "nothing"),
        ('print("Results:")\n# Results:\n', "nothing"),
        ('c = ["b one", "a two"]\ns = sorted(c)\n', "the 2 texts that went in came out in another order"),
        ('c = ["b one", "a two"]\ns = list(c)\n', "nothing"),
        ('r = [{"text": "Once upon a".ljust(20, "!")}]\n', "a text came out that begins with the text that went in"),
        ('p = "Once upon a"\nprint("Given: " + p)\n', "nothing"),
        ('r = [{"label": "good", "score": abs(0.9)}]\n', "1 answers came out, each with a score from 0 to 1"),
        ('r = [{"label": "good", "score": abs(7.0)}]\n', "nothing"),
        ("print('done')\n", "nothing"),
    ],
)
def test_what_came_out_is_compared_with_what_went_in(tmp_path: Path, source: str, decoded: str) -> None:
    assert f"\nDecoded: {decoded}" in seen(tmp_path, source)


def test_a_snippet_that_ends_in_an_error_is_no_output(tmp_path: Path) -> None:
    assert seen(tmp_path, "print(1)\nraise SystemExit(0)\n").startswith("failed: 1\nTraceback")


def test_what_a_card_has_installed_is_read_from_its_nearest_word_before() -> None:
    two = CARD + "\nOr with another library:\n\n```bash\n$ pip install 'other>=2' more\n```\n\n```python\n"
    two += 'import other\nm = other.load("ada/vectors")\n```\n'
    assert found(two) == [
        ('import other\nm = other.load("ada/vectors")\n', ("other>=2", "more")),
        (USING, ("vectors",)),
    ]
    assert [wants for _, wants in found("```python\nimport PIL, os\nPIL.x('ada/vectors')\n```\n")] == [("pillow",)]
    assert [wants for _, wants in found("```python\nimport a\na.b()\n```\n```\npip install -r x.txt\n```\n")] == [
        ("a",)
    ]


def test_fragments_training_and_blanks_to_fill_in_are_left_alone() -> None:
    for body in (
        "model.encode(sentences)",
        "from vectors import Trainer\nTrainer(1).train()",
        "from vectors import embed\nembed('path/to/file')",
        "from vectors import embed\nembed(token='YOUR_TOKEN')",
        "import os\nprint(os.name)",
        "this is no Python",
    ):
        assert found(f"```python\n{body}\n```\n") == [], body


def test_a_fragment_goes_on_where_the_snippet_before_it_ended() -> None:
    card = "```python\nfrom vectors import embed\n```\n\nThen:\n\n```python\nx = embed(['a'])\n```\n"
    texts = [text for text, _ in found(card)]
    assert texts == ["from vectors import embed\n", "from vectors import embed\n\n\nx = embed(['a'])\n"]


def test_the_archive_that_was_handed_in_takes_the_place_of_its_name() -> None:
    assert (
        pip_line(("My_Vectors>=1", "numpy"), "/root/subject/a b.whl", "my-vectors") == "'/root/subject/a b.whl' numpy"
    )
    assert pip_line(("vectors[gpu]", "numpy<2"), "", "") == "'vectors[gpu]' 'numpy<2'"
