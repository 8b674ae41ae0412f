"""The rules page: the complete rules at each level, with diagrams that the program draws itself."""
