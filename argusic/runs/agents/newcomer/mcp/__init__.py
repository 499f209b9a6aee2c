"""How the newcomer treats an MCP server: how it is started, what to call, and what the answers are worth.

`configured` reads the documentation, `starting` makes its commands ones of this machine, `calls` makes arguments,
`answers` judges what came back. `probe.py` runs inside, under the official client. `values.yaml` is what is known of
arguments.
"""
