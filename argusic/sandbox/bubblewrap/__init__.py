"""Sandboxes by bubblewrap, the embedded default on Linux: no daemon, nothing to install on the machine."""

from argusic.sandbox.bubblewrap.provider import Bubblewrap

__all__ = ["Bubblewrap"]
