"""A repository of a hub looked up, and its files pinned: models and Spaces alike, each refusal in its own class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import TypeAdapter, ValidationError

from argusic.errors import InputError
from argusic.pool.files import patiently
from argusic.pool.hub.answers import Found, Listed
from argusic.pool.hub.client import Hub, Locked, Missing, RepoType
from argusic.pool.hub.snapshots import fetched_files
from argusic.pool.kinds.protocol import PinMismatch, SubjectUnavailable, Workshop
from argusic.records.hub import MAX_HUB_BYTES, HubFile, HubFiles

_CALLED: Final = {"model": "model", "space": "Space"}
_FILES: Final[TypeAdapter[tuple[HubFile, ...]]] = TypeAdapter(HubFiles)


def pin_newest(
    hub: Hub,
    kind: RepoType,
    name: str,
    revision: str | None,
    choose: Callable[[Found], Sequence[Listed]],
    workshop: Workshop,
    pauses: tuple[float, ...],
) -> tuple[Found, tuple[HubFile, ...]]:
    """Look a repository up, and fetch and pin the files of it that count. They are in the cache then.

    Args:
        hub: The hub.
        kind: What it is there.
        name: Its name there.
        revision: The revision; the newest of its default branch without one.
        choose: Says which of its files count.
        workshop: What is fetched with.
        pauses: How long to wait before each further try, in seconds.

    Raises:
        InputError: There is none, it is not open to everybody, or it is more than is tested.
        SubjectUnavailable: The hub could not be reached, or contradicts itself.
    """
    called = _CALLED[kind]
    workshop.progress(f"looking up {name}")
    try:
        found = patiently(lambda: hub.look_up(kind, name, revision), pauses)
        chosen = choose(found)
        if not chosen:
            raise InputError(f"{found.name} holds no files.")
        if sum(file.size for file in chosen) > MAX_HUB_BYTES:
            raise InputError(f"{found.name} has more than {MAX_HUB_BYTES} bytes, the most that is tested.")
        workshop.progress(f"fetching {found.name} at {found.revision[:12]}")
        files = patiently(lambda: fetched_files(hub, kind, found.name, found.revision, chosen, workshop), pauses)
        return found, _FILES.validate_python(files)
    except Missing as error:
        raise InputError(f"There is no such {called}: {error}.") from error
    except Locked as error:
        raise InputError(
            f"{name} is not open: {error}.",
            advice=f"Set HF_TOKEN to a token of an account that was let in, or take a {called} that is open.",
        ) from error
    except PinMismatch as error:
        raise SubjectUnavailable(f"the hub contradicts itself: {error}") from error
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(f"The files of {name} cannot be pinned: they {said}.") from error
