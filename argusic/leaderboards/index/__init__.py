"""The composite index: one number per model from sparse benchmarks, by item response theory, with how sure it is."""
