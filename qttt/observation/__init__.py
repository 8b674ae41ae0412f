"""A game becomes a circuit, is observed, and waits in a job."""
