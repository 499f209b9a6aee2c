"""Building an image of the published environment once for its content, keeping it, and holding it to the record."""

from __future__ import annotations

import fcntl
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from argusic.database.atomic import publish_folder
from argusic.database.database import Database
from argusic.database.paths import ENVIRONMENT_PATH, RECIPE_PATH
from argusic.errors import CheckFailed, Place
from argusic.records.base import format_time
from argusic.records.environment import Environment, Image, ImageName, Largest, Recipe
from argusic.sandbox.environment import image as images
from argusic.sandbox.environment.apt import Apt
from argusic.sandbox.environment.fetching import Files, fetch_packages, fetch_wheels
from argusic.sandbox.environment.mirror import find_mirror
from argusic.sandbox.environment.planning import Plan, plan, planned
from argusic.sandbox.environment.programs import Say
from argusic.sandbox.environment.renewing import renewed
from argusic.sandbox.environment.repository import lay_out, wheel_archive
from argusic.sandbox.environment.rootfs import program_version, write_root
from argusic.sandbox.environment.scratch import scratch

_RECORD = "image.json"
_UNFINISHED = "unfinished-"
_SIZES = re.compile(r"^Package: (\S+)\n(?:.+\n)*?Installed-Size: (\d+)$", re.MULTILINE)
#: How many of the largest packages the record names.
_LARGEST = 12


@dataclass(frozen=True)
class Made:
    """An image that is kept on this machine.

    Attributes:
        image: Its record.
        folder: Where it is kept: `image` in it is the image as `argusic.sandbox.environment.image` lays it out.
        reused: Whether it was there already.
    """

    image: Image
    folder: Path
    reused: bool


class Keep:
    """Where images and the files they are made of are kept between builds: the cache of a database.

    Args:
        database: The database.
    """

    def __init__(self, database: Database) -> None:
        self.folder = database.cache_folder / "environment"
        self.files = Files(self.folder / "files")
        self.log = self.folder / "last-build.log"

    def find(self, content: str) -> Made | None:
        """Return the kept image of a content, if there is one."""
        folder = self.folder / "images" / content
        try:
            record = Image.model_validate_json((folder / _RECORD).read_bytes())
        except FileNotFoundError:
            return None
        return Made(record, folder, reused=True)

    def prune(self, plans: Iterable[Plan]) -> None:
        """Remove kept images and files that belong to none of these plans: an image takes gigabytes."""
        wanted = list(plans)
        files = {pin.sha256 for one in wanted for pin in one.packages}
        files |= {wheel.pin.sha256 for one in wanted for wheel in one.wheels}
        contents = {one.content for one in wanted}
        for path in self.folder.glob("images/*"):
            if path.name not in contents and not path.name.startswith(_UNFINISHED):
                shutil.rmtree(path)
        for path in self.files.folder.iterdir():
            if path.name not in files and path.is_file():
                path.unlink()

    @contextmanager
    def alone(self, content: str) -> Iterator[None]:
        """Wait until nobody else builds this content, and keep others waiting meanwhile."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{content}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@contextmanager
def mirrored(suite: str, architecture: str, mirror: str | None) -> Iterator[Callable[[], Apt]]:
    """Give what makes an apt with the mirror's lists of today; the mirror is asked only when that is called.

    Raises:
        EnvironmentLack: (On the call.) There is no mirror, or it does not answer.
    """
    with scratch() as folder:

        def updated() -> Apt:
            apt = Apt(folder, find_mirror(mirror), suite, architecture)
            apt.update()
            return apt

        yield updated


def newest_plan(database: Database, name: ImageName, say: Say, mirror: str | None = None) -> Plan:
    """Return the plan of an image as the mirror's versions of today would make it. Nothing is written down.

    Raises:
        EnvironmentLack: The mirror does not answer, or lacks something that is asked for.
    """
    keep, recipe = Keep(database), database.read(RECIPE_PATH, Recipe)
    with mirrored(recipe.suite, recipe.architecture, mirror) as apt:
        return plan(recipe, renewed(recipe, apt(), keep.files, say), name)


def build(database: Database, wanted: Plan, say: Say, mirror: str | None = None) -> Made:
    """Return an image of the environment, building it where it is not kept yet.

    Args:
        database: The database.
        wanted: What it is made from.
        say: Is told of progress.
        mirror: The mirror to use; by default the one that this machine's apt has.

    Raises:
        PackagesGone: The mirror no longer has what is pinned.
        EnvironmentLack: This machine cannot build it, or the mirror does not answer.
    """
    keep = Keep(database)
    with keep.alone(wanted.content):
        found = keep.find(wanted.content)
        if found is not None:
            return found
        with mirrored(wanted.suite, wanted.architecture, mirror) as apt:
            fetch_packages(keep.files, wanted.packages, apt, say)
        fetch_wheels(keep.files, [wheel.pin for wheel in wanted.wheels], say)
        return _build(keep, wanted, say)


def _build(keep: Keep, wanted: Plan, say: Say) -> Made:
    parts = keep.folder / "images"
    parts.mkdir(exist_ok=True)
    unfinished = parts / f"{_UNFINISHED}{wanted.content}"
    shutil.rmtree(unfinished, ignore_errors=True)  # Of a build that died: nobody else is at this content.
    with scratch() as work:
        work.chmod(0o755)  # An ordinary user's build runs under another user id.
        repository = work / "repository"
        lay_out(wanted, keep.files, repository)
        archives = []
        for pinned in wanted.wheels:
            archives.append(work / f"{pinned.wheel.name}.tar")
            wheel_archive(pinned, keep.files, archives[-1], wanted.time)
        try:
            folder, layer = unfinished / images.FOLDER, unfinished / "layer"
            (folder / "blobs/sha256").mkdir(parents=True)
            with layer.open("wb") as target:
                archive = write_root(wanted, repository, archives, work, target, keep.log, say)
            layer.rename(images.layer_path(folder, archive.sha256))
            created = format_time(datetime.fromtimestamp(wanted.time, UTC))
            digests = images.finish(folder, wanted, created, archive.sha256, archive.size)
            record = Image(
                name=wanted.name,
                content=wanted.content,
                image=digests.image,
                manifest=digests.manifest,
                layer=archive.sha256,
                layer_bytes=archive.size,
                packages=len(wanted.packages),
                largest=_largest((repository / "Packages").read_text(encoding="utf-8")),
                built_with=program_version(),
            )
            (unfinished / _RECORD).write_text(record.model_dump_json(indent=2), encoding="utf-8")
            publish_folder(unfinished, parts / wanted.content)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return Made(record, parts / wanted.content, reused=False)


def _largest(index: str) -> tuple[Largest, ...]:
    sizes = sorted(((-int(size), name) for name, size in _SIZES.findall(index)))
    return tuple(Largest(package=name, megabytes=-size * 1024 // 1_000_000) for size, name in sizes[:_LARGEST])


def recorded(database: Database) -> Environment | None:
    """Return the record of what was built; None where nothing was yet."""
    return database.read(ENVIRONMENT_PATH, Environment) if database.holds(ENVIRONMENT_PATH) else None


def differing(record: Environment | None, built: Image) -> str | None:
    """Return in one sentence how a built image differs from the record, or None where it is the recorded one."""
    said = record.image(built.name) if record else None
    if said is None:
        return f"names no {built.name} image."
    if said.content != built.content:
        return f"is of another {built.name} image: the recipe or the package list changed since."
    if said.image != built.image:
        return (
            f"says that the {built.name} image is {said.image}; here the same packages came to {built.image} "
            f"({built.built_with}, recorded with {said.built_with})."
        )
    return None


def hold_to_record(database: Database, built: Image) -> None:
    """Compare a built image with the record.

    Raises:
        CheckFailed: It is not the recorded one.
    """
    what = differing(recorded(database), built)
    if what:
        advice = "`argusic environment build --record` writes what is built here."
        raise CheckFailed(what, place=Place(ENVIRONMENT_PATH), advice=advice)


def record(database: Database, built: Iterable[Image]) -> None:
    """Write down what was built, as the published environment from now on; forget what was kept of others."""
    environment = Environment(images=tuple(sorted(built, key=lambda image: image.name)))
    database.write(ENVIRONMENT_PATH, environment, replace=True)
    Keep(database).prune(planned(database, image.name) for image in environment.images)


def find(database: Database, name: ImageName) -> Made | None:
    """Return the kept image that the recipe and the list stand for now, without building anything."""
    return Keep(database).find(planned(database, name).content)
