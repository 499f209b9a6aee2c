"""The agent without a model: a careful first-time user, written as a program."""
