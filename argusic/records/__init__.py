"""The schema of the database: one pydantic model per record. Nothing here reads or writes a file."""
