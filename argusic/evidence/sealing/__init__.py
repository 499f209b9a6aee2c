"""Sealed evidence: raw files that may not be shown are kept for ever, encrypted to two keys, outside of git.

The attempt's machine needs public keys alone. Either private key opens what was sealed, and neither is ever below the
tree: one lost key would open everything, irrevocably, for whoever has a clone.
"""
