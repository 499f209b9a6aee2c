"""Whose failure the shell notices: which commands of a line can fail without the line's status saying so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from argusic.evidence.audit.shell.tree import Compound, Item, Script, Simple
from argusic.evidence.audit.shell.unwrap import unwrapped
from argusic.evidence.audit.tables import Tables

#: `or`: something else succeeds instead. `sequence`: more follows. `pipe`: the end of the pipe succeeds whatever
#: comes in. `background`: nobody waits.
How = Literal["or", "sequence", "pipe", "background"]

_STATUS = re.compile(r"\$\?|\$\{?PIPESTATUS(?:\[\d+\])?\}?|\$\{?(?:rc|status|ret|code|exit_code|EXIT)\}?")


@dataclass(frozen=True)
class Unheeded:
    """A command whose failure the status of the whole does not tell.

    Attributes:
        simple: It, without what wraps it.
        how: Why not.
        shown: What prints the status instead, as a regular expression with the status as its group; or None.
    """

    simple: Simple
    how: How
    shown: str | None = None


@dataclass
class _Options:
    pipefail: bool = False
    errexit: bool = False


def unheeded(script: Script, tables: Tables) -> tuple[Unheeded, ...]:
    """Return every command of a script that can fail unnoticed, in order.

    Raises:
        Unreadable: A script inside cannot be read.
    """
    return tuple(_Reader(tables).script(script, _Options()))


class _Reader:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def script(self, script: Script, options: _Options) -> Iterator[Unheeded]:
        chains = list(_chains(script.items))
        for number, chain in enumerate(chains):
            self._heed(chain, options)
            if chain[-1].background:
                yield from (Unheeded(simple, "background") for item in chain for simple in self._all(item))
                continue
            last = number == len(chains) - 1
            heeded = last or options.errexit or self._stops(chain)
            shown = _shown(chains[number + 1]) if not last else None
            yield from self._chain(chain, options, None if heeded else "sequence", shown)

    def _chain(self, chain: list[Item], options: _Options, lost: How | None, shown: str | None) -> Iterator[Unheeded]:
        for at, item in enumerate(chain):
            rest = chain[at + 1 :]
            instead = next((number for number, later in enumerate(rest) if later.joined == "||"), None)
            how = lost
            if instead is not None and not self._fails(rest[instead]):
                how = "or"
                shown = _shown(rest[instead:]) or shown
            yield from self._item(item, options, how, shown)

    def _item(self, item: Item, options: _Options, how: How | None, shown: str | None) -> Iterator[Unheeded]:
        parts = item.pipeline.parts
        for at, part in enumerate(parts):
            here = how
            if here is None and at < len(parts) - 1 and not options.pipefail:
                last = parts[-1]
                here = "pipe" if isinstance(last, Simple) and last.program in self._tables.accepting else None
            inner = unwrapped(part, self._tables) if isinstance(part, Simple) else part
            if isinstance(inner, Simple):
                if here is not None:
                    yield Unheeded(inner, here, shown)
                continue
            scripts = (inner,) if isinstance(inner, Script) else inner.bodies
            fresh = isinstance(inner, Script)
            for below in scripts:
                own = _Options() if fresh else _Options(options.pipefail, options.errexit)
                if here is None:
                    yield from self.script(below, own)
                else:
                    yield from (Unheeded(simple, here, shown) for one in below.items for simple in self._all(one))

    def _all(self, item: Item) -> Iterator[Simple]:
        for part in item.pipeline.parts:
            inner = unwrapped(part, self._tables) if isinstance(part, Simple) else part
            if isinstance(inner, Simple):
                yield inner
            else:
                scripts = (inner,) if isinstance(inner, Script) else inner.bodies
                yield from (simple for script in scripts for one in script.items for simple in self._all(one))

    def _heed(self, chain: list[Item], options: _Options) -> None:
        """Take `set -e` and `set -o pipefail` into account from here on."""
        for item in chain:
            for part in item.pipeline.parts:
                if isinstance(part, Simple) and part.program == "set":
                    words = part.arguments
                    options.pipefail |= "pipefail" in words
                    options.errexit |= "errexit" in words or any(re.fullmatch(r"-[a-z]*e[a-z]*", w) for w in words)

    def _stops(self, chain: list[Item]) -> bool:
        """Return whether a failure in the chain ends the whole."""
        return any(item.joined == "||" and self._fails(item) for item in chain)

    def _fails(self, item: Item) -> bool:
        """Return whether a pipeline ends with a failure whatever happens."""
        part = item.pipeline.parts[-1]
        if isinstance(part, Compound):
            return bool(part.bodies) and part.kind != "loop" and all(self._fails_whole(body) for body in part.bodies)
        if part.program in ("exit", "return"):
            return not part.arguments or part.arguments[0] != "0"
        return part.program == "false"

    def _fails_whole(self, script: Script) -> bool:
        return bool(script.items) and self._fails(script.items[-1])


def _chains(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the pipelines that `&&` and `||` join."""
    chain: list[Item] = []
    for item in items:
        if chain and item.joined == ";":
            yield chain
            chain = []
        chain.append(item)
    if chain:
        yield chain


def _shown(chain: list[Item]) -> str | None:
    """Return what recognises the status in what follows, where that prints it."""
    for item in chain:
        for part in item.pipeline.parts:
            if isinstance(part, Simple) and part.program in ("echo", "printf"):
                text = " ".join(word for word in part.arguments if not re.fullmatch(r"-[neE]+", word))
                if (status := _STATUS.search(text)) is not None:
                    before = re.escape(text[: status.start()].split("\\n")[-1][-40:])
                    return rf"{before}(\d+)"
    return None
