"""The other ways to one number, on the same results: one module a way, and how far their rankings agree."""
