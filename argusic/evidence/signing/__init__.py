"""Signatures over evidence: who vouches that these files are the ones that were collected.

One in-toto statement for each batch of runs, in a DSSE envelope, as a Sigstore bundle. There is one mode; which
authority certifies the signer (Sigstore's public instance or a local one) is a matter of the trust configuration.
"""
