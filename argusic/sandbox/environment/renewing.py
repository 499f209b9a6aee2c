"""The package list, written anew: what the recipe's wishes come to on the mirror as it is today."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from argusic.records.environment import Packages, Recipe, WheelFile
from argusic.sandbox.environment.apt import Apt
from argusic.sandbox.environment.fetching import Files, download_wheel
from argusic.sandbox.environment.programs import Say


def renewed(recipe: Recipe, apt: Apt, files: Files, say: Say, *, now: datetime | None = None) -> Packages:
    """Return the list of everything that the recipe's wishes come to.

    Args:
        recipe: The wishes.
        apt: An apt with the mirror's lists.
        files: Where wheels are kept.
        say: Is told of progress.
        now: When this is; the list is dated to the day.

    Raises:
        EnvironmentLack: Something that is asked for is not there.
    """
    say("working out what depends on what")
    chosen = {
        name: apt.resolve(sorted(package for group in recipe.of(name) for package in group.packages))
        for name in ("published", "small")
    }
    # Whatever the small image holds must be in the list too, even where a larger image chooses another way.
    every = chosen["small"] | chosen["published"]
    offered = apt.offered(every.keys())
    today = (now or datetime.now(UTC)).replace(hour=0, minute=0, second=0, microsecond=0)
    return Packages(
        listed=today,
        release=apt.release(),
        wheels=tuple(_wheels(recipe, files, say)),
        small=tuple(sorted(chosen["small"])),
        packages=tuple(f"{name} {every[name]} {offered[name, every[name]].sha256}" for name in sorted(every)),
    )


def _wheels(recipe: Recipe, files: Files, say: Say) -> list[WheelFile]:
    found = []
    for wheel in (group.wheel for group in recipe.groups if group.wheel is not None):
        say(f"fetching {wheel.name} {wheel.version}")
        with tempfile.TemporaryDirectory(dir=files.folder, prefix="fetching-") as folder:
            file = download_wheel(wheel.name, wheel.version, Path(folder))
            name, sha256 = file.name, files.take(file)
        assert sha256 is not None
        found.append(WheelFile(name=wheel.name, version=wheel.version, file=name, sha256=sha256))
    return found
