"""Broken recordings of every format, and the laws that reading them keeps; ``python -m tests.fuzz`` breaks more of them."""
