"""Single-use sandboxes: the protocol, and what implements it. The referee's side of an attempt, never the agent's."""
