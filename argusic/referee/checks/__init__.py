"""The rules of the database that `argusic check` holds it to, one module a group of rules."""
