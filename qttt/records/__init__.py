"""A game as a record: text, and a file on disk."""
