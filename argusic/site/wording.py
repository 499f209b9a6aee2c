"""The words that pages use for what records say in codes: one table a code, so that no two pages differ."""

from __future__ import annotations

from typing import Literal, NamedTuple

from argusic.pool.flavours import FLAVOURS as _FLAVOURS
from argusic.pool.registries import REGISTRIES

#: How a badge looks. The word on it says the same.
Tone = Literal["good", "partly", "open", "bad", "hollow"]


class Word(NamedTuple):
    """A code in words."""

    label: str
    """What a badge says."""
    tone: Tone
    """How it looks."""
    sign: str
    """A sign beside it, for eyes alone."""
    means: str
    """What it means, in one sentence."""


#: What is said of a subject.
VERDICTS = {
    "runs": Word("Runs", "good", "\u2713", "An attempt ran it and verified it for real."),
    "runs_with_mocks": Word(
        "Runs with mocks", "partly", "\u25d0", "The best attempt ran it, verified against mock services."
    ),
    "could_not_verify": Word(
        "Could not verify", "open", "?", "No attempt passed. This says what the agents could do, nothing more."
    ),
    "not_yet_verified": Word("Not yet verified", "hollow", "\u2026", "Testing has not finished."),
}

#: What a run came to.
OUTCOMES = {
    "pass_full": Word("Passed", "good", "\u2713", "Ran and was verified for real."),
    "pass_mock": Word("Passed with mocks", "partly", "\u25d0", "Ran, verified against mock services."),
    "fail": Word("Not a pass", "open", "\u2212", "Did not install, did not launch, or was not verified."),
    "timeout": Word("Out of time", "open", "\u25d4", "The time budget ran out. A timeout scores 0 on every line."),
    "invalid": Word("Invalid", "hollow", "\u00d7", "Published with its evidence, and counted nowhere."),
    "held": Word("Held", "hollow", "?", "The record contradicts its report; a person has to look before it may count."),
}

#: How much a finding of the audit says.
SEVERITIES = {"contradicted": "Contradicted:", "unsupported": "Not shown:", "note": "Note:"}

#: What a person found of the claims that a run was held for.
CLAIM_FINDINGS = {
    "audit": "The audit had misread the record, which bears the report out; the run counts as it is scored.",
    "record": "The record is at fault, not the agent; the run is invalid, and run again.",
    "agent": "The agent claimed what did not happen. The run counts with the score that its edition gives.",
}

#: How a dispute ended, and that it has not yet.
DISPUTES = {
    "corrected": "Corrected after a dispute.",
    "evidence_stands": "Disputed; the evidence stands.",
}
NOT_RESOLVED = "Disputed, and not yet resolved."

#: What became of what somebody asked for.
REQUESTS = {
    "open": "It is owed.",
    "waits": "It follows once the standard agent's attempts have ended without a pass.",
    "given": "It was made.",
    "lapsed": "It was not made: the subject was shown to run, or the cycle was closed before.",
}

#: What becomes of an agent's set on one subject.
SET_STATES = {
    "counted": Word("Counted", "good", "\u2713", "A complete set; its middle score counts."),
    "unstable": Word("Unstable", "partly", "\u2195", "Its runs lie too far apart; set aside for this cycle's board."),
    "incomplete": Word("Incomplete", "hollow", "\u2026", "It has fewer valid runs than a set needs."),
    "under_review": Word("Under review", "open", "?", "Every agent failed on the subject; a person has to look."),
}

#: The four lines of a score.
LINES = {
    "install": "Successful install",
    "launch": "Successful launch or tests",
    "error_recovery": "Error recovery",
    "verification_depth": "Verification depth",
}

#: How an agent works.
PROGRAMS = {"none": "no model", "shell": "Argusic's shell agent", "program": "an agent program of its own"}

#: Whether the exact configuration of an agent is known to readers.
IDENTITIES = {
    "open": "open",
    "sealed": "sealed, and committed to by its fingerprint",
    "revealed": "revealed, and found to be what was committed to",
}

#: The protocols that model servers speak.
APIS = {
    "openai_chat": "the OpenAI chat protocol",
    "openai_responses": "the OpenAI responses protocol",
    "anthropic_messages": "the Anthropic messages protocol",
}

#: How an agent reached its model.
KEYS = {
    "none": "none: the agent has no model",
    "per_run": "a key of this run alone, deleted at its end",
    "shared": "a shared key held by Argusic",
}

#: Where a row of the command table comes from, where it is no command that the agent gave to the harness.
SOURCES = {
    "set_up": "put the agent's program in place",
    "program": "the agent's own program",
    "observed": "seen from outside by the host",
    "self_reported": "as a shell inside wrote it down, which proves less",
}

#: What was changed in a served file.
TRANSFORMS = {
    "live_credential": "the run's own credential, masked",
    "secret_shape": "a value shaped like a credential, masked",
    "generated_key": "the body of a private key that the project generated, masked",
    "banner": "the start-up banner of the agent's program, left out",
}

#: The phases of an attempt.
PHASES = {
    "prepare": "Fetching and verifying the pinned subject",
    "start": "Starting the sandbox",
    "agent": "The agent at work",
    "collect": "Reading what it left",
    "destroy": "Destroying the sandbox",
}

#: Limits that a sandbox holds.
LIMITS = {
    "memory": "memory",
    "processes": "processes",
    "disk": "disk",
    "output": "output of one command",
    "command_time": "time of one command",
}

#: Files of evidence.
ROLES = {
    "run": "the run's record",
    "recording": "the recording of the terminal",
    "log": "the session as plain text",
    "commands": "the command table",
    "report": "the agent's report, byte for byte",
    "trajectory": "the agent's steps",
    "exchanges": "what agent and model said to each other, as the gateway wrote it down",
    "environment": "the environment's versions",
    "video": "the video of the display",
}

#: How a sandbox reaches the outside.
NETWORKS = {
    "none": "no network",
    "http_proxy": "out through a proxy for HTTP and HTTPS, nothing inbound",
    "bridge": "out through a network of its own, nothing inbound",
}

#: Why a verdict's review ended as it did.
REVIEWS = {"environment": "the environment was at fault", "project": "the project", "agents": "the agents"}

#: How far a report says that its verification got.
DEPTHS = {
    "tier1_real": "verified running for real",
    "tier2_mock": "verified against mock services",
    "tier3_none": "not verified",
}

#: The registries that packages and archives come from.
ECOSYSTEMS: dict[str, str] = {ecosystem: registry.called for ecosystem, registry in REGISTRIES.items()}

#: Where vendors publish their tools.
CHANNELS: dict[str, str] = {**ECOSYSTEMS, "debian": "Debian", "url": "a site of its own"}

#: How a client and an MCP server speak.
TRANSPORTS = {
    "stdio": "the pipes of its process (stdio)",
    "sse": "HTTP, with events that the server sends (SSE)",
    "streamable-http": "streamable HTTP",
}

#: What templates for the cloud are written for.
FLAVOURS: dict[str, str] = {flavour: one.called for flavour, one in _FLAVOURS.items()}
