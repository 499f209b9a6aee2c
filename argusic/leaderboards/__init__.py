"""What is derived from runs: boards and verdicts, one file per cycle and kind."""
