"""The flavours of prebuilt cloud templates: what each is called, what its own files are, and what counts as running.

A flavour is an entry of this table and a word in `argusic.records.sources.cloud_template`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from argusic.records.sources.cloud_template import Flavour

_CLOUD = (
    "It is deployed as one stack with this very file: parameters are given, nothing in the file is changed. It runs\n"
    "when the stack is complete and what it made does what the template promises: what is put in comes out again.\n"
    "No account is at hand. Where a local server stands in for the cloud, such as moto's, that is a mock: say so in\n"
    "the report (`tier2_mock`)."
)


class FlavourFacts(NamedTuple):
    """One flavour."""

    called: str
    """What sentences call a template of it."""
    entries: tuple[tuple[str, ...], ...]
    """The names of its own files where it is a folder, each with its alternatives; empty where it is one file."""
    main: re.Pattern[str] | None
    """What in the first of them names the file that it starts with."""
    counts: str
    """How it is deployed and when it runs, as the task says it."""


#: Every flavour, by its id.
FLAVOURS: dict[Flavour, FlavourFacts] = {
    "cloudformation": FlavourFacts("a template for AWS CloudFormation", (), None, _CLOUD),
    "sam": FlavourFacts(
        "a template for the AWS Serverless Application Model",
        (),
        None,
        f"{_CLOUD}\nIts transform is made by AWS's own library or program, from this very file.",
    ),
    "worker": FlavourFacts(
        "a template for Cloudflare Workers",
        (("wrangler.jsonc", "wrangler.json", "wrangler.toml"),),
        re.compile(r"^\s*\"?main\"?\s*[:=]\s*\"(?:\./)?(?P<main>[^\"]+)\"", re.MULTILINE),
        "It is deployed as its listing documents, to the vendor's own local runtime (`wrangler dev`). Where its\n"
        "configuration has blanks, the vendor's own program fills them in, and nothing else changes its files.\n"
        "It runs when the worker answers and serves what the listing promises. Services that the runtime only\n"
        "simulates on one machine (storage, queues, databases) are mocks: say so in the report (`tier2_mock`).",
    ),
    "compose": FlavourFacts(
        "a template for Docker Compose",
        (),
        None,
        "Its services are started with this very file. It runs when they are up and serve what the listing promises.",
    ),
    "cookiecutter": FlavourFacts(
        "a template for cookiecutter",
        (("cookiecutter.json",),),
        None,
        "A project is made of it with cookiecutter, from these very files and with the template's own defaults. It\n"
        "runs when the project that was made installs, starts and does what its documentation promises.",
    ),
}
