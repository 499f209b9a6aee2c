"""Sites built once for several tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from argusic.database.database import Database
from argusic.records.run import Ending
from argusic.site.build import Built, build
from argusic.site.serve import LOOPBACK, server
from tests.site.fixture_database import FAIL, PASS, Command, FixtureDatabase


def silent(stage: str, done: int, of: int) -> None:
    """Take progress and say nothing."""


def filled(root: Path) -> Database:
    """Make a database with every verdict, every outcome, a board, a control, and evidence lost and damaged."""
    made = FixtureDatabase(root)
    made.agent("pilot", "Pilot")
    made.board_agents = ["newcomer", "pilot"]
    runs, mocks, fails = made.subject("runs", "Runs"), made.subject("mocks"), made.subject("fails")
    waits, damaged, control = made.subject("waits"), made.subject("damaged"), made.subject("control-only")
    made.run(runs, PASS)
    for agent in ("newcomer", "pilot"):
        for report in (PASS, PASS, {**PASS, "test_depth": "tier2_mock"}):
            made.run(runs, report, agent=agent, purpose="board")
    made.run(made.subject("zope.interface", "zope.interface"), PASS)
    made.run(mocks, {**PASS, "test_depth": "tier2_mock"})
    made.run(fails, FAIL)
    made.run(fails, FAIL, ending=Ending(how="time_limit"))
    ending = Ending(how="harness_error", detail="The recorder ended early.")
    made.run(waits, FAIL, ending=ending, keep=False, commands=(Command("pip install lost"),))
    made.run(waits, FAIL, ending=Ending(how="withheld"))
    made.run(damaged, PASS, cast=b"this is no recording\n")
    made.run(damaged, PASS, log=b"".join(b"line %d \x1b[31mred\x1b[0m\n" % number for number in range(6000)))
    made.run(control, None, agent="nop", purpose="control", commands=())
    made.run(runs, None, agent="nop", purpose="control", commands=())
    return made.finish()


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return the database that `site` shows."""
    return filled(tmp_path_factory.mktemp("filled") / "referee")


@pytest.fixture(scope="session")
def built(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return the built site of `database`."""
    return build(database, tmp_path_factory.mktemp("built") / "site", silent)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a built site on a free port; yield its address."""
    with server(folder, 0) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{httpd.server_address[1]}"
        finally:
            httpd.shutdown()
            thread.join()


@pytest.fixture
def served() -> Callable[[Path], AbstractContextManager[str]]:
    """Return what serves a built site."""
    return serving


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    """Start the headless browser, with a fresh profile.

    It has an event loop run until it ends, and a test elsewhere may need to run one of its own: so it ends with its
    module.
    """
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(chromium), args=flags)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Callable[..., AbstractContextManager[Page]]:
    """Return what opens an empty page that shares nothing with others."""

    @contextmanager
    def opened(**options: Any) -> Iterator[Page]:
        with browser.new_context(**options) as context:
            page = context.new_page()
            page.set_default_timeout(20_000)
            yield page

    return opened
