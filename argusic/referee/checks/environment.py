"""The published environment must be what the recipe and the package list say now."""

from __future__ import annotations

from collections.abc import Iterator

from argusic.database.database import Database
from argusic.database.paths import ENVIRONMENT_PATH, PACKAGES_PATH, RECIPE_PATH
from argusic.errors import Finding, InputError, Place
from argusic.records.environment import Environment, Packages, Recipe
from argusic.sandbox.environment.planning import lacks, plan, shortened

_RENEW = "`argusic environment renew` writes it anew."
_RECORD = "`argusic environment build --record` writes it anew."


def check_environment(database: Database) -> Iterator[Finding]:
    """Yield where recipe, package list and record of the environment do not agree.

    A file that is no record is left to the check of files; a database without an environment has none to check.
    """
    try:
        held = [database.holds(path) for path in (RECIPE_PATH, PACKAGES_PATH, ENVIRONMENT_PATH)]
        recipe = database.read(RECIPE_PATH, Recipe) if held[0] else None
        packages = database.read(PACKAGES_PATH, Packages) if held[1] else None
        record = database.read(ENVIRONMENT_PATH, Environment) if held[2] else None
    except InputError:
        return
    if recipe is None or packages is None:
        if any(held):
            missing = RECIPE_PATH if recipe is None else PACKAGES_PATH
            yield Finding(Place(RECIPE_PATH.parent), f"is not whole: {missing.name} is missing.")
        return
    lacking = lacks(recipe, packages)
    if lacking:
        yield Finding(Place(PACKAGES_PATH), f"lacks what the recipe asks for: {shortened(lacking)}. {_RENEW}")
        return
    if record is None:
        return
    for image in record.images:
        if plan(recipe, packages, image.name).content != image.content:
            what = f"the {image.name} image was made from something else than the recipe and the list. {_RECORD}"
            yield Finding(Place(ENVIRONMENT_PATH, field="images"), what)
