"""The solver of Levels 3 to 5 in compiled code (extra ``solve``: numba); ``making.levels`` calls it."""
