"""A board shown: as text and as pictures."""
