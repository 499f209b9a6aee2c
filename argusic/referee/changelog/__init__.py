"""The changelog of the rules is enforced: what measurements rest on changes with an edition, or without effect."""
