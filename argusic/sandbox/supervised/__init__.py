"""What sandboxes under our supervisor have in common: the line to it, its commands, the environment, the way out."""
