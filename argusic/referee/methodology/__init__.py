"""The methodology page, read back: each figure on it, where it says that it is stated, and what stands there."""
