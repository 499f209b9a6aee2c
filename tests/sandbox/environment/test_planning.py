"""What an image is made from follows from the recipe and the list, and its digest from nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from argusic.database.database import Database
from argusic.database.paths import RECIPE_PATH
from argusic.errors import InputError
from argusic.records.environment import IMAGE_NAMES, Group, ImageName, Recipe
from argusic.sandbox.environment.build import recorded
from argusic.sandbox.environment.planning import lacks, plan, planned, shortened
from tests.sandbox.environment.made import SHA, packages, recipe

TOP = Path(__file__).parents[3]


def test_the_published_image_holds_every_package_and_the_small_one_its_own() -> None:
    assert [pin.name for pin in plan(recipe(), packages(), "published").packages] == ["jq", "libjq1", "zip"]
    assert [pin.name for pin in plan(recipe(), packages(), "small").packages] == ["jq", "libjq1"]


def test_only_the_image_with_its_group_gets_a_wheel() -> None:
    assert [wheel.pin.name for wheel in plan(recipe(), packages(), "published").wheels] == ["node"]
    assert plan(recipe(), packages(), "small").wheels == ()


def test_the_same_recipe_and_list_have_the_same_content() -> None:
    assert plan(recipe(), packages(), "published").content == plan(recipe(), packages(), "published").content


@pytest.mark.parametrize(
    "fields",
    [
        {"packages": (f"jq 1.7.1-7 {SHA}", f"libjq1 1.7.1-6 {SHA}", f"zip 3.0-15 {SHA}")},
        {"packages": (f"jq 1.7.1-6 {'1' * 64}", f"libjq1 1.7.1-6 {SHA}", f"zip 3.0-15 {SHA}")},
        {"listed": datetime(2026, 12, 1, tzinfo=UTC)},
    ],
    ids=["a version", "a digest", "the day"],
)
def test_another_list_makes_another_content(fields: dict[str, object]) -> None:
    assert plan(recipe(), packages(**fields), "small").content != plan(recipe(), packages(), "small").content


def test_another_variable_makes_another_content() -> None:
    other = recipe(variables={"LANG": "C"})
    assert plan(other, packages(), "small").content != plan(recipe(), packages(), "small").content


def test_a_promise_changes_no_content() -> None:
    groups = tuple(group.model_copy(update={"tools": ()}) for group in recipe().groups)
    assert plan(recipe(groups=groups), packages(), "published").content == (
        plan(recipe(), packages(), "published").content
    )


def test_a_list_without_what_is_asked_for_is_refused_with_the_command_that_renews_it() -> None:
    wanting = recipe(groups=(*recipe().groups, Group(group="more", why="More.", packages=("curl",))))
    with pytest.raises(InputError, match=r"packages.yaml: lacks .*: curl.*argusic environment renew"):
        plan(wanting, packages(), "published")


def test_a_wheel_of_another_version_is_lacking() -> None:
    assert lacks(recipe(), packages(wheels=())) == ["node==24.0"]


def test_what_the_small_image_asks_for_must_be_among_its_packages() -> None:
    assert lacks(recipe(), packages(small=("libjq1",))) == ["jq"]


@pytest.mark.parametrize(
    "line",
    ["jq", f"jq {SHA}", f"jq 1.7 {SHA[1:]}", f"JQ 1.7 {SHA}", f"jq 1.7;id {SHA}", f"-jq 1.7 {SHA}", f"jq 1.7 {SHA}\n"],
)
def test_a_line_that_pins_nothing_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        packages(packages=(line,), small=())


def test_a_list_that_is_not_sorted_is_refused() -> None:
    with pytest.raises(ValidationError, match="packages is not sorted"):
        packages(packages=(f"zip 3.0-15 {SHA}", f"jq 1.7.1-6 {SHA}"), small=())


def test_a_package_is_asked_for_once() -> None:
    twice = (*recipe().groups, Group(group="more", why="More.", packages=("jq",)))
    with pytest.raises(ValidationError, match="the package jq is named twice"):
        recipe(groups=twice)


def test_many_names_are_shortened() -> None:
    assert shortened(list("abcdefg")) == "a, b, c, d, e and 2 more"
    assert shortened(["a"]) == "a"


@pytest.mark.parametrize("name", IMAGE_NAMES)
def test_the_record_of_this_repository_is_of_its_recipe_and_list(name: ImageName) -> None:
    record = recorded(Database(TOP))
    image = record.image(name) if record else None
    assert image is not None
    assert image.content == planned(Database(TOP), name).content


def test_every_group_of_this_repository_promises_something() -> None:
    assert [group.group for group in Database(TOP).read(RECIPE_PATH, Recipe).groups if not group.tools] == []
