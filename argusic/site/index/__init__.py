"""The pages of the composite index: models, benchmarks, curves, comparison, preference, method and changes."""
