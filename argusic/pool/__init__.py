"""The pool: cycles, subjects and agents; how a subject of each kind is pinned, fetched, verified and handed in."""
