"""The exact configuration of an agent from a file that a person wrote, for entering the agent into the pool."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError

from argusic.database.codec import read_file
from argusic.database.locating import field_name, line_of, refusals
from argusic.database.reading import parse
from argusic.errors import InputError, Place
from argusic.records.configuration import OpenConfiguration


def configuration_in(file: Path) -> OpenConfiguration:
    """Return the configuration in a file: its fields are model, program and key.

    Raises:
        InputError: It is not there, no YAML, or no configuration; with file, line and field.
    """
    data = read_file(file)
    value = parse(data, file=file)
    if not isinstance(value, dict):
        raise InputError("holds no configuration: its fields are model, program and key.", place=Place(file, 1))
    try:
        made = OpenConfiguration.model_validate(value)
    except ValidationError as error:
        place, what = refusals(error, value)[0]
        found = Place(file, line_of(data, place), field_name(place))
        raise InputError(f"{what.rstrip('.')}.", place=found) from None
    for place, url in ((("model", "url"), made.model.url), (("key", "url"), made.key.url)):
        if url is not None and "@" in urlsplit(url).netloc:
            found = Place(file, line_of(data, place), field_name(place))
            raise InputError("holds a name or a password: a configuration holds no key.", place=found)
    return made
