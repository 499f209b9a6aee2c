"""The published environment: what its image is asked to hold, the exact packages it is made of, and what came out."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from argusic.records.base import Items, Part, Record, Sha256, Slug, Text, UtcTime

#: The images that are made: the one that attempts of a cycle run in, and a small one for tests of the engine.
ImageName = Literal["published", "small"]
IMAGE_NAMES: tuple[ImageName, ...] = ("published", "small")

#: The name of a Debian package.
PackageName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
#: One pinned package: name, version and the digest of its file, as `jq 1.7.1-6 0f3c...`.
PackageLine = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+ [0-9][A-Za-z0-9.+:~-]* [0-9a-f]{64}$")]
#: An image by what it holds: the digest of its configuration, which names its layer by digest.
ImageId = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class Tool(Part):
    """A program that the environment promises."""

    name: Text
    """What it is."""
    command: Text
    """The command that asks it for its version, or makes it do a small piece of work."""
    says: Text
    """What its output holds."""


class Wheel(Part):
    """A program that comes as a wheel from the Python package index, where Debian's own is no choice."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """The package."""
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+!-]*$")]
    """Its version."""
    folder: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
    """The folder in it whose content goes to `/usr/local`."""
    without: Items[Text] = ()
    """What of it is left out, as patterns of file names from `/usr/local`."""
    commands: dict[str, str]
    """Links to make in `/usr/local/bin`, by name: where each leads, from `/usr/local`."""


class Group(Part):
    """Packages that are there for one reason."""

    group: Slug
    """Its id."""
    why: Text
    """The reason."""
    packages: Items[PackageName] = ()
    """The packages that are asked for. What they depend on comes with them."""
    wheel: Wheel | None = None
    """What comes as a wheel."""
    tools: Items[Tool] = ()
    """What the group promises."""


class Recipe(Record):
    """What the published environment is asked to hold. People edit it."""

    suite: Annotated[str, Field(pattern=r"^[a-z]+$")]
    """The Debian release, by its code name."""
    architecture: Literal["amd64"]
    """The processor architecture."""
    variables: dict[str, str]
    """The environment variables that the image sets."""
    groups: Annotated[Items[Group], Field(min_length=1)]
    """Everything that is asked for, by reason."""
    small: Items[Slug]
    """The groups of the small image."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [group.group for group in self.groups]
        asked = [package for group in self.groups for package in group.packages]
        for what, found in (("group", names), ("package", asked)):
            twice = sorted({name for name in found if found.count(name) > 1})
            if twice:
                raise ValueError(f"the {what} {twice[0]} is named twice")
        unknown = sorted(set(self.small) - set(names))
        if unknown:
            raise ValueError(f"small names {unknown[0]}, which is no group")
        return self

    def of(self, image: ImageName) -> tuple[Group, ...]:
        """Return the groups of an image."""
        return tuple(group for group in self.groups if image == "published" or group.group in self.small)


class WheelFile(Part):
    """One pinned wheel."""

    name: Text
    """The package."""
    version: Text
    """Its version."""
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+-]+\.whl$")]
    """Its file name."""
    sha256: Sha256
    """Its digest."""


class Packages(Record):
    """Every package of the published environment, pinned. Written by `argusic environment renew`."""

    listed: UtcTime
    """When the list was made. No file of the image has a later time."""
    release: Text
    """The Debian release that the versions are those of."""
    wheels: Items[WheelFile] = ()
    """The wheels."""
    small: Items[PackageName]
    """The packages of the small image, sorted."""
    packages: Annotated[Items[PackageLine], Field(min_length=1)]
    """Every package, sorted: its name, its version, and the digest of its file."""

    @model_validator(mode="after")
    def _sorted(self) -> Self:
        names = [line.split(" ")[0] for line in self.packages]
        for what, found in (("packages", names), ("small", list(self.small))):
            if found != sorted(set(found)):
                raise ValueError(f"{what} is not sorted, or names a package twice")
        unknown = sorted(set(self.small) - set(names))
        if unknown:
            raise ValueError(f"small names {unknown[0]}, which is not among packages")
        return self


class Largest(Part):
    """A package that takes much room."""

    package: Text
    """Its name."""
    megabytes: Annotated[int, Field(ge=0)]
    """What it takes by its own account, in MB of 1,000,000 bytes."""


class Image(Part):
    """One image as it was built."""

    name: ImageName
    """Which."""
    content: Sha256
    """The digest of everything that it is made from: the list, the variables, and the way of building."""
    image: ImageId
    """The digest that an engine knows it by."""
    manifest: ImageId
    """The digest of its manifest, by which registries and engines with a content store know it."""
    layer: Sha256
    """The digest of its one layer, a tar archive of the root folder."""
    layer_bytes: Annotated[int, Field(gt=0)]
    """The size of that archive."""
    packages: Annotated[int, Field(gt=0)]
    """How many Debian packages it holds."""
    largest: Items[Largest] = ()
    """Those that take most room."""
    built_with: Text
    """The program that made it, and its version."""


class Environment(Record):
    """The published environment as it was built: what a run's image digest stands for."""

    images: Annotated[Items[Image], Field(min_length=1)]
    """The images, built from the recipe and the package list and from nothing else."""

    def image(self, name: ImageName) -> Image | None:
        """Return an image, if it was built."""
        return next((image for image in self.images if image.name == name), None)
