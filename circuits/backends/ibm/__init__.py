"""IBM Quantum's devices and their simulated copies (extra ``ibm``)."""
