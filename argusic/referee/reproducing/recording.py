"""Writing a reproduction down: the runs of a scratch database as facts of one file."""
