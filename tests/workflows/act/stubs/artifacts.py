"""The two artifact actions, by the standard library: into and out of the folder that the stand-in for GitHub serves.

Run by the stubs, with what they were given in variables. `STUB_CONTROL` is a folder in which a test says what goes
wrong: `lost` names artifacts that a machine died before uploading, `dropped` those that are lost after they were
uploaded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any


def folder_of(run: str) -> Path:
    """Return where the artifacts of a workflow run lie."""
    return Path(os.environ["STUB_FOLDER"], "artifacts", run)


def upload() -> None:
    """Upload what the paths hold, as one ZIP file."""
    name, run = os.environ["STUB_NAME"], os.environ["GITHUB_RUN_ID"]
    if told(name, "lost"):
        sys.exit("The runner has received a shutdown signal.")
    files = list(found(os.environ["STUB_PATH"].split("\n"), hidden=os.environ["STUB_HIDDEN"] == "true"))
    if not files:
        print(f"No files were found with the provided path: {os.environ['STUB_PATH']}")
        sys.exit(os.environ["STUB_NONE"] == "error")
    folder = folder_of(run) / os.environ["GITHUB_RUN_ATTEMPT"]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.zip"
    if target.exists() and os.environ["STUB_OVERWRITE"] != "true":
        sys.exit(f"Failed to CreateArtifact: an artifact named {name} is there already")
    half = folder / f"{name}.half"
    with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, path in sorted(files):
            archive.write(path, inside)
    half.replace(target)
    (artifact,) = [one for one in listed(run, name) if one["name"] == name][-1:]
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as output:
        output.write(f"artifact-id={artifact['id']}\n")
    if told(name, "dropped"):
        target.rename(target.with_suffix(".dropped"))


def found(paths: list[str], *, hidden: bool) -> list[tuple[str, Path]]:
    """Return the files that the paths name, each with its place in the archive: below what all paths share."""
    named = [path for path in (Path(one.strip()) for one in paths if one.strip()) if path.exists()]
    if not named:
        return []
    tops = [path if path.is_dir() else path.parent for path in named]
    top = Path(os.path.commonpath([path.resolve() for path in tops]))
    every = [file for path in named for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
    placed = [(str(file.resolve().relative_to(top)), file) for file in every]
    return [one for one in placed if hidden or not any(part.startswith(".") for part in Path(one[0]).parts)]


def download() -> None:
    """Unpack the artifacts that are named by id, or the one of a name."""
    name, ids, run = os.environ["STUB_NAME"], os.environ["STUB_IDS"], os.environ["STUB_RUN"]
    wanted = {int(one) for one in ids.split(",") if one.strip()}
    if not wanted and not name:
        sys.exit("Inputs 'artifact-ids' and 'name' are empty, and all artifacts of a run are not taken here.")
    every = listed(run, name)
    chosen = [one for one in every if one["id"] in wanted] if wanted else every[-1:]
    if not chosen or (wanted and len(chosen) < len(wanted)):
        sys.exit(f"Unable to download artifact(s): {name or ids} not found in run {run}")
    target = Path(os.environ["STUB_PATH"])
    target.mkdir(parents=True, exist_ok=True)
    for one in chosen:
        packed = Path(os.environ["RUNNER_TEMP"], f"artifact-{one['id']}.zip")
        with urllib.request.urlopen(asked(one["archive_download_url"])) as answer, packed.open("wb") as file:
            shutil.copyfileobj(answer, file)
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(target)
        packed.unlink()


def listed(run: str, name: str) -> list[dict[str, Any]]:
    """Return the artifacts of a workflow run, the latest last."""
    query = f"?per_page=100&name={name}" if name else "?per_page=100"
    address = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/actions/runs/{run}/artifacts"
    with urllib.request.urlopen(asked(address + query)) as answer:
        artifacts: list[dict[str, Any]] = json.load(answer)["artifacts"]
    return sorted(artifacts, key=lambda one: int(one["id"]))


def asked(address: str) -> urllib.request.Request:
    """Return a request as the machine itself makes it: actions have a token of their own for artifacts."""
    request = urllib.request.Request(address)
    request.add_unredirected_header("Authorization", f"Bearer {os.environ['STUB_TOKEN']}")
    return request


def told(name: str, what: str) -> bool:
    """Return whether a test says that something goes wrong with an artifact."""
    file = Path(os.environ["STUB_CONTROL"], what)
    return file.exists() and name in file.read_text().split()


if __name__ == "__main__":
    {"upload": upload, "download": download}[sys.argv[1]]()
