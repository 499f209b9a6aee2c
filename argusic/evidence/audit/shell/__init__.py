"""Reading shell command lines: far enough to say which programs run, in which pipe, and whose status counts.

Nothing is ever run or expanded. A here-document is what a program reads, not a command; a quoted word is one word.
What cannot be read raises `Unreadable`: the audit then says nothing of how such a command verifies.
"""

from __future__ import annotations

from argusic.evidence.audit.shell.parser import Unreadable, parse

__all__ = ["Unreadable", "parse"]
