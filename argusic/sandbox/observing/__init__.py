"""Sees from outside, through the kernel, which programs are started in a sandbox and how they end."""
