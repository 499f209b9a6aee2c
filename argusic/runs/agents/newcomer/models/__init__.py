"""Models: finding the snippet of a card, and the program that runs it and shows what it produced."""
