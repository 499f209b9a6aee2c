"""`python -m argusic`: the same program as `argusic`."""

from argusic.cli.main import run

run()
