"""The evidence stores that others reach: a private bucket, the assets of releases, and packs in the repository itself.

A file is always put into the folder on this machine first (`argusic.evidence.store`), so that no attempt waits for a
network. `collecting` sends what is not there yet; `cached` brings back what is asked for and not here, and proves it by
its digest before anybody gets its path. `configured.store_of` is the one way to the store of a repository.
"""
