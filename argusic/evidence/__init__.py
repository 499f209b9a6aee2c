"""Evidence: what is kept of a run, how complete it is, and how anyone checks it."""
