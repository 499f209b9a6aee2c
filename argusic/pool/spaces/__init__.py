"""Spaces of a Hugging Face hub: their own definition (`definition`), how they are found and laid out (`finding`)."""
