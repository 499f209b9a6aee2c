"""Sandboxes by a Docker engine, or by whatever else speaks its language: the published environment as an image."""

from argusic.sandbox.docker.provider import Docker

__all__ = ["Docker"]
