"""The display of an attempt on a desktop application, out of the agent's reach."""
