"""The kind `container-image`: an image of a registry, or one made from published builds, pinned by its digests.

Which images a pin means, how they are pulled and made, and what runs them in a sandbox is `argusic.pool.images`'s.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from argusic.database.codec import parse_record
from argusic.errors import InputError
from argusic.pool.archives import ArchiveUnusable
from argusic.pool.cache import Shelf
from argusic.pool.files import PAUSES, patiently, published_file
from argusic.pool.images.asking import PATIENCE, Patience
from argusic.pool.images.inside import can_run, host_platform, lay_beside
from argusic.pool.images.layout import blob, lay_out, prove, write
from argusic.pool.images.making import Made, digest_of, make
from argusic.pool.images.manifests import MANIFEST_TYPES, ImageUnusable, read_config
from argusic.pool.images.names import SCHEME, read_name
from argusic.pool.images.pulling import Pulled, name_of, pull, pull_pinned, text_digest
from argusic.pool.images.registry import Missing, Registry
from argusic.pool.images.telling import description_of, licence_of, names_a_command, summary_of
from argusic.pool.kinds.protocol import PinMismatch, Resolved, SubjectUnavailable, Workshop
from argusic.records.base import Part, Record
from argusic.records.image import MadeImage, PinnedLayer
from argusic.records.published import PublishedSource
from argusic.records.sources.container_image import Pin, Source
from argusic.records.subject import Subject
from argusic.sandbox.protocol import SUBJECT_FOLDER

#: What stands before a file that holds a subject's source.
_RECIPE = "image:"
_MAX_RECIPE = 1_000_000


class _Drafted(Record):
    """A file that says where an image comes from, for what a name alone does not say."""

    source: Source
    """As a subject's own file has it."""


class ContainerImageKind:
    """Container images.

    Args:
        pauses: How long to wait before each further try when a registry cannot be reached, in seconds.
        patience: How long a registry is waited for.
    """

    kind = "container-image"
    written = (f"{SCHEME}HOST/NAME:TAG", f"{_RECIPE}FILE")

    def __init__(self, pauses: tuple[float, ...] = PAUSES, patience: Patience = PATIENCE) -> None:
        self._pauses = pauses
        self._patience = patience

    def recognises(self, target: str) -> bool:
        """Return whether `target` names an image, or a file that holds a recipe of one."""
        return target.startswith((SCHEME, _RECIPE))

    def resolve(self, target: str, workshop: Workshop) -> Resolved:
        """Look an image up and pin what its tag leads to, or make one and pin that. It is in the cache afterwards.

        Raises:
            InputError: There is no such image, or it is none that is run here.
            SubjectUnavailable: Its registry could not be reached.
        """
        source, digest = _read(target)
        workshop.progress(f"looking up {source.repository}")
        shelf = Shelf(workshop.cache, "images")
        with shelf.scratch() as scratch:
            folder = scratch / "entry"
            folder.mkdir()
            try:
                if source.made is not None:
                    pulled_pin = _write_made(self._make(source.made, workshop), source.made, folder)
                    labels = dict(source.made.settings.labels)
                else:
                    pulled = patiently(lambda: self._pull(source, digest, workshop, folder), self._pauses)
                    pulled_pin, labels = pulled.pin, {**pulled.config.labels, **pulled.manifest.annotations}
            except (ImageUnusable, ArchiveUnusable) as error:
                raise InputError(f"The image {source.repository} is not run here: {error}.") from error
            except PinMismatch as error:
                raise InputError(f"The image {source.repository} is not what it says: {error}.") from error
            except Missing as error:
                raise InputError(f"There is no such image: {error}.") from error
            with shelf.locked(_key(pulled_pin)):
                # Somebody may be copying what is there.
                if not _is_sound(shelf.entry(_key(pulled_pin)), pulled_pin):
                    shelf.place(folder, _key(pulled_pin))
        description = description_of(source, labels)
        pin = pulled_pin.model_copy(update={"description": text_digest(description) if description else None})
        notes = []
        if not names_a_command(description):
            notes.append(
                "nothing that its registry's interface says names a command that runs it: copy its own description "
                f"into a file and add that, as {_RECIPE}FILE"
            )
        return Resolved(
            name=source.repository.removeprefix("library/"),
            source=source,
            pin=pin,
            summary=summary_of(description),
            notes=tuple(notes),
            licence=licence_of(labels),
            readme=names_a_command(description),
            heavy_by=_heavy(source, pin, workshop.heavy_above_mb),
        )

    def fetch(self, subject: Subject, pin: Part, workshop: Workshop) -> Path:
        """Return the cached image, fetching or making it first where it is not there. Every part is proved.

        Raises:
            PinMismatch: It is another image, or one that must not be unpacked. Nothing is kept.
            SubjectUnavailable: It could not be reached, or is there no longer.
            EnvironmentLack: This machine cannot run it.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        can_run(pinned.platform, workshop)
        shelf, key = Shelf(workshop.cache, "images"), _key(pinned)
        entry = shelf.entry(key)
        with shelf.locked(key):
            if _is_sound(entry, pinned):
                return entry
            with shelf.scratch() as scratch:
                folder = scratch / "entry"
                folder.mkdir()
                if source.made is not None:
                    self._remake(source, pinned, workshop, folder)
                else:
                    patiently(lambda: self._pull_pinned(source, pinned, workshop, folder), self._pauses)
                prove(folder, pinned)
                return shelf.place(folder, key)

    def hand_in(self, subject: Subject, pin: Part, cached: Path, folder: Path) -> None:
        """Lay the image, its description, and what runs it into `folder`.

        Raises:
            PinMismatch: The copy, or the description, is not what was pinned.
        """
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        lay_out(cached, pinned, folder / "image", _called(source))
        labels = read_config(blob(cached, pinned.config).read_bytes()).labels
        description = description_of(source, labels)
        found = text_digest(description) if description else None
        if found != pinned.description:
            raise PinMismatch(f"its description has sha256 {found}, but {pinned.description} was pinned")
        lay_beside(folder, description)

    def variables(self, subject: Subject, pin: Part) -> Mapping[str, str]:
        """Return none: its description is followed on a plain machine."""
        return {}

    def task(self, subject: Subject, pin: Part) -> str:
        """Return what the mission says of an image."""
        source, pinned = cast(Source, subject.source), cast(Pin, pin)
        whence = "made from published builds" if source.made is not None else f"published on {source.registry}"
        described = f"Its description is {SUBJECT_FOLDER}/DESCRIPTION.md.\n" if pinned.description else ""
        return (
            f"The subject is {_called(source)}, a container image {whence}, at the digest\n{pinned.manifest}.\n"
            f"It lies in {SUBJECT_FOLDER}/image as an OCI layout, pulled and proved. {described}"
            "There is no container engine in this machine, and there can be none. What the command lines of a\n"
            f"description ask of `docker` (pull, run, exec, ps, logs, stop, rm) {SUBJECT_FOLDER}/docker does, with\n"
            "PRoot: its --help says where that differs from an engine. It is the same for everybody, and may be\n"
            f"called by its usual name: mkdir -p ~/.local/bin && ln -s {SUBJECT_FOLDER}/docker ~/.local/bin/\n"
            "It runs when the command that its description gives was run and what the description claims is seen\n"
            "to happen.\n"
        )

    def _pull(self, source: Source, digest: str | None, workshop: Workshop, folder: Path) -> Pulled:
        registry = self._registry(source, workshop)
        _empty(folder)
        named = name_of(registry, source.repository, digest or source.tag or "latest", host_platform())
        workshop.progress(f"fetching {source.repository}")
        return pull(registry, source.repository, named, folder)

    def _pull_pinned(self, source: Source, pinned: Pin, workshop: Workshop, folder: Path) -> None:
        workshop.progress(f"fetching {source.repository}")
        _empty(folder)
        try:
            pull_pinned(self._registry(source, workshop), source.repository, pinned, folder)
        except Missing as error:
            raise SubjectUnavailable(f"the pinned image is not there: {error}") from error

    def _registry(self, source: Source, workshop: Workshop) -> Registry:
        assert source.registry is not None
        return Registry(source.registry, workshop.environment, self._patience)

    def _make(self, recipe: MadeImage, workshop: Workshop) -> Made:
        def published(one: PublishedSource) -> Path:
            where = (one.ecosystem, one.name, one.version, one.file)
            return published_file(*where, one.sha256, workshop, pauses=self._pauses)

        return make(recipe, published)

    def _remake(self, source: Source, pinned: Pin, workshop: Workshop, folder: Path) -> None:
        assert source.made is not None
        try:
            made = self._make(source.made, workshop)
        except (ImageUnusable, ArchiveUnusable) as error:
            raise PinMismatch(f"its recipe makes no image: {error}") from error
        found = digest_of(made.manifest)
        if found != pinned.manifest:
            raise PinMismatch(f"its recipe makes the image {found}, but {pinned.manifest} was pinned")
        _write_made(made, source.made, folder)


def _read(target: str) -> tuple[Source, str | None]:
    """Return the source that a target means, and the digest where it names one."""
    if not target.startswith(_RECIPE):
        name = read_name(target)
        return Source(registry=name.registry, repository=name.repository, tag=name.tag), name.digest
    file = Path(target.removeprefix(_RECIPE))
    try:
        file = file.expanduser()
        with file.open("rb") as opened:
            data = opened.read(_MAX_RECIPE + 1)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"The recipe {file} cannot be read: {error}.") from error
    if len(data) > _MAX_RECIPE:
        raise InputError(f"The recipe {file} has more than {_MAX_RECIPE} bytes.")
    return parse_record(data, _Drafted, file=str(file)).source, None


def _write_made(made: Made, recipe: MadeImage, folder: Path) -> Pin:
    """Lay an image that was made into a layout, and return its pin."""
    for part in (made.config, *made.layers):
        file = blob(folder, digest_of(part))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(part)
    write(folder, made.manifest, MANIFEST_TYPES[0], digest_of(made.manifest))
    layers = [(digest_of(layer), len(layer)) for layer in made.layers]
    return Pin(
        manifest=digest_of(made.manifest),
        platform=recipe.platform,
        config=digest_of(made.config),
        layers=tuple(PinnedLayer(digest=one, size=size, content=one.removeprefix("sha256:")) for one, size in layers),
    )


def _is_sound(entry: Path, pinned: Pin) -> bool:
    if not entry.is_dir():
        return False
    try:
        prove(entry, pinned)
    except PinMismatch:
        return False
    return True


def _empty(folder: Path) -> None:
    """Throw away what an earlier try left."""
    shutil.rmtree(folder)
    folder.mkdir()


def _key(pin: Pin) -> str:
    return pin.manifest.removeprefix("sha256:")


def _called(source: Source) -> str:
    return source.repository if source.registry is None else f"{source.registry}/{source.repository}"


def _heavy(source: Source, pin: Pin, above_mb: int | None) -> str | None:
    """Return what the registry says of an image's size, and the day, where that makes it heavy."""
    size = sum(layer.size for layer in pin.layers)
    if source.registry is None or above_mb is None or size <= above_mb * 1_000_000:
        return None
    return f"{source.registry} says {size / 1_000_000:.0f} MB of layers, {datetime.now(UTC):%Y-%m-%d}"


KIND = ContainerImageKind()
