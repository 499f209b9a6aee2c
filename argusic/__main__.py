"""`python -m argusic`: the same program as `argusic`."""

from argusic.cli.start import run

run()
