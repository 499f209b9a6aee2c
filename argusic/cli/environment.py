"""`argusic environment`: build, renew, show and check the image that official attempts run in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from argusic.cli.context import database
from argusic.cli.output import console, emit, indented, printable
from argusic.cli.typed import command
from argusic.database.database import Database
from argusic.database.paths import ENVIRONMENT_PATH, PACKAGES_PATH, RECIPE_PATH
from argusic.errors import CheckFailed, EnvironmentLack, InputError, Place
from argusic.records.environment import IMAGE_NAMES, ImageName, Packages, Recipe
from argusic.sandbox.environment import build as building
from argusic.sandbox.environment import loading
from argusic.sandbox.environment.planning import planned
from argusic.sandbox.environment.programs import Say
from argusic.sandbox.environment.renewing import renewed

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Small = Annotated[
    bool, typer.Option("--small", help="The small image, for tests of the engine, not the published one.")
]
Mirror = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The Debian mirror; by default ARGUSIC_DEBIAN_MIRROR, else the one apt has here."),
]
Load = Annotated[
    bool | None,
    typer.Option("--load/--no-load", help="Load it into the Docker engine. By default: where one answers."),
]
Newest = Annotated[
    bool,
    typer.Option("--newest", help="Of the mirror's versions of today: an image to test with, not the published one."),
]
Record = Annotated[
    bool, typer.Option("--record", help="Build both images and write them down as the published environment.")
]


def register(app: typer.Typer) -> None:
    """Add the group `environment`."""
    group = typer.Typer(
        help="The published environment: the image that official attempts run in.", no_args_is_help=True
    )
    for name, function in (("build", build), ("check", check), ("renew", renew), ("show", show), ("unpack", unpack)):
        group.command(name)(function)
    app.add_typer(group, name="environment")


def build(
    small: Small = False,
    load: Load = None,
    newest: Newest = False,
    record: Record = False,
    mirror: Mirror = None,
    as_json: Json = False,
) -> None:
    """Build the image from the pinned packages, once for its content, and compare it with the record."""
    if record and (small or newest):
        raise InputError(
            "--record builds both images of the pinned packages; it goes with neither --small nor --newest."
        )
    base, say = database(), _telling(as_json)
    names: Sequence[ImageName] = IMAGE_NAMES if record else ("small",) if small else ("published",)
    made = []
    for name in names:
        plan = building.newest_plan(base, name, say, mirror) if newest else planned(base, name)
        made.append(building.build(base, plan, say, mirror))
    if record:
        building.record(base, [one.image for one in made])
    elif not newest:
        for one in made:
            building.hold_to_record(base, one.image)
    into_engine = loading.engine_answers() if load is None else load
    if into_engine:
        for one in made:
            say(f"loading {one.image.name} into the engine")
            loading.load(one)
    data = {
        "images": [
            one.image.model_dump(mode="json") | {"folder": str(one.folder), "reused": one.reused, "loaded": into_engine}
            for one in made
        ],
        "written": [str(ENVIRONMENT_PATH)] if record else [],
    }
    emit(as_json, data, lambda out: _show_built(out, data))


def renew(mirror: Mirror = None, as_json: Json = False) -> None:
    """Pin every package anew, at the versions that the mirror has today. The next build makes another image."""
    base, say = database(), _telling(as_json)
    recipe = base.read(RECIPE_PATH, Recipe)
    keep = building.Keep(base)
    with building.mirrored(recipe.suite, recipe.architecture, mirror) as apt:
        say("asking the mirror for its lists")
        listed = renewed(recipe, apt(), keep.files, say)
    before = base.read(PACKAGES_PATH, Packages) if base.holds(PACKAGES_PATH) else None
    old, new = _versions(before), _versions(listed)
    data = {
        "release": listed.release,
        "packages": len(new),
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": {name: [old[name], new[name]] for name in sorted(old.keys() & new.keys()) if old[name] != new[name]},
    }
    changed = before is None or before.model_copy(update={"listed": listed.listed}) != listed
    if changed:
        base.write(PACKAGES_PATH, listed, replace=True)
    data["written"] = [str(PACKAGES_PATH)] if changed else []
    emit(as_json, data, lambda out: _show_renewed(out, data))


def show(as_json: Json = False) -> None:
    """Say which images are published, what they hold, and whether they are here."""
    base = database()
    record = building.recorded(base)
    engine = loading.engine_answers()
    images = []
    for name in IMAGE_NAMES:
        said, kept = record.image(name) if record else None, building.find(base, name)
        wanted = kept.image if kept else said
        images.append(
            {
                "name": name,
                "published": said.model_dump(mode="json") if said else None,
                "folder": str(kept.folder) if kept else None,
                "loaded": bool(engine and wanted and loading.known(wanted)),
                "differs": building.differing(record, kept.image) if kept else None,
            }
        )
    emit(as_json, {"images": images}, lambda out: _show_images(out, images))


def check(small: Small = False, as_json: Json = False) -> None:
    """Run the command of every promised program in the image, which Docker must have."""
    base = database()
    name: ImageName = "small" if small else "published"
    record = building.recorded(base)
    image = record.image(name) if record else None
    if image is None:
        raise CheckFailed(f"names no {name} image.", place=Place(ENVIRONMENT_PATH))
    digest = loading.known(image) if loading.engine_answers() else None
    if digest is None:
        raise EnvironmentLack(f"Docker does not have the {name} image.", advice=_how_to_build(small, load=True))
    say = _telling(as_json)
    answers = []
    for group in base.read(RECIPE_PATH, Recipe).of(name):
        for tool in group.tools:
            say(f"{group.group}: {tool.name}")
            answers.append(loading.ask(digest, tool))
    wrong = [answer for answer in answers if not answer.ok]
    data = {
        "image": digest,
        "tools": [{"name": answer.tool.name, "ok": answer.ok, "said": answer.said} for answer in answers],
    }
    emit(as_json, data, lambda out: _show_tools(out, answers))
    if wrong:
        names = ", ".join(answer.tool.name for answer in wrong)
        raise CheckFailed(f"{len(wrong)} of {len(answers)} promised programs do not work in the image: {names}.")


def unpack(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to; it must not hold anything yet.")],
    small: Small = False,
    as_json: Json = False,
) -> None:
    """Unpack the image's root folder, to look at it or to use it without an engine."""
    base = database()
    made = _kept(base, "small" if small else "published")
    loading.unpack(made, folder)
    data = {"folder": str(folder), "image": made.image.image}
    emit(as_json, data, lambda out: out.print(f"unpacked: {folder}"))


def _kept(base: Database, name: ImageName) -> building.Made:
    made = building.find(base, name)
    if made is None:
        raise EnvironmentLack(
            f"No build of the {name} image is kept here, which is what is unpacked.",
            advice=_how_to_build(name == "small"),
        )
    return made


def _how_to_build(small: bool, *, load: bool = False) -> str:
    options = "".join((" --small" if small else "", " --load" if load else ""))
    return f"Build it with: {command('environment build' + options)}"


def _telling(as_json: bool) -> Say:
    """Return what tells progress on standard error, a line a step; nothing where a program reads."""
    out = console(stderr=True, quiet=as_json)
    return lambda text: out.print(printable(text), style="dim")


def _versions(packages: Packages | None) -> dict[str, str]:
    lines = packages.packages if packages else ()
    return {name: version for name, version, _ in (line.split(" ") for line in lines)}


def _show_built(out: Console, data: dict[str, Any]) -> None:
    for image in data["images"]:
        done = "was there already" if image["reused"] else "built"
        out.print(f"{image['name']}: {image['image']} {done}, {_size(image)}, {image['packages']} packages.")
        out.print("  most room: " + _largest(image))
        out.print("  loaded into the engine" if image["loaded"] else f"  not loaded; it lies in {image['folder']}")
    for path in data["written"]:
        out.print(f"written: {path}")


def _show_renewed(out: Console, data: dict[str, Any]) -> None:
    out.print(f"{data['packages']} packages of {data['release']}.")
    for name in data["added"]:
        out.print(f"  + {name}")
    for name in data["removed"]:
        out.print(f"  - {name}")
    for name, (old, new) in data["changed"].items():
        out.print(f"  {name}: {old} -> {new}")
    if data["written"]:
        out.print(f"written: {PACKAGES_PATH}")
        out.print(f"Build and publish what it makes with: {command('environment build --record')}")
    else:
        out.print("Nothing changed.")


def _show_images(out: Console, images: Sequence[dict[str, Any]]) -> None:
    for image in images:
        said = image["published"]
        if said is None:
            out.print(f"{image['name']}: not published yet.")
        else:
            out.print(f"{image['name']}: {said['image']}, {_size(said)}, {said['packages']} packages.")
            out.print("  most room: " + _largest(said))
        place = "in the Docker engine" if image["loaded"] else image["folder"]
        how = _how_to_build(image["name"] == "small", load=bool(place))
        out.print(f"  here: {place}" if place else f"  not here. {how}")
        if image["differs"]:
            out.print(f"  {ENVIRONMENT_PATH} {image['differs']}")


def _show_tools(out: Console, answers: Sequence[loading.Answer]) -> None:
    for answer in answers:
        first = answer.said.splitlines()[0] if answer.said else ""
        out.print(f"{'ok  ' if answer.ok else 'FAIL'}  {answer.tool.name}: {first}")
        if not answer.ok:
            out.print(f"      {answer.tool.command}")
            out.print(f"      was to say {answer.tool.says!r} and said: {indented(answer.said)}")


def _size(image: dict[str, Any]) -> str:
    return f"{image['layer_bytes'] / 1_000_000:,.0f} MB"


def _largest(image: dict[str, Any]) -> str:
    return ", ".join(f"{one['package']} {one['megabytes']} MB" for one in image["largest"][:5])
