"""GitHub as the referee's desk: what its events and issue forms say, and what is answered. It talks to no server."""
