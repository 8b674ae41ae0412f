"""Perfect play: exact values of every position at every level, from tables that ship with the package."""
