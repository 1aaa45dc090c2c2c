"""Meshes of tetrahedra and of triangles: the simplicial complex of their cells."""
