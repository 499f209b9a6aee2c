"""Whether the index holds: what it predicts, what moves it, what its ranges cover, and what it cannot tell apart."""
