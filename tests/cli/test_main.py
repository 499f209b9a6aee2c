"""The program as a whole: whatever is wrong around it is one sentence and an exit status, never a traceback."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argusic.cli.faults import lack
from argusic.database.database import Database
from tests.made_database import Size, make_database

NAME = b"forged\nAll is well.\x1b[31m\xc2\x9b\xff"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return make_database(tmp_path_factory.mktemp("main") / "database", Size(subjects=1))


def argusic(
    *words: str | bytes | Path, sh: str = 'exec "$@"', **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program, within the shell line `sh`, where it is "$@"."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sh}", "sh", sys.executable, "-m", "argusic", *words],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
    )


def assert_one_sentence(done: subprocess.CompletedProcess[bytes], status: int, says: str) -> None:
    said = done.stderr.decode()
    assert (done.returncode, said.count("\n")) == (status, 1), said
    assert says in said and "fault of its own" not in said


def test_a_full_disk_under_the_output_is_a_lack_of_the_machine(made: Database) -> None:
    for shape in ((), ("--json",)):
        done = argusic("--repo", made.root, "check", *shape, sh='exec "$@" > /dev/full')
        assert_one_sentence(done, 3, "No space left on device")


def test_a_reader_who_leaves_early_is_no_error_worth_a_word(made: Database) -> None:
    done = argusic("--repo", made.root, "check", sh='"$@" | true')
    assert done.stderr == b""


def test_with_every_standard_stream_closed_a_command_still_does_its_work(made: Database, tmp_path: Path) -> None:
    root = shutil.copytree(made.root, tmp_path / "database")
    done = argusic("--repo", root, "recompute", sh='"$@" <&- >&- 2>&-')
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for path in root.rglob("*"):
        assert path.suffix != ".yaml" or b" written, " not in path.read_bytes()
    assert argusic("--repo", root, "recompute", "--check").returncode == 0


def test_a_folder_that_is_gone_is_said(made: Database) -> None:
    line = 'here=$(mktemp -d) && cd "$here" && rmdir "$here" && exec "$@"'
    for words in (("check",), ("doctor",), ("cycle", "plan", "made-00"), ("try", "some-folder")):
        assert_one_sentence(argusic(*words, sh=line), 3, "the folder that this was called in is gone")


def test_a_name_too_long_for_the_system_is_said(made: Database) -> None:
    assert_one_sentence(argusic("--repo", made.root, "score", "x" * 5000), 3, "File name too long")


def test_too_little_memory_is_said() -> None:
    program = (
        "import sys; from argusic.cli import main\n"
        "def command(): raise MemoryError('Unable to allocate 459. MiB')\n"
        "main.build = lambda _: command; main.run()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert_one_sentence(done, 3, "the memory of this machine, or what is allowed of it, is too little")


def test_a_full_disk_under_a_copied_folder_is_said(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "kind.yaml").write_text("x")

    def full(source: str, destination: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), source, None, destination)

    with pytest.raises(shutil.Error) as raised:
        shutil.copytree(source, tmp_path / "destination", copy_function=full)
    said = lack(raised.value)
    assert said is not None
    assert str(said) == f"{tmp_path}/destination/kind.yaml: the system refuses: No space left on device."


def test_of_a_file_that_could_not_be_copied_for_want_of_room_the_copy_is_named() -> None:
    said = lack(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/sound/source", None, "/full/copy"))
    assert str(said) == "/full/copy: the system refuses: No space left on device."
    said = lack(OSError(errno.EACCES, os.strerror(errno.EACCES), "/closed/source", None, "/any/copy"))
    assert str(said) == "/closed/source: the system refuses: Permission denied."


def test_a_name_that_leaves_the_database_is_refused(made: Database) -> None:
    done = argusic("--repo", made.root, "cycle", "plan", "../../etc")
    assert_one_sentence(done, 2, "pool/cycles/../../etc.yaml: is no path in the database")


def test_a_file_where_a_folder_is_needed_is_said(made: Database, tmp_path: Path) -> None:
    root = shutil.copytree(made.root, tmp_path / "database")
    (root / "leaderboards").write_text("")
    assert_one_sentence(argusic("--repo", root, "recompute"), 3, "leaderboards/verdicts: the system refuses")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_file_name_can_steer_the_terminal_or_forge_a_line(encoding: str, made: Database, tmp_path: Path) -> None:
    root = shutil.copytree(made.root, tmp_path / "database")
    (root / "pool" / os.fsdecode(NAME)).write_text("x")
    shown = argusic("--repo", root, "check", PYTHONIOENCODING=encoding)
    data = argusic("--repo", root, "check", "--json", PYTHONIOENCODING=encoding)
    for done in (shown, data):
        assert (done.returncode, done.stderr) == (1, b"")
        assert not {b"\x1b", b"\xc2\x9b"} & {done.stdout[at : at + n] for at in range(len(done.stdout)) for n in (1, 2)}
    assert b"\nAll is well." not in shown.stdout
    assert any("forged" in finding["file"] for finding in json.loads(data.stdout)["findings"])


def test_an_interruption_while_the_program_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    done = argusic("--version", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
