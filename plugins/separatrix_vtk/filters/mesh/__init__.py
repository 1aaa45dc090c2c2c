"""Filters on meshes of tetrahedra and of triangles, and how the filters on fields read these."""
