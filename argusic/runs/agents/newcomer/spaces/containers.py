"""Follows a Dockerfile by hand where there is no engine: its steps one by one, in a folder that stands for its image.

The base image is not there, so this machine stands for it, and a virtual environment for its Python. Paths of the image
become paths below one folder. Steps that only an image's own root can do (users, ownership, system packages) are left
out; which, the report says.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from argusic.pool.spaces.definition import Definition
from argusic.runs.agents.newcomer.bench import Bench, Step
from argusic.runs.agents.newcomer.failures import Recognised
from argusic.runs.agents.newcomer.spaces.building import FOLDER, Built
from argusic.runs.agents.newcomer.spaces.dockerfile import Instruction

#: The folder that stands for the image's top.
IMAGE = "~/image"
_QUIET = (
    "export PIP_QUIET=1 PIP_PROGRESS_BAR=off PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_DEFAULT_TIMEOUT=60 "
    "NPM_CONFIG_LOGLEVEL=error"
)
_ROOTS = re.compile(
    r"^\s*(sudo\s+)?(useradd|adduser|groupadd|addgroup|usermod|chown|apt-get|apt|apk|yum|dnf|locale-gen|ldconfig|update-\S+)\b"
)
_CLEANS = re.compile(r"^\s*rm\s+-rf\s+/(var|tmp|root)\b")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:[^\s\\]|\\.)*)")


@dataclass
class _Image:
    """What was made so far in the place of an image."""

    workdir: str = "/"
    before: list[str] = field(default_factory=lambda: ["source ~/venv/bin/activate", _QUIET])
    places: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    base: str = ""
    entry: Instruction | None = None
    command: Instruction | None = None

    def here(self, path: str) -> str:
        """Return where a path of the image lies on this machine."""
        absolute = path if path.startswith("/") else f"{self.workdir.rstrip('/')}/{path}"
        parts: list[str] = []
        for part in absolute.split("/"):
            if part == "..":
                parts = parts[:-1]
            elif part not in ("", "."):
                parts.append(part)
        return "/".join([IMAGE, *(shlex.quote(part) for part in parts)])

    def moved(self, line: str) -> str:
        """Return a command with the image's own folders written as they lie on this machine."""
        for place in sorted(self.places, key=len, reverse=True):
            line = re.sub(rf"(?<![\w./~-]){re.escape(place)}(?=[/\s\"';:&|)]|$)", f"{IMAGE}{place}", line)
        return line


def follow(bench: Bench, definition: Definition, steps: tuple[Instruction, ...]) -> Built | None:
    """Follow a Dockerfile; None where a step of it kept failing, or it cannot be followed without an engine."""
    stages = [step for step in steps if step.name == "FROM"]
    if not stages:
        bench.do(Step("finding what its Dockerfile builds on", "grep -i '^FROM ' Dockerfile", 10, FOLDER))
        return None
    last = max(place for place, step in enumerate(steps) if step.name == "FROM")
    elsewhere = next((one for one in steps[last:] if one.name in ("COPY", "ADD") and _takes_from_image(one)), None)
    if elsewhere is not None:
        failure = Recognised(
            "unknown", "it takes files out of another image, which needs an engine", elsewhere.rest[:120]
        )
        bench.journal.meet("following its Dockerfile", failure)
        return None
    image = _Image(base=stages[-1].rest.split()[0])
    if bench.do(Step("making a virtual environment", "python3 -m venv ~/venv", 300)) is None:
        return None
    bench.values["python"] = "~/venv/bin/python"
    bench.look(f"mkdir -p {IMAGE}")
    for step in (one for one in steps[last:] if one.name in _FOLLOWED):
        if not _FOLLOWED[step.name](bench, image, step):
            return None
    return _launched_by(bench, definition, image)


def _takes_from_image(step: Instruction) -> bool:
    return any(word.startswith("--from") for word in step.words)


def _env(bench: Bench, image: _Image, step: Instruction) -> bool:
    found = _ASSIGNED.findall(step.rest)
    if not found and " " in step.rest:
        name, _, value = step.rest.partition(" ")
        found = [(name, shlex.quote(value.strip()))] if re.fullmatch(r"[A-Za-z_]\w*", name) else []
    for name, value in found:
        if name != "HOME":
            image.before.append(f"export {name}={image.moved(value)}")
    return True


def _arg(bench: Bench, image: _Image, step: Instruction) -> bool:
    return _env(bench, image, step) if "=" in step.rest else True


def _workdir(bench: Bench, image: _Image, step: Instruction) -> bool:
    asked = " ".join(step.words)
    image.workdir = asked if asked.startswith("/") else f"{image.workdir.rstrip('/')}/{asked}"
    if image.workdir != "/":
        image.places.add(image.workdir.rstrip("/"))
    return bench.look(f"mkdir -p {image.here('.')}").ok


def _copy(bench: Bench, image: _Image, step: Instruction) -> bool:
    words = [word for word in step.words if not word.startswith("--")]
    if len(words) < 2:
        return True
    *sources, target = words
    if target.startswith("/") and target.strip("/"):
        image.places.add(target.rstrip("/"))
    place = image.here(target)
    many = len(sources) > 1 or target.endswith("/") or target in (".", "./")
    made = f"mkdir -p {place if many else place.rpartition('/')[0]}"
    copies = [_one_copy(source, place) for source in sources]
    line = " && ".join([made, *copies])
    return bench.do(Step(f"following its Dockerfile: COPY {step.rest[:80]}", line, 120, FOLDER)) is not None


def _one_copy(source: str, place: str) -> str:
    """Return the command that copies a file, or what a folder holds, as a Dockerfile means it."""
    inner = source.strip("/") or "."
    quoted = "/".join(part if re.fullmatch(r"[\w.*?-]+", part) else shlex.quote(part) for part in inner.split("/"))
    if ".." in inner.split("/"):
        return "false"
    return f"if [ -d {quoted} ]; then mkdir -p {place} && cp -r {quoted}/. {place}/; else cp {quoted} {place}; fi"


def _run(bench: Bench, image: _Image, step: Instruction) -> bool:
    listed = step.listed
    text = shlex.join(listed) if listed is not None else re.sub(r"^(--\S+\s+)+", "", step.rest)
    parts = [text] if "\n" in text else re.split(r"\s*&&\s*", text)
    for part in parts:
        if _ROOTS.match(part) or _CLEANS.match(part):
            image.left_out.append(part.split()[0])
            continue
        folder = image.here(".")
        before = " && ".join(image.before)
        name = " ".join(part.split())[:80]
        done = Step(f"following its Dockerfile: RUN {name}", image.moved(part), 1800, folder, before)
        if bench.do(done) is None:
            return False
    return True


def _entry(bench: Bench, image: _Image, step: Instruction) -> bool:
    image.entry = step
    return True


def _command(bench: Bench, image: _Image, step: Instruction) -> bool:
    image.command = step
    return True


_FOLLOWED = {
    "ENV": _env,
    "ARG": _arg,
    "WORKDIR": _workdir,
    "COPY": _copy,
    "ADD": _copy,
    "RUN": _run,
    "ENTRYPOINT": _entry,
    "CMD": _command,
}


def _launched_by(bench: Bench, definition: Definition, image: _Image) -> Built | None:
    said = [one for one in (image.entry, image.command) if one is not None]
    if not said:
        bench.do(Step("finding what its Dockerfile starts", "grep -iE '^(CMD|ENTRYPOINT) ' Dockerfile", 10, FOLDER))
        return None
    if all(one.listed is not None for one in said):
        line = " ".join(image.moved(shlex.quote(word)) for one in said for word in one.listed or ())
    else:
        line = f"bash -c {shlex.quote(image.moved((image.entry or said[0]).rest))}"
    left = sorted(set(image.left_out))
    aside = (
        f"No engine was at hand: the steps of its Dockerfile were followed one by one, without its base {image.base}"
    )
    aside += f", and steps of its root were left out ({', '.join(left)})." if left else "."
    resolved = bench.look("~/venv/bin/python -m pip list --format=freeze --disable-pip-version-check")
    count = len(re.findall(r"(?m)^\S+==", resolved.output))
    return Built(
        shows=f"The steps of its Dockerfile were followed; {count} packages are in its Python.",
        line=line,
        folder=image.here("."),
        before=" && ".join(image.before),
        port=definition.app_port,
        aside=aside,
    )
