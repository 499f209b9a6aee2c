"""Words and operators to the tree of commands: lists, pipelines, groups, branches, loops."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal

from argusic.evidence.audit.shell.lexer import Lexer, Operator, Unreadable
from argusic.evidence.audit.shell.tree import Compound, Item, Pipeline, Redirect, Script, Simple, Word

__all__ = ["Unreadable", "parse"]

#: Deeper nesting and longer command lines are not read.
_DEEPEST: Final = 40
_LONGEST: Final = 256 * 1024

_REDIRECTS: Final = frozenset(("<", ">", ">>", "<<", "<<-", "<<<", "<&", ">&", "<>", ">|", "&>", "&>>"))
_CLOSERS: Final = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}"))
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def parse(text: str) -> Script:
    """Return the tree of a command line.

    Raises:
        Unreadable: It is no shell that this reads.
    """
    if len(text) > _LONGEST:
        raise Unreadable("the command line is too long to be read")
    parser = _Parser(Lexer(text).tokens())
    script = parser.script(frozenset())
    if not parser.at_end:
        raise Unreadable("something stands where no command can")
    return script


class _Parser:
    def __init__(self, tokens: list[Word | Operator]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def _operator(self) -> str | None:
        """The operator that comes next, if one does."""
        token = self._tokens[self._at] if not self.at_end else None
        return token.text if isinstance(token, Operator) else None

    def _reserved(self) -> str | None:
        """The next word, if it can be a reserved one."""
        token = self._tokens[self._at] if not self.at_end else None
        return token.text if isinstance(token, Word) and token.plain else None

    def _skip_lines(self) -> None:
        while self._operator() in ("\n", ";"):
            self._at += 1

    def _expect(self, text: str) -> None:
        self._skip_lines()
        if text not in (self._operator(), self._reserved()):
            raise Unreadable(f"{text} is missing")
        self._at += 1

    def script(self, closers: Collection[str]) -> Script:
        """Read pipelines up to one of `closers`, which stays."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unreadable("the command line is nested too deeply")
        items: list[Item] = []
        joined: Literal[";", "&&", "||"] = ";"
        while True:
            while self._operator() == "\n" or (self._operator() == ";" and joined == ";"):
                self._at += 1
            following = self._operator() or self._reserved()
            if self.at_end or following in closers or following in (")", ";;", ";&") or following in _CLOSERS:
                break
            pipeline = self._pipeline()
            operator = self._operator()
            items.append(Item(pipeline, joined, background=operator == "&"))
            joined = ";"
            if operator in ("&&", "||"):
                joined = "&&" if operator == "&&" else "||"
                self._at += 1
            elif operator in (";", "&", "\n"):
                self._at += 1
            elif not self.at_end and operator not in (")", ";;", ";&"):
                raise Unreadable("a command is not ended")
        if joined != ";":
            raise Unreadable("the command line ends with an operator")
        self._depth -= 1
        return Script(tuple(items))

    def _pipeline(self) -> Pipeline:
        negated = False
        while self._reserved() in ("!", "time"):
            negated ^= self._reserved() == "!"
            self._at += 1
            while self._reserved() == "-p":
                self._at += 1
        parts = [self._command()]
        while self._operator() in ("|", "|&"):
            self._at += 1
            while self._operator() == "\n":
                self._at += 1
            parts.append(self._command())
        return Pipeline(tuple(parts), negated)

    def _command(self) -> Simple | Compound:
        if self._operator() == "(":
            self._at += 1
            body = self.script((")",))
            self._expect(")")
            return Compound("subshell", (body,), redirects=self._redirects())
        match self._reserved():
            case "{":
                self._at += 1
                body = self.script(("}",))
                self._expect("}")
                return Compound("group", (body,), redirects=self._redirects())
            case "if":
                return self._branches()
            case "while" | "until":
                self._at += 1
                condition = self.script(("do",))
                return Compound("loop", (self._done(),), (condition,), self._redirects())
            case "for" | "select":
                return self._for()
            case "case":
                return self._case()
            case "function":
                self._at += 1
        if self._is_function():
            return self._function()
        return self._simple()

    def _branches(self) -> Compound:
        conditions, bodies = [], []
        while self._reserved() in ("if", "elif"):
            self._at += 1
            conditions.append(self.script(("then",)))
            self._expect("then")
            bodies.append(self.script(("elif", "else", "fi")))
        if self._reserved() == "else":
            self._at += 1
            bodies.append(self.script(("fi",)))
        self._expect("fi")
        return Compound("branch", tuple(bodies), tuple(conditions), self._redirects())

    def _done(self) -> Script:
        self._expect("do")
        body = self.script(("done",))
        self._expect("done")
        return body

    def _for(self) -> Compound:
        self._at += 1
        words: list[Word] = []
        while not self.at_end and self._reserved() != "do":
            token = self._tokens[self._at]
            if isinstance(token, Word):
                words.append(token)
            self._at += 1
        # The words are no command, but what is substituted in them runs.
        listed = Script((Item(Pipeline((Simple((Word(":"), *words)),))),))
        return Compound("loop", (self._done(),), (listed,), self._redirects())

    def _case(self) -> Compound:
        self._at += 2
        self._expect("in")
        self._skip_lines()
        bodies = []
        while not self.at_end and self._reserved() != "esac":
            while not self.at_end and self._operator() != ")":
                self._at += 1
            self._expect(")")
            bodies.append(self.script(("esac",)))
            while self._operator() in (";;", ";&", "\n", ";", "&"):
                self._at += 1
        self._expect("esac")
        return Compound("branch", tuple(bodies), (), self._redirects())

    def _is_function(self) -> bool:
        following = self._tokens[self._at : self._at + 3]
        kinds = [type(token) for token in following]
        return kinds == [Word, Operator, Operator] and [token.text for token in following[1:]] == ["(", ")"]

    def _function(self) -> Compound:
        name = self._tokens[self._at].text
        self._at += 3
        while self._operator() == "\n":
            self._at += 1
        body = self._command()
        return Compound("function", (Script((Item(Pipeline((body,))),)),), name=name)

    def _redirects(self) -> tuple[Redirect, ...]:
        found = []
        while self._operator() in _REDIRECTS:
            found.append(self._redirect()[0])
        return tuple(found)

    def _redirect(self) -> tuple[Redirect, str | None]:
        operator = self._tokens[self._at]
        assert isinstance(operator, Operator)
        self._at += 1
        target = self._tokens[self._at] if not self.at_end else None
        if not isinstance(target, Word):
            raise Unreadable(f"{operator.text} has no target")
        self._at += 1
        here = operator.here if operator.text in ("<<", "<<-") else None
        if operator.text == "<<<":
            here = target.text
        return Redirect(operator.number + operator.text, target), here

    def _simple(self) -> Simple:
        words: list[Word] = []
        assigned: list[tuple[str, Word]] = []
        redirects: list[Redirect] = []
        here: str | None = None
        if self._reserved() == "[[":
            words = self._test()
        while not self.at_end:
            token = self._tokens[self._at]
            if isinstance(token, Operator):
                if token.text not in _REDIRECTS:
                    break
                redirect, text = self._redirect()
                redirects.append(redirect)
                here = text if text is not None else here
                continue
            self._at += 1
            assignment = _ASSIGNMENT.fullmatch(token.text) if not words else None
            if assignment is not None:
                assigned.append((assignment[1], Word(assignment[2], token.inner, token.plain, token.fixed)))
            else:
                words.append(token)
        if not (words or assigned or redirects):
            raise Unreadable("a command is missing")
        return Simple(tuple(words), tuple(assigned), tuple(redirects), here)

    def _test(self) -> list[Word]:
        """Read `[[ ... ]]`, in which operators compare."""
        words = []
        while not self.at_end and self._reserved() != "]]":
            token = self._tokens[self._at]
            words.append(token if isinstance(token, Word) else Word(token.text))
            self._at += 1
        self._expect("]]")
        return words
