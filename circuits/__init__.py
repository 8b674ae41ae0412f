"""The quantum ground floor of TiqTaqToe: registers, gates, measurement, decoding and backends.

This package knows squares and symbols, never a rule of the game, and never imports `qttt`. Importing it is
light: Qiskit, Aer and Matplotlib are only loaded by the modules inside it.
"""

CIRCUITS_OF = "tiqtaqtoe"
"""Marks this package as ours: another distribution may own the name `circuits` too, and whoever imports it
can check."""
