"""Looking behind programs that run other programs: `bash -c`, `timeout 20`, `xargs`, `poetry run`, `find -exec`."""

from __future__ import annotations

import re
from dataclasses import replace

from argusic.evidence.audit.shell.parser import parse
from argusic.evidence.audit.shell.tree import Item, Pipeline, Script, Simple, Word
from argusic.evidence.audit.tables import Tables, Wrapper, named

_SET_OPTION = re.compile(r"[-+][a-zA-Z]+")


def unwrapped(simple: Simple, tables: Tables) -> Simple | Script:
    """Return what really runs: the command behind wrappers, or the script that a shell is given.

    Raises:
        Unreadable: That script is no shell that this reads.
    """
    for _ in range(8):
        if not simple.words:
            return simple
        if named(simple.program, tables.shells.programs):
            return _script(simple, tables) or simple
        if simple.program == "eval":
            return parse(" ".join(simple.arguments))
        if simple.program == "find" and (run := _of_find(simple)) is not None:
            simple = run
            continue
        if simple.arguments[:1] == ("compose",) and simple.program in ("docker", "podman", "nerdctl"):
            simple = replace(simple, words=(Word("docker-compose"), *simple.words[2:]))
        if simple.program == "command" and simple.arguments[:1] in (("-v",), ("-V",)):
            return simple
        wrapper = tables.wrapper(simple.program, simple.arguments)
        if wrapper is None or (words := _behind(simple, wrapper)) is None:
            return simple
        simple = replace(simple, words=words)
    return simple


def _behind(simple: Simple, wrapper: Wrapper) -> tuple[Word, ...] | None:
    """Return the command behind a wrapper's own arguments; None where there is none."""
    words = list(simple.words[1:])
    if wrapper.verb:
        words.pop(0)
    operands = wrapper.operands
    while words:
        text = words[0].text
        if text == "--":
            words.pop(0)
        elif text.startswith("-") and len(text) > 1:
            del words[: 2 if text in wrapper.values else 1]
        elif "=" in text and re.match(r"[A-Za-z_]\w*=", text):
            words.pop(0)
        elif operands:
            operands -= 1
            words.pop(0)
        else:
            return tuple(words)
    return None


def _script(simple: Simple, tables: Tables) -> Script | None:
    """Return what a shell is told to run, with the options that it was given as a `set` before it."""
    words = simple.words[1:]
    options: list[Word] = []
    at = 0
    while at < len(words) and _SET_OPTION.fullmatch(words[at].text):
        text = words[at].text
        if "c" in text[1:] and at + 1 < len(words):
            kept = text.replace("c", "").replace("l", "").replace("i", "")
            options += [Word(kept)] if len(kept) > 1 else []
            return _with_options(parse(words[at + 1].text), options)
        if text == "-n":
            return None
        if text.endswith("o") and at + 1 < len(words):
            options += [words[at], words[at + 1]]
            at += 1
        elif text not in ("-l", "-i", "-s"):
            options.append(words[at])
        at += 1
    if at == len(words) and simple.here is not None:
        return _with_options(parse(simple.here), options)
    return None


def _with_options(script: Script, options: list[Word]) -> Script:
    if not options:
        return script
    first = Item(Pipeline((Simple((Word("set"), *options)),)))
    return Script((first, *script.items))


def _of_find(simple: Simple) -> Simple | None:
    texts = simple.arguments
    for option in ("-exec", "-execdir", "-ok"):
        if option in texts:
            words = simple.words[texts.index(option) + 2 :]
            end = next((at for at, word in enumerate(words) if word.text in (";", "+")), len(words))
            return replace(simple, words=words[:end]) if end else None
    return None
