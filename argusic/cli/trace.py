"""`argusic trace`: the whole chain of any published figure, down to seconds of recordings, checked step by step."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from argusic.cli.context import database
from argusic.cli.output import console, emit, printable
from argusic.referee.tracing.link import Broken, Link
from argusic.referee.tracing.tracing import Tracer

#: For people, at most this many links stand below one.
_MOST_BELOW = 24
#: Wider than any line of a chain.
_WIDE = 4000
_NOT_SAID = "Who vouches for the manifests is not said here: `argusic verify` checks the signatures over them."


def register(app: typer.Typer) -> None:
    """Add the command `trace`."""
    app.command("trace")(trace_command)


def trace_command(
    figure: Annotated[
        str,
        typer.Argument(
            metavar="FIGURE",
            help="Its address, PATH#FIGURE, as each page of the site names it. PATH alone lists the figures of a file.",
        ),
    ],
    offline: Annotated[
        bool, typer.Option("--offline", help="Fetch nothing from a store elsewhere; what is not here breaks the chain.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print the whole chain of a published figure, checked on the way. Ends with status 1 where it breaks."""
    out = console(stderr=True)
    with out.status("tracing") as status:
        tracer = Tracer(
            database(), lambda runs: status.update(f"tracing: {runs} runs' evidence checked"), offline=offline
        )
        if "#" not in figure.rstrip("#"):
            listed = tracer.addresses(figure)
            status.stop()
            emit(as_json, {"file": figure, "figures": listed}, lambda out: _list(out, listed))
            return
        try:
            chain = tracer.trace(figure)
        except Broken as broken:
            status.stop()
            if as_json:
                emit(True, _plain_break(figure, broken), lambda out: None)
            raise
    emit(as_json, _plain(figure, chain), lambda out: _render(out, chain))


def _plain(figure: str, chain: Link) -> dict[str, Any]:
    return {
        "ok": True,
        "figure": figure,
        "value": chain.value,
        "seconds": sum(link.second is not None for link in chain.walk()),
        "files": [{"file": file, "sha256": sha256} for file, sha256 in chain.files().items()],
        "chain": chain.plain(),
    }


def _plain_break(figure: str, broken: Broken) -> dict[str, Any]:
    place = broken.place
    where = {"file": str(place.file), "line": place.line, "field": place.field} if place is not None else {}
    return {"ok": False, "figure": figure, "broken": {**where, "what": broken.reason}}


def _list(out: Console, listed: list[str]) -> None:
    for address in listed:
        out.print(printable(address))


def _render(out: Console, chain: Link) -> None:
    # On a screen lines are wrapped inside of the tree; elsewhere each stays whole, for other programs.
    if not out.is_terminal:
        out.width = _WIDE
    out.print(_tree(chain), soft_wrap=False)
    out.print("Files on this chain:", style="bold")
    for file, sha256 in chain.files().items():
        out.print(printable(f"  {sha256}  {file}"))
    checked = {what for link in chain.walk() for what in link.checked}
    if checked:
        out.print(f"Checked: {'; '.join(sorted(checked))}.")
    ends = sum(link.second is not None for link in chain.walk())
    out.print(f"The chain holds. It ends in {_places(ends)}.", style="green")
    if any(link.against for link in chain.walk()):
        out.print(_NOT_SAID)


def _places(ends: int) -> str:
    if not ends:
        return "no recording"
    return "one place of a recording" if ends == 1 else f"{ends:,} places of recordings"


def _tree(link: Link, parent: Tree | None = None) -> Tree:
    label = Text()
    label.append(f"{_flat(link.what)}: ")
    label.append("none" if link.value is None else _flat(link.value), style="bold")
    if link.exact is not None and link.exact != str(link.value):
        label.append(f" (exactly {link.exact})")
    if link.rule:
        label.append(_flat(f", {link.rule[0].lower() + link.rule[1:]}"))
    where = f"{link.file}:{link.line}" if link.line else link.file
    label.append(printable(f"\n{where}"), style="dim")
    label.append(f" sha256 {link.sha256[:12]}", style="dim")
    if link.play:
        label.append(printable(f" at {_clock(link.second or 0)}, {link.play}"), style="cyan")
    for remark in link.remarks:
        label.append(f"\n{_flat(remark)}", style="yellow")
    tree = Tree(label) if parent is None else parent.add(label)
    for below in link.below[:_MOST_BELOW]:
        _tree(below, tree)
    if len(link.below) > _MOST_BELOW:
        tree.add(Text(f"and {len(link.below) - _MOST_BELOW} more, checked alike; --json has them all"))
    return tree


def _flat(text: object) -> str:
    """Return a text on one line of its own: what strangers wrote must not pass for another link."""
    return " ".join(printable(str(text)).split())


def _clock(second: float) -> str:
    return f"{int(second) // 60}:{int(second) % 60:02}"
