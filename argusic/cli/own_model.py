"""The options of `argusic try` that name a model of one's own, and the agent that they make."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from argusic.database.locating import field_name, refusals
from argusic.errors import InputError
from argusic.records.agent import Agent
from argusic.records.configuration import OpenConfiguration

UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="With --agent shell: the model's endpoint, up to its version."),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="With --agent shell: the model's name there.")
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="VARIABLE", help="The environment variable that holds its key. It needs --price."),
]
PriceOption = Annotated[
    str | None,
    typer.Option("--price", metavar="IN,OUT", help="US dollars for a million tokens read, and written: for the cap."),
]
_SHELL: Final = "shell"
#: The option that a field comes from.
_OPTIONS: Final = {
    "model.name": "--model",
    "model.url": "--url",
    "model.price.input_usd": "--price: what is read",
    "model.price.output_usd": "--price: what is written",
    "key.variable": "--key",
}


def own_agent(agent: str, url: str | None, model: str | None, key: str | None, price: str | None) -> Agent | None:
    """Return the agent that the options describe; None where they name one of the pool.

    Raises:
        InputError: They do not go together, or say something impossible.
    """
    if url is None and model is None:
        if key is not None or price is not None:
            raise InputError("--key and --price go with --url and --model.")
        if agent == _SHELL:
            raise InputError(
                "the agent shell needs a model.",
                advice="Name one: --url http://127.0.0.1:8080/v1 --model NAME, of a server that speaks OpenAI's chat.",
            )
        return None
    if url is None or model is None:
        raise InputError("--url and --model go together.")
    if agent != _SHELL:
        raise InputError(f"--url and --model are for --agent shell; {agent} is an agent of the pool.")
    if (key is None) != (price is None):
        raise InputError("--key and --price go together: a key is capped, and the cap is counted by the price.")
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise InputError("--url holds a name or a password; a key is handed over with --key.")
    used: dict[str, object] = {"name": model, "url": url.rstrip("/")}
    if price is not None:
        read, _, written = price.partition(",")
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        used["price"] = {
            "input_usd": read,
            "output_usd": written,
            "as_of": today,
            "source": "stated on the command line",
        }
    held = {"provider": "none"} if key is None else {"provider": "gateway", "variable": key}
    try:
        configuration = OpenConfiguration.model_validate({"model": used, "key": held})
    except ValidationError as error:
        (place, what), *_ = refusals(error, {"model": used, "key": held})
        field = field_name(place) or ""
        raise InputError(f"{_OPTIONS.get(field, field)} {what.rstrip('.')}.") from None
    return Agent(
        agent=_SHELL, title="Shell", role="agent", program="shell", implementation=_SHELL, configuration=configuration
    )
