"""Vietoris-Rips barcodes of points, distance matrices and weighted graphs."""
