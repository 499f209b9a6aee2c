"""Questions as items: the same fit over single answers, the few questions that tell the whole, what to ask next."""
