"""Tetrahedral and triangle meshes: their simplices, localized relations, and what lives on them."""
