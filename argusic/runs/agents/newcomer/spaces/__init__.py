"""How the newcomer treats a Space: built from its own definition, launched, reached, its interaction carried through.

`building` and `containers` build (the latter follows a Dockerfile without an engine), `serving` launches and waits,
`talking` puts values in and judges what comes out. `ask.py` and `browse.py` run inside: a client and a browser.
"""
