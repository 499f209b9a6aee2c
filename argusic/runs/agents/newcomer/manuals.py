"""Reads the source of manual pages as a document: headings, paragraphs, and what is shown literally as blocks of code.

A reader's eye, not a formatter: it wants what a reader is told to type. Both ways to write a page are read, with the
macros of `man` and with those of `mdoc`.
"""

from __future__ import annotations

import re
import shlex

_ESCAPES = {
    r"\-": "-",
    r"\(aq": "'",
    r"\(dq": '"',
    r"\(cq": "'",
    r"\(oq": "'",
    r"\e": "\\",
    r"\(rs": "\\",
    r"\(bu": "*",
    r"\(em": "-",
    r"\(en": "-",
    r"\(ha": "^",
    r"\(ti": "~",
    r"\&": "",
    r"\:": "",
    r"\ ": " ",
    r"\~": " ",
    r"\c": "",
}
_ESCAPE = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)|\\s[-+]?\d|" + "|".join(re.escape(one) for one in _ESCAPES))
_STARTS = frozenset({".nf", ".EX", ".Bd", ".Vb"})
_ENDS = frozenset({".fi", ".EE", ".Ed", ".Ve"})
_BREAKS = frozenset({".PP", ".P", ".LP", ".TP", ".IP", ".HP", ".Pp", ".It", ".sp", ".br", ".RS", ".RE"})
_STYLES = frozenset({".B", ".I", ".BR", ".IR", ".RB", ".RI", ".BI", ".IB", ".SM", ".SB"})
_CLOSED_UP = frozenset({".BR", ".IR", ".RB", ".RI", ".BI", ".IB"})


def as_document(page: str) -> str:
    """Return a manual page as Markdown; a text that is none comes back much as it is."""
    lines: list[str] = []
    literal = False
    for raw in page.splitlines():
        macro, _, rest = raw.partition(" ")
        if raw.startswith(('.\\"', "'\\\"")) or (raw.startswith("'") and not literal):
            continue
        if not raw.startswith("."):
            lines.append(_plain(raw))
        elif macro in _STARTS and not literal:
            lines += ["", "```"]
            literal = True
        elif macro in _ENDS and literal:
            lines += ["```", ""]
            literal = False
        elif macro in (".SH", ".SS", ".Sh", ".Ss"):
            lines += ["```"] * literal + ["", f"# {_plain(rest.strip(chr(34)))}", ""]
            literal = False
        elif macro in (".Dl", ".D1"):
            lines += ["", "```", _plain(rest), "```", ""]
        elif macro in _STYLES:
            lines.append(_plain(("" if macro in _CLOSED_UP else " ").join(_words(rest))))
        elif macro in _BREAKS and not literal:
            lines.append("")
    return "\n".join([*lines, *(["```"] * literal)])


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[0], ""), text)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text.replace("\\", "\\\\").replace("'", "\\'"))
    except ValueError:
        return text.split()
