"""Makes a file of results out of a copy of what a source publishes."""
