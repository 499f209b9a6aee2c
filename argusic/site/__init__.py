"""The public site, generated from the database."""
