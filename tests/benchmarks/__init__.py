"""Scripts that print figures; run one with `python -m tests.benchmarks.<name>`."""
