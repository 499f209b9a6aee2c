"""Tracing: from any published figure down to seconds of recordings, every step checked on the way.

It lives here because it spans everything below: derived files, runs, reports, the audit's matching and evidence.
"""
