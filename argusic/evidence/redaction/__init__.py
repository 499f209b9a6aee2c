"""Redaction: what must not be served is masked, and then proven to be gone; what cannot be proven is withheld."""
