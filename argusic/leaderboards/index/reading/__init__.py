"""Reads what the index is made from: tables that people edit, and files of results that nobody changes."""
