"""Readers and writers: volumes, meshes, points, distances and molecules."""
