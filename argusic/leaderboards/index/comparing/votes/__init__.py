"""Ratings from people's votes between two answers: Bradley and Terry's model, with style held constant on request."""
