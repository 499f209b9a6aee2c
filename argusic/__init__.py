"""Argusic: a referee for software and for the AI that runs it, living whole in one git repository."""

__version__ = "0.1.0"
