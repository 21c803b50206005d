"""Compaction: kinds, processors, checks."""
