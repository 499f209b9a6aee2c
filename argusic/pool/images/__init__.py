"""Container images: pulled from a registry or made from published builds, proved by digest, and handed to a sandbox.

Nothing of an image is unpacked, and nothing of it runs, on the host. `machine` holds what carries out an image's
commands inside a sandbox, and is handed in beside it.
"""
