"""The images that tests of the container engine start from: the environment's own, built once for their content.

`python -m tests.docker_image small|published` has the engine know one, and prints its digest and whether its packages
are `pinned`, or the `newest` because the mirror no longer has those.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from argusic.database.database import Database
from argusic.errors import ArgusicError
from argusic.records.environment import ImageName
from argusic.sandbox.docker.provider import IMAGE_VARIABLE
from argusic.sandbox.environment import loading
from argusic.sandbox.environment.build import Keep, Made, build, hold_to_record, newest_plan, recorded
from argusic.sandbox.environment.fetching import PackagesGone
from argusic.sandbox.environment.planning import Plan, planned

TOP = Path(__file__).parents[1]


class Loaded(NamedTuple):
    """An image that the engine has."""

    digest: str
    """By what the engine knows it."""
    packages: str
    """`pinned` or `newest`."""


@cache
def a_small_image() -> str:
    """Return by what the engine knows the small image, which is built and loaded first where it does not."""
    return loaded("small").digest


@cache
def an_image() -> str:
    """Return the image that whoever runs the tests names by ARGUSIC_IMAGE, else the small one."""
    return os.environ.get(IMAGE_VARIABLE) or a_small_image()


def is_there(name: ImageName = "small") -> bool:
    """Return whether the engine has the image that the repository publishes under this name."""
    return _known(name) is not None


def loaded(name: ImageName) -> Loaded:
    """Return an image of the environment that the engine has, built and loaded first where it does not.

    Raises:
        CheckFailed: What the pinned packages came to is not what the repository publishes.
        EnvironmentLack: It cannot be built here.
    """
    known = _known(name)
    if known is not None:
        return Loaded(known, "pinned")
    base = Database(TOP)
    plan, made = pinned_or_newest(name)
    pinned = plan == planned(base, name)
    if pinned:
        hold_to_record(base, made.image)
    with Keep(base).alone(made.image.content):
        loading.load(made)
    digest = loading.known(made.image)
    assert digest is not None, "the image was loaded and is not there"
    return Loaded(digest, "pinned" if pinned else "newest")


def pinned_or_newest(name: ImageName) -> tuple[Plan, Made]:
    """Return an image of the pinned packages, or of today's where the mirror no longer has those.

    Raises:
        EnvironmentLack: It cannot be built here.
    """
    base = Database(TOP)
    plan = planned(base, name)
    try:
        return plan, build(base, plan, _say)
    except PackagesGone as error:
        _say(error.what)
    plan = newest_plan(base, name, _say)
    return plan, build(base, plan, _say)


def _known(name: ImageName) -> str | None:
    base = Database(TOP)
    record = recorded(base)
    image = record.image(name) if record else None
    if image is None or image.content != planned(base, name).content:
        return None
    return loading.known(image)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    try:
        sys.stdout.write(" ".join(loaded("published" if sys.argv[1] == "published" else "small")) + "\n")
    except ArgusicError as error:
        sys.exit(str(error))
