"""What exactly one image is made from, and the digest of all that: images are kept and compared by it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from argusic.database.database import Database
from argusic.database.paths import PACKAGES_PATH, RECIPE_PATH
from argusic.errors import InputError, Place
from argusic.records.environment import ImageName, Packages, Recipe, Wheel, WheelFile
from argusic.sandbox.environment.steps import method


class Pinned(NamedTuple):
    """One pinned package."""

    name: str
    version: str
    sha256: str


class PinnedWheel(NamedTuple):
    """One pinned wheel, and where its content goes."""

    pin: WheelFile
    wheel: Wheel


@dataclass(frozen=True)
class Plan:
    """What one image is made from.

    Attributes:
        name: Which image.
        suite: The Debian release.
        architecture: The processor architecture.
        time: The latest time that a file in it has, in seconds since 1970.
        variables: The environment variables that it sets.
        asked: The packages that are asked for; all others are there for their sake.
        packages: Every package.
        wheels: Every wheel.
    """

    name: ImageName
    suite: str
    architecture: str
    time: int
    variables: dict[str, str]
    asked: tuple[str, ...]
    packages: tuple[Pinned, ...]
    wheels: tuple[PinnedWheel, ...]

    @property
    def content(self) -> str:
        """The digest of all that, and of the way of building."""
        parts = asdict(self) | {
            "method": method(),
            "wheels": [
                [wheel.pin.model_dump(mode="json"), wheel.wheel.model_dump(mode="json")] for wheel in self.wheels
            ],
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def planned(database: Database, name: ImageName) -> Plan:
    """Return what the repository says an image is made from.

    Raises:
        InputError: The recipe or the list is missing or not valid, or they do not agree.
    """
    return plan(database.read(RECIPE_PATH, Recipe), database.read(PACKAGES_PATH, Packages), name)


def plan(recipe: Recipe, packages: Packages, name: ImageName) -> Plan:
    """Return what an image is made from.

    Raises:
        InputError: The list lacks something that the recipe asks for.
    """
    lacking = lacks(recipe, packages)
    if lacking:
        raise InputError(
            f"lacks what the recipe asks for: {shortened(lacking)}.",
            place=Place(PACKAGES_PATH),
            advice="`argusic environment renew` writes the list anew.",
        )
    groups = recipe.of(name)
    pins = [Pinned(*line.split(" ")) for line in packages.packages]
    files = {wheel.name: wheel for wheel in packages.wheels}
    return Plan(
        name=name,
        suite=recipe.suite,
        architecture=recipe.architecture,
        time=int(packages.listed.timestamp()),
        variables=dict(recipe.variables),
        asked=tuple(sorted(package for group in groups for package in group.packages)),
        packages=tuple(pin for pin in pins if name == "published" or pin.name in set(packages.small)),
        wheels=tuple(PinnedWheel(files[group.wheel.name], group.wheel) for group in groups if group.wheel is not None),
    )


def lacks(recipe: Recipe, packages: Packages) -> list[str]:
    """Return what the recipe asks for and the list does not hold, sorted."""
    listed = {line.split(" ")[0] for line in packages.packages}
    small, wheels = set(packages.small), {(wheel.name, wheel.version) for wheel in packages.wheels}
    missing = {package for group in recipe.groups for package in group.packages if package not in listed}
    missing |= {package for group in recipe.of("small") for package in group.packages if package not in small}
    for group in recipe.groups:
        if group.wheel is not None and (group.wheel.name, group.wheel.version) not in wheels:
            missing.add(f"{group.wheel.name}=={group.wheel.version}")
    return sorted(missing)


def shortened(names: Sequence[str], most: int = 5) -> str:
    """Return names as words: all of them, or the first few and how many more."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
