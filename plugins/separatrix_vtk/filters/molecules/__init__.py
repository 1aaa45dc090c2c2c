"""Filters for molecules: the reader, and the filters on balls."""
