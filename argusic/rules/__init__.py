"""The rules as pure functions over records, driven by edition data: reading, rubric, sets, board, verdict, review."""
