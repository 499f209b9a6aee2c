"""Attempts and cycles: from a pinned subject and an agent to a published run."""
