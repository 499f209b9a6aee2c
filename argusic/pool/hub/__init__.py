"""Repositories of a Hugging Face hub, models and Spaces alike: looked up, fetched at a revision, proved, and laid out.

The hub is spoken to by `huggingface_hub` alone, in a process of its own (`talk`, started by `client`). What the cache
keeps is named by the digests of the pinned files (`snapshots`), so that it can be proved at every use.
"""
