from __future__ import annotations

import pytest

from argusic.database.database import Database
from argusic.pool.licences import read_licence
from tests.made_database import TOP


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("MIT", "MIT"),
        ("mit", "MIT"),
        ("MIT License", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("apache-2.0", "Apache-2.0"),
        ("0BSD", "0BSD"),
        ("Unlicense", "Unlicense"),
        ("MIT OR GPL-3.0-only", "MIT OR GPL-3.0-only"),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", "(MIT OR GPL-3.0-only) AND BSD-3-Clause"),
        ("Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception"),
    ],
)
def test_a_permissive_licence_is_read_however_it_is_spelt(said: str, expression: str) -> None:
    assert read_licence(said) == (expression, True)


@pytest.mark.parametrize(
    "said",
    [
        "GPL-3.0-only",
        "LGPL-2.1-or-later",
        "AGPL-3.0-only",
        "MPL-2.0",
        "MIT AND GPL-3.0-only",
        "(GPL-2.0-only OR MIT) AND MPL-2.0",
        "GPL-2.0-only WITH Classpath-exception-2.0",
        "GPL-3.0+",
        "BUSL-1.1",
    ],
)
def test_a_licence_that_asks_for_more_than_a_notice_is_not_permissive(said: str) -> None:
    read = read_licence(said)
    assert read is not None and not read.permissive


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "BSD",
        "other",
        "SEE LICENSE IN README.md",
        "UNLICENSED",
        "MIT OR",
        "OR MIT",
        "MIT AND Unheard-Of-1.0",
        "LicenseRef-mine",
        "\0",
        "(" * 400,
        "MIT OR " * 100 + "MIT",
    ],
)
def test_what_is_no_expression_of_known_licences_is_none(said: str) -> None:
    assert read_licence(said) is None


def test_every_subject_of_this_pool_has_a_permissive_licence_or_was_let_in_by_name() -> None:
    for subject in Database(TOP).subjects():
        read = read_licence(subject.licence or "")
        assert (read is not None and read.permissive) or subject.licence_by, subject.ref
