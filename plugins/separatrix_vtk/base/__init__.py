"""Base of all filters: their class, VTK methods for options, messages, and arrays."""
