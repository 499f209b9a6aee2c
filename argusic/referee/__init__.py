"""What spans everything: check, recompute, doctor."""
