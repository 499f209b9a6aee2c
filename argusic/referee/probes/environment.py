"""Probes of the published environment: whether its image is here, and whether this machine can build it."""

from __future__ import annotations

import os
import shutil

from argusic.database.database import Database
from argusic.errors import EnvironmentLack, InputError
from argusic.referee.probes.probe import Probe, ask, installing, last_line
from argusic.sandbox.environment import loading
from argusic.sandbox.environment.build import Keep, recorded
from argusic.sandbox.environment.mirror import find_mirror

_NAME = "published environment"
_WITHOUT = "Official attempts: they run in Docker, in the published image."
_BUILD = "argusic environment build"


def published_environment(database: Database) -> Probe:
    """Look for the image that the database publishes: in the Docker engine, and among those built here."""
    try:
        record = recorded(database)
    except InputError as error:
        return Probe(_NAME, False, str(error), mend="argusic check", without=_WITHOUT)
    image = record.image("published") if record else None
    if image is None:
        return Probe(_NAME, False, "None is published yet.", mend=f"{_BUILD} --record", without=_WITHOUT)
    short = f"{image.image[:19]} ({image.layer_bytes / 1_000_000:,.0f} MB)"
    if loading.engine_answers() and loading.known(image):
        return Probe(_NAME, True, f"Docker has {short}.")
    if Keep(database).find(image.content):
        return Probe(_NAME, False, f"{short} is built, and no engine has it.", mend=_BUILD, without=_WITHOUT)
    found = f"{short} is not here."
    if shutil.which("mmdebstrap") is None:
        mend = installing("mmdebstrap debian-archive-keyring") + f" && {_BUILD}"
        return Probe(_NAME, False, found, mend=mend, without=_WITHOUT)
    return Probe(_NAME, False, found, mend=_BUILD, without=_WITHOUT)


def builder() -> Probe:
    """Look for what an image is built with: mmdebstrap, Debian's keys, a mirror, and root or what stands in for it."""
    name, without = "environment builder", "Building the published environment."
    if shutil.which("mmdebstrap") is None:
        mend = installing("mmdebstrap debian-archive-keyring")
        return Probe(name, False, "mmdebstrap is not here.", mend=mend, without=without)
    try:
        find_mirror()
    except EnvironmentLack as error:
        return Probe(name, False, error.what, mend=error.advice, without=without)
    if os.geteuid():
        answer = ask(["unshare", "--user", "--map-auto", "--map-root-user", "true"])
        if not answer.ok:
            found = f"This user has no range of user ids of its own: {last_line(answer.words)}."
            return Probe(name, False, found, mend=installing("uidmap"), without=without)
    return Probe(name, True, "mmdebstrap can build it here.")
