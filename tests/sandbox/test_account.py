from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from argusic.sandbox.bubblewrap.account import SPARE_ID, Account


def test_root_lends_its_sandboxes_an_id_that_nothing_uses(tmp_path: Path) -> None:
    account = Account.choose()
    if os.geteuid() == 0:
        assert (account.uid, account.gid, account.switched) == (SPARE_ID, SPARE_ID, True)
        assert account.popen_options()["extra_groups"] == []
    else:
        assert account == Account(os.geteuid(), os.getegid(), switched=False)
        assert account.popen_options() == {}


def test_root_of_a_namespace_without_that_id_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "uid_map").write_text("         0       1000          1\n")
    assert not Account.choose(uid_map=tmp_path / "uid_map").switched


@pytest.mark.parametrize(("mode", "reached"), [(0o755, True), (0o711, True), (0o700, False), (0o750, False)])
def test_a_folder_is_reached_when_every_step_to_it_may_be_passed(mode: int, reached: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="argusic-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed" / "inner").mkdir(parents=True)
        (folder / "closed").chmod(mode)
        assert Account(SPARE_ID, SPARE_ID, switched=True).reaches(folder / "closed" / "inner") == reached
