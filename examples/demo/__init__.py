"""The demonstration: a sample image becomes files, a table and pictures. See `__main__`."""
