"""TiqTaqToe: quantum tic-tac-toe with dice, every move a circuit.

Importing this package loads neither Qiskit nor Matplotlib.
"""
