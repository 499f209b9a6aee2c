"""A local signing authority: certificates, their log, the signatures' log and identities, on the user's own machine.

It speaks what Sigstore's public services speak, so that one signer, one bundle, one verifier and one policy run
everywhere. It proves that whoever holds the keys signed, and nothing about who that is: its log and its clock are its
owner's own.
"""
