from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from argusic.cli import context, site
from argusic.database.database import Database
from argusic.errors import InputError
from argusic.site.build import Built

#: Listens to interrupts also where the tests were started in the background of a shell, which ignores them.
PROGRAM = """\
import signal
import typer
from argusic.cli import site
signal.signal(signal.SIGINT, signal.default_int_handler)
app = typer.Typer()
site.register(app)
app()
"""


@pytest.fixture
def app(database: Database) -> typer.Typer:
    context.choose(database.root)
    made = typer.Typer()
    site.register(made)
    return made


def test_build_says_what_it_built(app: typer.Typer, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["site", "build", "--out", str(tmp_path / "site")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "7 subjects, 1 board, 17 runs" in done.stdout
    assert "No recording can be played of 2 runs; each page says why." in done.stdout
    assert "No log can be read of 2 runs; each page says why." in done.stdout


def test_build_as_json_prints_one_document(app: typer.Typer, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["site", "build", "--out", str(tmp_path / "site"), "--json"])
    data = json.loads(done.stdout)
    assert (data["subjects"], data["boards"], data["runs"], data["runs_without_recording"]) == (7, 1, 17, 2)
    assert data["runs_without_log"] == 2
    assert data["pages"] == len(list((tmp_path / "site").rglob("*.html")))


def test_serve_refuses_a_folder_without_a_site(app: typer.Typer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no built site"):
        CliRunner().invoke(app, ["site", "serve", "--dir", str(tmp_path)], catch_exceptions=False)


def test_serve_listens_on_loopback_alone_and_stops_on_interrupt(database: Database, built: Built) -> None:
    command = [sys.executable, "-u", "-c", PROGRAM, "site", "serve", "--port", "0", "--dir", str(built.folder)]
    environment = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=database.root, env=environment) as serving:
        try:
            assert serving.stdout is not None
            address = serving.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(f"{address}index.html") as answer:
                assert b"Does it run today?" in answer.read()
            serving.send_signal(signal.SIGINT)
            assert serving.wait(timeout=20) == 0
            assert "Stopped." in serving.stdout.read()
        finally:
            serving.kill()


def test_serve_names_a_port_that_is_taken(app: typer.Typer, built: Built) -> None:
    from argusic.site.serve import server

    with server(built.folder, 0) as taken, pytest.raises(InputError, match="cannot be served"):
        words = ["site", "serve", "--port", str(taken.server_address[1]), "--dir", str(built.folder)]
        CliRunner().invoke(app, words, catch_exceptions=False)
