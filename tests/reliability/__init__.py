"""Stress tests: faults, load, invalid input, long use, and ties and extremes."""
