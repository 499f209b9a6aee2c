"""What pages call subjects: by their own names, and where two share one, so that a reader can tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from argusic.records.subject import Subject


def names_apart(subjects: Iterable[Subject]) -> dict[str, str]:
    """Return what each subject is called, by its address.

    A name that is one subject's alone stands by itself. One that several share is followed by the ecosystem of each,
    or by its kind where it has none; where even that is the same, by its address.
    """
    known = list(subjects)
    alike = Counter(subject.name.casefold() for subject in known)
    longer = {
        subject.ref: f"{subject.name} ({getattr(subject.source, 'ecosystem', None) or subject.kind})"
        for subject in known
        if alike[subject.name.casefold()] > 1
    }
    still_alike = Counter(name.casefold() for name in longer.values())
    return {
        subject.ref: subject.name
        if (name := longer.get(subject.ref)) is None
        else name
        if still_alike[name.casefold()] == 1
        else f"{subject.name} ({subject.ref})"
        for subject in known
    }
