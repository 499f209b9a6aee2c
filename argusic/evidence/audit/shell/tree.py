"""What a command line is made of, as the shell reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Word:
    """One word.

    Attributes:
        text: It, without its quotes. Expansions stand in it as they were written.
        inner: The command lines of the substitutions in it, `$(...)`, backticks and `<(...)`.
        plain: Whether no part of it was quoted: only then can it be a reserved word.
        fixed: Whether nothing in it is expanded, but for file names.
    """

    text: str
    inner: tuple[str, ...] = ()
    plain: bool = field(default=True, compare=False)
    fixed: bool = True


@dataclass(frozen=True)
class Redirect:
    """Where a stream goes or comes from: the operator with its number, such as `2>`, and the target."""

    operator: str
    target: Word


@dataclass(frozen=True)
class Simple:
    """One program, or builtin, with its arguments.

    Attributes:
        words: The program and its arguments; empty where there are only assignments.
        assigned: The variables that are set before it, each with its value.
        redirects: Its redirections.
        here: What a here-document or here-string gives it to read.
    """

    words: tuple[Word, ...]
    assigned: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    here: str | None = None

    @property
    def program(self) -> str:
        """The program's name without its folder; empty where there is none."""
        return self.words[0].text.rstrip("/").rsplit("/", 1)[-1] if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments as text."""
        return tuple(word.text for word in self.words[1:])


@dataclass(frozen=True)
class Compound:
    """Commands that belong together.

    Attributes:
        kind: `function` is only defined here, and runs where its name is called.
        bodies: What runs, or may run: the branches of an `if` or `case`, the body of a loop.
        conditions: What decides, and does not count towards the status.
        redirects: Redirections of the whole.
        name: The name of a function.
    """

    kind: Literal["subshell", "group", "branch", "loop", "function"]
    bodies: tuple[Script, ...]
    conditions: tuple[Script, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Pipeline:
    """Commands of which each reads what the one before it prints."""

    parts: tuple[Simple | Compound, ...]
    negated: bool = False


@dataclass(frozen=True)
class Item:
    """A pipeline in its place.

    Attributes:
        pipeline: It.
        joined: How it is joined to the one before: `;` always follows, the others depend on the status.
        background: Whether nobody waits for it.
    """

    pipeline: Pipeline
    joined: Literal[";", "&&", "||"] = ";"
    background: bool = False


@dataclass(frozen=True)
class Script:
    """Pipelines in their order."""

    items: tuple[Item, ...]
