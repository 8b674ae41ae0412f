"""What a person clicks: the protocol between a page and a game, and the board as ES modules."""
