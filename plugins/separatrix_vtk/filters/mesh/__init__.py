"""Filters on meshes of tetrahedra and of triangles, and the fields on them."""
