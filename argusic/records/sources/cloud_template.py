"""A prebuilt template for the cloud: where its files come from, which of them it is, and how a cycle pins it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from argusic.records.base import CommitId, Items, Part, Sha256
from argusic.records.published import PublishedSource
from argusic.records.sources.repository import Source as RepositorySource

KIND = "cloud-template"

#: What a template is written for. A new one is a word here and an entry of `argusic.pool.flavours`.
Flavour = Literal["cloudformation", "sam", "worker", "compose", "cookiecutter"]


def _check_path(value: str) -> str:
    parts = value.split("/")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in value) or "\\" in value:
        raise ValueError("must not hold control characters or backslashes")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise ValueError("must be a path from the top of its files, without '.', '..' and '.git' in it")
    return value


def _check_url(value: str) -> str:
    """Refuse what a repository's source refuses, in the same words."""
    try:
        RepositorySource(url=value)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
    return value


#: A path inside the files that a template comes with, with `/`.
InnerPath = Annotated[str, StringConstraints(max_length=500), AfterValidator(_check_path)]


class Source(Part):
    """Which template: the repository or the published archive that it comes in, and the path in there."""

    kind: Literal["cloud-template"] = "cloud-template"
    """Which source model this is."""
    flavour: Flavour
    """What it is written for."""
    url: Annotated[str, AfterValidator(_check_url)] | None = None
    """The git address of the repository that holds it."""
    published: PublishedSource | None = None
    """The published archive that holds it, where it is published in one."""
    path: InnerPath | None = None
    """The template in there: a file, or a folder where it is made of several; none where it is all that is there."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.url is None) == (self.published is None):
            raise ValueError("needs exactly one of url and published")
        return self


class EntryFile(Part):
    """A file of the template that is deployed as it stands."""

    path: InnerPath
    """Its path from the top of the files."""
    sha256: Sha256
    """Its digest."""


class Pin(Part):
    """Which commit of it, and what its own files are there."""

    kind: Literal["cloud-template"] = "cloud-template"
    """Which pin model this is."""
    commit: CommitId
    """The full commit id: of the repository, or of the commit that the published archive makes."""
    files: Items[EntryFile]
    """Its entry files. Whoever deploys another content than this has changed the template."""
    pointers: Annotated[int, Field(gt=0)] | None = None
    """How many files of the repository hold only a pointer to content that git LFS keeps elsewhere; absent for none."""

    @model_validator(mode="after")
    def _some(self) -> Self:
        paths = [file.path for file in self.files]
        if not paths or len(set(paths)) != len(paths):
            raise ValueError("needs at least one entry file, and each once")
        return self
