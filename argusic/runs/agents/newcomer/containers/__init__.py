"""The newcomer's way with container images: the command lines of a description, typed in order as a reader does."""
