"""Vietoris-Rips barcodes of points, of a table's columns and of distance matrices."""
