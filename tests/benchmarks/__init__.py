"""Ratios of speed and memory, measured in one run: ``python -m tests.benchmarks``. Not collected by pytest."""
