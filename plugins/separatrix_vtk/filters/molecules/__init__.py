"""Molecules: reading them, and the filters that know what an atom is."""
