"""GitHub as the engine: what its events and forms say, what is asked of it and pushed to it, and what is answered."""
