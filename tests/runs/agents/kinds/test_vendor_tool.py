"""The newcomer with vendors' builds: unpacked, put in place or installed by a script, and seen to do their job."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from argusic.records.report import Report, VerifiedHow
from argusic.runs.agents.newcomer.manuals import as_document
from argusic.runs.agents.registry import implementation
from argusic.runs.session import Mission
from tests.pool.kinds.vendor_tool.conftest import deb
from tests.runs.agents.conftest import ShellSession

WING = """\
#!/bin/sh
case "$1" in
  --help) printf 'usage: wing [options] FILE\\n\\nLists what JSON holds.\\n' ;;
  *) tr -d '{}' < "$1" ;;
esac
"""
READS = "# wing\n\nUse it so:\n\n```console\n$ wing birds.json\n```\n"
MANUAL = """\
.\\" A comment
.TH WING 1
.SH NAME
wing \\- lists what \\fIJSON\\fR holds
.SH EXAMPLES
.PP
See \\fBwing\\fR at work:
.EX
$ wing birds\\&.json
.EE
"""


def live(session: ShellSession, mission: Mission, kind: str = "vendor-tool") -> Report:
    """Let the newcomer live its day, and return its report."""
    implementation("newcomer").run(session, replace(mission, kind=kind))
    report = Report.model_validate(yaml.safe_load(Path(mission.report_path).read_text(encoding="utf-8")))
    if isinstance(report.verified_how, VerifiedHow):
        ran = [result for result in session.commands if result.command == report.verified_how.command]
        assert ran and ran[-1].ok
    return report


def archive(folder: Path, name: str, files: Mapping[str, str]) -> None:
    with tarfile.open(folder / name, "w:gz" if name.endswith("gz") else "w:xz") as made:
        for path, text in files.items():
            info = tarfile.TarInfo(f"wing-2.1/{path}")
            info.size, info.mode = len(text.encode()), 0o755 if "bin/" in path else 0o644
            made.addfile(info, io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    "documented", [{"usr/share/doc/wing/README.md": READS}, {"usr/share/man/man1/wing.1": MANUAL}, {}]
)
def test_a_package_of_debian_is_unpacked_and_used_where_it_lies(
    session: ShellSession, mission: Mission, tmp_path: Path, documented: dict[str, str]
) -> None:
    content = deb(tmp_path / "made", "wing", "2.1-1", {"usr/bin/wing": WING, **documented})
    (session.home / "subject" / "wing_2.1-1_amd64.deb").write_bytes(content)
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    assert "wing 2.1-1 was unpacked into the home folder with dpkg-deb" in report.final_state
    assert "system's own folders take no package" in report.final_state
    told = any("wing birds.json" in result.command for result in session.commands)
    assert told == bool(documented)


def test_a_package_of_debian_that_cannot_be_unpacked_is_not_installed(session: ShellSession, mission: Mission) -> None:
    (session.home / "subject" / "wing_2.1-1_amd64.deb").write_bytes(b"!<arch>\nnone")
    report = live(session, mission)
    assert (report.installed, report.launched) == (False, False)
    assert report.encountered == 1 and report.says_not_verified


@pytest.mark.parametrize("name", ["wing-2.1-linux-x64.tar.gz", "wing-2.1.tar.xz"])
def test_an_archive_of_a_build_is_unpacked_and_its_readme_followed(
    session: ShellSession, mission: Mission, name: str
) -> None:
    archive(session.home / "subject", name, {"bin/wing": WING, "README.md": READS, "lib/wing.so": "x"})
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    assert f"{name} was unpacked into the home folder, with 1 programs in it" in report.final_state
    assert any("wing birds.json" in result.command for result in session.commands)


def test_a_program_that_is_one_file_is_put_in_place(session: ShellSession, mission: Mission) -> None:
    (session.home / "subject" / "wing-v2.1-linux-amd64").write_text(WING)
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    assert any("`wing --help`" in text for text in [report.final_state])


def test_a_vendors_own_installer_is_let_do_its_work(session: ShellSession, mission: Mission) -> None:
    script = f"mkdir -p ~/.wing/bin && cat > ~/.wing/bin/wing <<'END'\n{WING}END\nchmod +x ~/.wing/bin/wing\n"
    (session.home / "subject" / "install.sh").write_text(script)
    report = live(session, mission)
    assert (report.installed, report.launched, report.test_depth) == (True, True, "tier1_real"), report
    assert "install.sh ran to its end" in report.final_state


def test_an_installer_that_fails_is_the_tools_failure(session: ShellSession, mission: Mission) -> None:
    (session.home / "subject" / "install.sh").write_text("echo 'error: you have no account' >&2; exit 7\n")
    report = live(session, mission)
    assert not report.installed and report.errors and "you have no account" in report.errors[0].what


def test_a_tool_that_never_answers_is_a_failure_and_the_report_is_there(
    session: ShellSession, mission: Mission
) -> None:
    (session.home / "subject" / "wing").write_text("#!/bin/sh\nexec sleep 600\n")
    short = ShellSession(session.home, budget=22)
    report = live(short, mission)
    assert (report.installed, report.launched) == (True, False)
    assert report.says_not_verified and "ran out" in report.final_state


def test_nothing_handed_in_is_no_installation(session: ShellSession, mission: Mission) -> None:
    assert not live(session, mission).installed


LINTER = """\
#!/bin/sh
[ "$1" = check ] || exit 2
echo "$2:1:5: E1 odd spaces"
head -n 1 "$2"
exit 1
"""


@pytest.mark.parametrize(("summary", "verified"), [("A linter of birds", True), ("Sings like a bird", False)])
def test_a_linter_that_finds_faults_has_done_its_job(
    session: ShellSession, mission: Mission, tmp_path: Path, summary: str, verified: bool
) -> None:
    files = {
        "usr/bin/birdlint": LINTER,
        "usr/share/doc/birdlint/README": "```console\n$ birdlint check sample.py\n```\n",
    }
    content = deb(tmp_path / "made", "birdlint", "1.0", files, summary)
    (session.home / "subject" / "birdlint_1.0_amd64.deb").write_bytes(content)
    report = live(session, mission)
    assert (report.test_depth == "tier1_real") is verified, report
    assert (report.encountered == 0) is verified, report


FORMATTER = """\
#!/bin/sh
[ "$1" = format ] && sed -i 's/( /(/' "$2"sample.py
true
"""


def test_what_a_tool_does_otherwise_is_tried_before_what_it_does_again(
    session: ShellSession, mission: Mission, tmp_path: Path
) -> None:
    told = "".join(
        f"```console\n$ birdlint {words} birds/\n```\n"
        for words in ("check", "check -a", "check -b", "check -c", "format")
    )
    content = deb(
        tmp_path / "made",
        "birdlint",
        "1.0",
        {"usr/bin/birdlint": FORMATTER, "usr/share/doc/birdlint/README": told},
        "A linter of birds",
    )
    (session.home / "subject" / "birdlint_1.0_amd64.deb").write_bytes(content)
    report = live(session, mission)
    assert report.test_depth == "tier1_real", report
    assert "`birdlint format birds/` changed birds/sample.py" in report.final_state


def test_a_folder_that_the_task_names_is_worked_on(session: ShellSession, mission: Mission) -> None:
    top = session.home / "subject"
    (top / "README.md").write_text("# many\n")
    inner = top / "a tool"
    inner.mkdir()
    made = "printf '#!/bin/sh\\necho the bird sings: \"$$@\"\\n' > bird && chmod +x bird"
    (inner / "Makefile").write_text(f"bird:\n\t{made}\n")
    (inner / "README.md").write_text("```console\n$ ./bird 'tu whit tu whoo'\n```\n")
    task = f"The subject is many.\nThe subject is what lies in this folder of it: {inner}\nIt runs when it runs.\n"
    report = live(session, replace(mission, task=task), "repository")
    assert (report.launched, report.test_depth) == (True, "tier1_real"), report
    assert "tu whit tu whoo" in report.final_state


def test_a_manual_page_reads_as_a_document() -> None:
    text = as_document(
        MANUAL + ".SH SEE ALSO\n.BR tern (1)\n.Bd -literal\n$ tern \\-x 'a b'\n.Ed\n.Dl wing \\-\\-all\n"
    )
    assert "# EXAMPLES" in text and "A comment" not in text
    assert "```\n$ wing birds.json\n```" in text
    assert "tern(1)" in text and "```\n$ tern -x 'a b'\n```" in text and "```\nwing --all\n```" in text


@pytest.mark.parametrize("page", ["", ".", ".EX", ".nf\n.nf\n.SH", "\\", ".B 'un\"closed", "plain\ntext"])
def test_what_is_no_manual_page_harms_nobody(page: str) -> None:
    assert as_document(page).count("```") % 2 == 0
