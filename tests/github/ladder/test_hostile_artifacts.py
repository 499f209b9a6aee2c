"""Artifacts that a machine spoiled: each is refused by its own sentence, and nothing of it is taken."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from argusic.database.codec import dump, read_record
from argusic.github.ladder.limits import Most
from argusic.records.manifest import Manifest
from argusic.records.run import LimitHit, Phase, Run
from argusic.records.usage import ModelUse
from argusic.runs.jobs.files import LIST_NAME
from tests.github.ladder.handing import NOW, Elsewhere, HandedFolder
from tests.github.ladder.test_collecting import gathered

pytestmark = pytest.mark.sandbox

#: Spoils a hand-over in place.
Spoil = Callable[[HandedFolder], object]
MOST = Most.of(1)


def entry(name: str, data: bytes = b"x", mode: int = stat.S_IFREG | 0o644, **fields: Any) -> Spoil:
    """Return what makes it a ZIP with one more entry of any name."""

    def spoil(handed: HandedFolder) -> None:
        path = handed.zipped()
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        for field, value in fields.items():
            setattr(info, field, value)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(info, data)

    return spoil


def said(**fields: Any) -> Spoil:
    """Return what changes its list."""
    return lambda handed: handed.relist(lambda plain: plain.update(fields))


def with_run(**fields: Any) -> Spoil:
    """Return what changes the run's record, with everything around it to match."""
    return lambda handed: handed.set_run(**fields)


def with_manifest(change: Callable[[Manifest], dict[str, Any]]) -> Spoil:
    """Return what changes the manifest, with the list to match."""
    return lambda handed: handed.remanifest(change)


def later(handed: HandedFolder) -> None:
    run = read_record(handed.run_path, Run)
    handed.set_run(finished=NOW + timedelta(days=2), phases=run.phases)


def long_ago(handed: HandedFolder) -> None:
    """Make it a run of a time before its cycle."""
    run = read_record(handed.run_path, Run)
    started = run.started.replace(year=2024, month=2, day=1)
    renamed(handed, f"{started:%Y%m%dT%H%M%SZ}-aaaaaa", started=started)


def renamed(handed: HandedFolder, name: str, **fields: Any) -> None:
    """Give its run another id."""
    new = handed.run_folder.parent / name
    (handed.folder / handed.run_folder).rename(handed.folder / new)
    handed.run_folder = new
    run = read_record(handed.run_path, Run)
    handed.run_path.write_bytes(dump(run.model_copy(update={"run": name, **fields})))
    handed.remanifest(lambda manifest: {"run": name})


def bomb(handed: HandedFolder) -> None:
    """Pack a gigabyte of zeroes as small as it gets."""
    path = handed.zipped()
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for name in ("runs/small/zeroes", "runs/small/more"):
            archive.writestr(name, bytes(1 << 20))
    data = bytearray(path.read_bytes())
    at = len(data)
    for _ in range(2):
        at = data.rfind(b"PK\x01\x02", 0, at)
        struct.pack_into("<I", data, at + 24, 0xFFFF_0000)  # What the directory says of its size.
    path.write_bytes(data)


def lying_bomb(handed: HandedFolder) -> None:
    """Say of a file that it is as large as listed, and hold far more."""
    stored = handed.stored("log")
    real = stored.read_bytes()
    stored.write_bytes(bytes(32 << 20))
    path = handed.zipped()
    data = bytearray(path.read_bytes())
    name = f"store/{stored.name[:2]}/{stored.name}".encode()
    at = data.rfind(b"PK\x01\x02", 0, data.rfind(name))
    struct.pack_into("<I", data, at + 24, len(real))
    path.write_bytes(data)


def overlapping(handed: HandedFolder) -> None:
    """Let each entry of the directory say that it takes the whole file."""
    path = handed.zipped()
    data = bytearray(path.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        struct.pack_into("<I", data, at + 20, len(data))
        at += 46
    path.write_bytes(data)


def many(handed: HandedFolder) -> None:
    path = handed.zipped()
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(8 * MOST.files):
            archive.writestr(f"runs/small/{number}", b"")


def larger_format(handed: HandedFolder) -> None:
    path = handed.zipped()
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x05\x06")
    data[at:at] = b"PK\x06\x07" + bytes(16)
    path.write_bytes(data)


def twice(handed: HandedFolder) -> None:
    path = handed.zipped()
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(LIST_NAME, b"{}")


def encrypted(handed: HandedFolder) -> None:
    path = handed.zipped()
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, data.rfind(b"PK\x01\x02") + 8, 1)
    path.write_bytes(data)


def cut_off(handed: HandedFolder) -> None:
    path = handed.zipped()
    path.write_bytes(path.read_bytes()[:-30])


def not_a_zip(handed: HandedFolder) -> None:
    handed.zipped().write_bytes(b"Not Found")


def linked(handed: HandedFolder) -> None:
    (handed.folder / "runs/small/link").symlink_to("/etc/passwd")


def piped(handed: HandedFolder) -> None:
    os.mkfifo(handed.folder / "runs/small/pipe")


def unlisted(handed: HandedFolder) -> None:
    (handed.folder / "runs/small/close.yaml").write_text("schema: 1\n")


def other_bytes(handed: HandedFolder) -> None:
    stored = handed.stored("commands")
    data = stored.read_bytes()
    stored.write_bytes(data[:-1] + b" ")


def other_bytes_listed(handed: HandedFolder) -> None:
    """Change the recording, with a list that agrees and a manifest that does not."""
    path = handed.run_path.with_name("recording.cast")
    path.write_bytes(path.read_bytes().replace(b'"o"', b'"m"', 1))
    handed.list()


def without_log(handed: HandedFolder) -> None:
    handed.stored("log").unlink()
    handed.list()


def nested(handed: HandedFolder) -> None:
    """Bring an archive, and a manifest that names it as a recording's companion."""
    inner = handed.run_path.with_name("inner.zip")
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("payload", b"x")
    data = inner.read_bytes()
    made = handed.evidence("recording").model_copy(
        update={"name": "inner.zip", "role": "environment", "media_type": "application/json",
                "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    )  # fmt: skip
    handed.run_path.with_name("recording.cast").unlink()
    handed.remanifest(
        lambda manifest: {"files": (*(file for file in manifest.files if file.role != "recording"), made)}
    )


def other_conditions(handed: HandedFolder) -> None:
    """State a sandbox with an image of one's own, and conditions that say so."""
    (path,) = (handed.folder / "runs/small/conditions").iterdir()
    text = path.read_text().replace("sandbox: bubblewrap", f"sandbox: docker\nimage: sha256:{'1' * 64}")
    data = text.encode()
    path.unlink()
    digest = hashlib.sha256(data).hexdigest()
    path.with_name(f"{digest}.yaml").write_bytes(data)
    handed.set_run(conditions_sha256=digest)


def no_conditions(handed: HandedFolder) -> None:
    shutil.rmtree(handed.folder / "runs/small/conditions")
    handed.set_run(conditions_sha256=None)


def deep(handed: HandedFolder) -> None:
    """Nest a record past all depth."""
    handed.run_path.write_text("a: " + "[" * 5000 + "]" * 5000 + "\n")
    handed.remanifest(lambda manifest: {})


def with_text(pattern: str, text: str) -> Spoil:
    """Return what puts into the run's record what no record of ours can say, with everything around it to match."""

    def spoil(handed: HandedFolder) -> None:
        changed, count = re.subn(pattern, text, handed.run_path.read_text(), count=1)
        assert count == 1
        handed.run_path.write_text(changed)
        handed.remanifest(lambda manifest: {})

    return spoil


def phases(*seconds: str) -> Spoil:
    """Return what gives it phases that took so long."""
    entries = "".join(f"- {{name: agent, started: 2026-11-30T14:00:00Z, seconds: {one}}}\n" for one in seconds)
    return with_text(r"(?s)phases:.*?\n(?=\w)", f"phases:\n{entries}")


def repinned(handed: HandedFolder) -> None:
    run = read_record(handed.run_path, Run)
    handed.set_run(pin=run.pin.model_copy(update={"commit": "1" * 40}))


def better(handed: HandedFolder) -> None:
    """Say more in the record than the agent's own report says."""
    run = read_record(handed.run_path, Run)
    assert run.report.content is not None
    content = run.report.content.model_copy(update={"test_depth": "tier3_none"})
    handed.set_run(report=run.report.model_copy(update={"content": content}))


def without_its_report(handed: HandedFolder) -> None:
    handed.stored("report").unlink()
    handed.remanifest(lambda manifest: {"files": tuple(file for file in manifest.files if file.role != "report")})


USE = ModelUse(key="openrouter", calls=3, input_tokens=10)

HOSTILE: dict[str, tuple[Spoil, str]] = {
    "no_zip": (not_a_zip, "it is no ZIP file."),
    "cut_off": (cut_off, "it is no ZIP file."),
    "bomb": (bomb, "; its job can hand over 4,294,967,296 at most."),
    "bomb_that_lies": (lying_bomb, " in it is damaged."),
    "overlapping": (overlapping, "it is a bomb: its files lie over one another."),
    "many_files": (many, f"it holds more than the {MOST.files} files that its job can hand over."),
    "larger_format": (larger_format, f"it holds more than the {MOST.files} files that its job can hand over."),
    "twice": (twice, "it holds hand-over.json twice."),
    "encrypted": (encrypted, " encrypted."),
    "link_in_a_zip": (entry("runs/small/link", b"/etc/passwd", stat.S_IFLNK | 0o777), "which is a link."),
    "device_in_a_zip": (entry("runs/small/null", b"", stat.S_IFCHR | 0o666), "which is a special file."),
    "link_in_a_folder": (linked, "it holds 'runs/small/link', which is a link."),
    "pipe_in_a_folder": (piped, "it holds 'runs/small/pipe', which is a special file."),
    "upwards": (entry("runs/../../owned"), "it holds 'runs/../../owned', a path that leads out of it."),
    "absolute": (entry("/tmp/owned"), "it holds '/tmp/owned', a path that leads out of it."),
    "backslashes": (entry("runs\\..\\owned"), "a path that leads out of it."),
    "drive": (entry("C:/owned"), "it holds 'C:/owned', a path that leads out of it."),
    "control_characters": (entry("runs/small/\x1b[2J"), "a name that no file of a hand-over has."),
    "bidi": (entry("runs/small/\u202egpj.exe"), "a name that no file of a hand-over has."),
    "hidden_git": (entry("runs/./small/x"), "a name that no file of a hand-over has."),
    "case": (entry(LIST_NAME.upper()), "which differ in upper and lower case alone."),
    "file_as_folder": (entry(f"{LIST_NAME}/x"), f"it holds {LIST_NAME}/x below what is a file in it."),
    "empty_folder": (entry("runs/other/", b"", stat.S_IFDIR | 0o755), "the folder runs/other/ with nothing in it."),
    "odd_packing": (entry("runs/small/x", compress_type=zipfile.ZIP_BZIP2), "in a way that GitHub does not pack."),
    "no_list": (lambda handed: (handed.folder / LIST_NAME).unlink(), f"it has no {LIST_NAME}."),
    "list_is_no_json": (lambda handed: (handed.folder / LIST_NAME).write_text("{"), f"its {LIST_NAME} is not what"),
    "list_with_more": (said(note="<script>"), "note: Extra inputs are not permitted."),
    "unlisted": (unlisted, f"it holds runs/small/close.yaml, which its {LIST_NAME} does not name."),
    "listed_and_absent": (lambda handed: handed.stored("log").unlink(), ", which is not in it."),
    "other_bytes": (other_bytes, " and the digest "),
    "other_cycle": (said(cycle="other"), "it says cycle other, and small was planned for its job."),
    "other_job": (said(job="002"), "it says job 002, and 001 was planned for its job."),
    "other_agent": (said(agent="nop"), "it says agent nop, and oracle was planned for its job."),
    "other_subject": (said(subject="repository/other"), "it says subject repository/other, and"),
    "too_many_runs": (
        said(runs=[f"20261130T000000Z-aaaaa{letter}" for letter in "abcdefgh"]),
        "it says 8 runs; its job, which owes 1, makes 6 at most.",
    ),
    "run_without_files": (said(runs=["20261130T000000Z-aaaaaa"]), "of a run that its hand-over.json does not state"),
    "a_close": (lambda handed: handed.add("runs/small/close.yaml"), "runs/small/close.yaml, which no attempt hands"),
    "an_invalidation": (
        lambda handed: handed.add(f"runs/small/invalidations/{handed.run_folder.name}.yaml"),
        "which no attempt hands over.",
    ),
    "a_signature": (
        lambda handed: handed.add("runs/small/signatures/20261130T000000Z-aaaaaa.sigstore.json"),
        "which no attempt hands over.",
    ),
    "recipients": (lambda handed: handed.add("runs/small/recipients.yaml"), "which no attempt hands over."),
    "a_pack": (lambda handed: handed.add(f"runs/small/packs/{'0' * 64}.zip"), "which no attempt hands over."),
    "another_cycles_conditions": (
        lambda handed: handed.add(f"runs/other/conditions/{hashlib.sha256(b'more' + bytes([10])).hexdigest()}.yaml"),
        "which is of the cycle other.",
    ),
    "another_agents_run": (
        lambda handed: handed.add(f"runs/small/repository/g/greeter/nop/{handed.run_folder.name}/run.yaml"),
        "which is of another subject or agent than its job's.",
    ),
    "another_place": (
        lambda handed: handed.add(f"runs/small/repository/x/greeter/oracle/{handed.run_folder.name}/run.yaml"),
        "or in a place that is not its own.",
    ),
    "store_of_nobody": (
        lambda handed: handed.add(
            f"store/{hashlib.sha256(b'more' + bytes([10])).hexdigest()[:2]}/"
            f"{hashlib.sha256(b'more' + bytes([10])).hexdigest()}"
        ),
        "which no manifest in it names.",
    ),
    "conditions_of_nobody": (
        lambda handed: handed.add(f"runs/small/conditions/{hashlib.sha256(b'more' + bytes([10])).hexdigest()}.yaml"),
        "which no run in it names.",
    ),
    "file_of_no_manifest": (
        lambda handed: handed.add(f"{handed.run_folder}/notes.txt"),
        "notes.txt: the manifest does not list it.",
    ),
    "recording_of_another": (other_bytes_listed, "it is not the file that the manifest names"),
    "log_is_missing": (without_log, "it is missing in the evidence store."),
    "archive_as_evidence": (nested, "has a file inner.zip (environment, kept in the run), which no attempt leaves so."),
    "end_of_time": (with_text(r"finished: \S+", "finished: 9999-12-31T23:59:59Z"), "of the years 1970 to 2999."),
    "endless_phases": (phases("1.0e+308", "1.0e+308"), "seconds: Input should be less than or equal to 1000000000."),
    "long_name": (entry(f"runs/small/{'a' * 256}"), "a name that no file of a hand-over has."),
    "record_past_all_depth": (deep, "run.yaml"),
    "purpose": (with_run(purpose="verdict"), "says purpose verdict, and control was planned for its job."),
    "tier": (with_run(tier="heavy"), "says tier heavy, and standard was planned for its job."),
    "edition": (with_run(edition="v1.4"), "it says v1.4, the manifest says v1.5"),
    "future": (later, "ends in the future."),
    "before_its_cycle": (long_ago, "began outside of the window of its cycle."),
    "phase_outside": (
        with_run(phases=(Phase(name="agent", started=NOW + timedelta(days=1), seconds=1.0),)),
        "has the phase agent outside of its own time.",
    ),
    "longer_than_its_budget": (
        lambda handed: handed.set_run(
            phases=(Phase(name="agent", started=read_record(handed.run_path, Run).started, seconds=9e8),)
        ),
        "gave its agent 900,000,000 seconds of 5,400.",
    ),
    "a_model_without_one": (with_run(model_use=USE), "states the use of a model, and oracle has none."),
    "a_key_without_a_model": (
        with_manifest(lambda manifest: {"key": "shared"}),
        "states the use of a model, and oracle has none.",
    ),
    "another_report": (better, "has a report that, read again, does not say what its record has of it."),
    "no_report": (without_its_report, "states a report that is not among its files."),
    "more_commands": (with_run(commands=99), "it says 99, the manifest says"),
    "conditions": (other_conditions, "was made under other conditions than those that its cycle has"),
    "no_conditions": (no_conditions, "names no conditions."),
    "another_sandbox": (
        with_manifest(
            lambda manifest: {"sandbox": manifest.sandbox and manifest.sandbox.model_copy(update={"kind": "docker"})}
        ),
        "was made in docker, and its conditions say bubblewrap.",
    ),
    "an_image_of_its_own": (
        with_manifest(
            lambda manifest: {"sandbox": manifest.sandbox and manifest.sandbox.model_copy(update={"image": "mine"})}
        ),
        "was made in the image mine, and its conditions say None.",
    ),
    "more_memory": (
        with_manifest(
            lambda manifest: {
                "sandbox": manifest.sandbox and manifest.sandbox.model_copy(update={"memory_mb": 1 << 20})
            }
        ),
        "was given other limits than its conditions state.",
    ),
    "no_sandbox": (with_manifest(lambda manifest: {"sandbox": None}), "counts, and states no sandbox that it was made"),
    "another_agents_text": (
        with_manifest(lambda manifest: {"agent": manifest.agent.model_copy(update={"sha256": "1" * 64})}),
        "was made by another text of oracle than the one that is here.",
    ),
    "another_editions_text": (
        with_manifest(lambda manifest: {"edition": manifest.edition.model_copy(update={"sha256": "1" * 64})}),
        "rules/editions/v1.5.yaml now has the digest",
    ),
    "limits_that_never_held": (
        with_run(limits_hit=(LimitHit(limit="memory", count=1),), commands=0),
        "it says 0, the manifest says",
    ),
}


#: What the check of the whole database finds.
TOGETHER: dict[str, tuple[Spoil, str]] = {
    "budget": (with_run(budget_seconds=999_999), "v1.5 gives the standard tier 5400."),
    "pin": (repinned, "is not what pool/cycles/small.yaml pins for repository/greeter."),
}


def test_each_spoilt_artifact_is_refused_by_its_own_sentence_and_nothing_of_it_is_taken(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    given = tmp_path / "given"
    other = elsewhere.hand_over(given, 2)
    names = {}
    for number, (name, (spoil, _)) in enumerate(HOSTILE.items(), 1):
        names[f"attempt-001-{number}"] = name
        spoil(elsewhere.hand_over(given, 1, f"attempt-001-{number}"))
    here = elsewhere.here(tmp_path)
    made = gathered(here, given)
    refused = {names[one.name]: one.why for one in made.collected.refused}
    assert refused.keys() == HOSTILE.keys()
    assert {name: why for name, why in refused.items() if HOSTILE[name][1] not in why} == {}
    assert made.collected.runs == (other.run_folder.name,)
    assert not any("/oracle/" in file.path for file in made.collected.files)
    assert list((made.overlay.root / "runs/small/repository/g/greeter").iterdir()) == [
        made.overlay.root / "runs/small/repository/g/greeter/nop"
    ]
    assert [path.name for path in (here.root / "runs/small").iterdir()] == ["recipients.yaml"]
    assert not Path("/tmp/owned").exists()


@pytest.mark.parametrize("name", TOGETHER)
def test_what_only_the_whole_database_shows_is_refused_too(name: str, elsewhere: Elsewhere, tmp_path: Path) -> None:
    given = tmp_path / "given"
    other = elsewhere.hand_over(given, 2)
    TOGETHER[name][0](elsewhere.hand_over(given, 1))
    made = gathered(elsewhere.here(tmp_path), given)
    (refused,) = made.collected.refused
    assert (refused.name, TOGETHER[name][1] in refused.why) == ("attempt-001-1", True), refused.why
    assert made.collected.runs == (other.run_folder.name,)


def test_a_run_that_was_held_back_until_a_later_one_was_published_is_refused(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    here = elsewhere.here(tmp_path)
    handed = elsewhere.hand_over(tmp_path / "given", 2)
    shutil.copytree(handed.folder / "runs", here.root / "runs", dirs_exist_ok=True)
    run = read_record(handed.run_path, Run)
    hour = timedelta(hours=1)
    phases = tuple(phase.model_copy(update={"started": phase.started - hour}) for phase in run.phases)
    times = {"started": run.started - hour, "finished": run.finished - hour, "phases": phases}
    renamed(handed, f"{run.started - hour:%Y%m%dT%H%M%SZ}-aaaaaa", **times)
    (refused,) = gathered(here, tmp_path / "given").collected.refused
    assert "had ended when" in refused.why and "it was held back or is back-dated." in refused.why


def test_there_are_more_than_twenty_of_them() -> None:
    assert len(HOSTILE) + len(TOGETHER) > 70
