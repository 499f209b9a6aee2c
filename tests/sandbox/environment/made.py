"""A small recipe and list that need no mirror."""

from __future__ import annotations

from datetime import UTC, datetime

from argusic.records.environment import Group, Packages, Recipe, Tool, Wheel, WheelFile

SHA = "0" * 64


def recipe(**fields: object) -> Recipe:
    """Return a recipe of two groups, the first of which is the small image."""
    facts: dict[str, object] = {
        "suite": "trixie",
        "architecture": "amd64",
        "variables": {"LANG": "C.UTF-8"},
        "groups": (
            Group(
                group="base", why="It is needed.", packages=("jq",), tools=(Tool(name="jq", command="jq", says="x"),)
            ),
            Group(
                group="node",
                why="Node.",
                wheel=Wheel(name="node", version="24.0", folder="node", commands={"npm": "lib/npm.js"}),
            ),
        ),
        "small": ("base",),
    }
    return Recipe.model_validate({**facts, **fields})


def packages(**fields: object) -> Packages:
    """Return the list that goes with it."""
    facts: dict[str, object] = {
        "listed": datetime(2026, 11, 30, tzinfo=UTC),
        "release": "Debian 13.8",
        "wheels": (WheelFile(name="node", version="24.0", file="node-24.0.whl", sha256=SHA),),
        "small": ("jq", "libjq1"),
        "packages": (f"jq 1.7.1-6 {SHA}", f"libjq1 1.7.1-6 {SHA}", f"zip 3.0-15 {SHA}"),
    }
    return Packages.model_validate({**facts, **fields})
