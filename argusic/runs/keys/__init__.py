"""A model key for each run: issued with a cap and an expiry, revoked at the run's end, swept where a run died."""
