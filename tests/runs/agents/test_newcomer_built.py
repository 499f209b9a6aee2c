"""Projects that are compiled where they lie, with real compilers: what a build tool repeats is no output of theirs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from argusic.records.report import VerifiedHow
from argusic.runs.session import Mission
from tests.runs.agents.test_newcomer_staying import live

#: Where the session of these tests looks for programs.
USUAL = "/usr/local/bin:/usr/bin:/bin"

CARGO = {
    "Cargo.toml": '[package]\nname = "tern"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": """\
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("the tern says {}", words.join(" ").to_uppercase());
}
""",
    "README.md": '# tern\n\n```console\n$ cargo run -- "tu whit"\nthe tern says TU WHIT\n```\n',
}
GO = {
    "go.mod": "module example.org/tern\n\ngo 1.19\n",
    "main.go": """\
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() { fmt.Println("the tern says", strings.Join(os.Args[1:], " ")) }
""",
    "README.md": '# tern\n\n```sh\ngo build .\n./tern "tu whit tu whoo"\n```\n',
}
MAKE = {
    "Makefile": "tern: tern.c\n\t$(CC) -o tern tern.c\n",
    "tern.c": "#include <stdio.h>\nint main(int n, char **v) { for (int i = 1; i < n; i++) puts(v[i]); return 0; }\n",
    "README": 'tern\n====\n\nRun make, then:\n\n    $ ./tern "tu whit tu whoo"\n',
}


@pytest.mark.parametrize(
    ("tools", "files", "result"),
    [
        pytest.param(("cargo",), CARGO, "the tern says TU WHIT", id="cargo"),
        pytest.param(("go",), GO, "the tern says tu whit tu whoo", id="go"),
        pytest.param(("make", "cc"), MAKE, "tu whit tu whoo", id="make"),
    ],
)
def test_a_project_is_built_and_its_own_output_decoded(
    tools: tuple[str, ...], files: dict[str, str], result: str, session: Any, mission: Mission
) -> None:
    lacks = [tool for tool in tools if shutil.which(tool, path=USUAL) is None]
    if lacks:
        pytest.skip(f"{' and '.join(lacks)} is not here")
    for name, text in files.items():
        path = Path(session.home) / "subject" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth, report.errors) == (True, True, "tier1_real", ())
    assert isinstance(report.verified_how, VerifiedHow) and report.verified_how.result.splitlines()[0] == result
