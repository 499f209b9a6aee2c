"""The kinds of subject, one module each, found by being here."""
