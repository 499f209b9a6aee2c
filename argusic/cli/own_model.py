"""The options of `argusic try` that name a model of one's own, and the agent that they make."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer
from pydantic import ValidationError

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
    if not urlsplit(url).hostname:
        raise InputError(f"--url {url!r} is no address, such as http://127.0.0.1:8080/v1.")
    if "@" in urlsplit(url).netloc:
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
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"the options give no usable model: {where}: {first['msg']}.") from None
    return Agent(
        agent=_SHELL, title="Shell", role="agent", program="shell", implementation=_SHELL, configuration=configuration
    )
