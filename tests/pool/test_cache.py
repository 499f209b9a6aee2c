"""The cache of fetched subjects where several fetch at once, and where one is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from argusic.pool.cache import Shelf
from argusic.pool.hub.client import Hub
from argusic.pool.hub.snapshots import fetched_files, key_of
from argusic.pool.kinds.protocol import Workshop
from tests.hub_server import HubServer

DYING = """
import os, sys
from pathlib import Path
from argusic.pool.cache import Shelf
shelf = Shelf(Path(sys.argv[1]), "things")
with shelf.locked("a"), shelf.scratch() as scratch:
    (scratch / "half").write_bytes(b"half")
    print("there", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_fetcher_left_is_no_entry_and_goes(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, "things")
    with subprocess.Popen(
        [sys.executable, "-c", DYING, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as dying:
        assert dying.stdout is not None and dying.stdout.readline() == b"there\n"
        with shelf.scratch():
            assert [path.name for path in shelf.folder.glob("*/half")] == ["half"]
        os.kill(dying.pid, signal.SIGKILL)
    assert not shelf.entry("a").exists()
    with shelf.locked("a"), shelf.scratch() as scratch:
        (scratch / "entry").mkdir()
        shelf.place(scratch / "entry", "a")
    assert sorted(path.name for path in shelf.folder.iterdir()) == [".locks", "a"]


def test_nobody_clears_up_a_folder_that_somebody_begins(tmp_path: Path) -> None:
    wrong: list[BaseException] = []

    def work(number: int) -> None:
        shelf = Shelf(tmp_path, "things")
        try:
            for turn in range(60):
                with shelf.locked(f"{number}"), shelf.scratch() as scratch:
                    (scratch / "entry").mkdir()
                    (scratch / "entry" / f"{turn}").write_bytes(b"")
                    shelf.place(scratch / "entry", f"{number}")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert sorted(path.name for path in (tmp_path / "things").iterdir()) == [".locks", *map(str, range(6))]


def test_what_is_sound_is_not_replaced_under_whoever_copies_it(tmp_path: Path) -> None:
    with HubServer() as served:
        revision = served.add("model", "lab/tiny", {"README.md": b"# tiny\n"})
        hub = Hub({"HF_ENDPOINT": served.url})
        workshop = Workshop(tmp_path, lambda: None, lambda doing: None)  # type: ignore[arg-type,return-value]
        listed = hub.look_up("model", "lab/tiny").files
        files = fetched_files(hub, "model", "lab/tiny", revision, listed, workshop)
        entry = Shelf(tmp_path, "hub").entry(key_of(files))
        before = entry.stat().st_ino
        fetched_files(hub, "model", "lab/tiny", revision, listed, workshop)
        assert entry.stat().st_ino == before
        (entry / "files/README.md").write_bytes(b"damage\n")
        fetched_files(hub, "model", "lab/tiny", revision, listed, workshop)
        assert (entry / "files/README.md").read_bytes() == b"# tiny\n"
