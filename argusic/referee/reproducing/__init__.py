"""Running again what a cycle ran, somewhere else, and saying how far it came out the same."""
