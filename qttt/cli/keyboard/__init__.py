"""A game at one keyboard: prompts, the board after every move, and the observation as it happens."""
