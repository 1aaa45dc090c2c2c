"""Readers of molecules: formats, elements, and the selection of atoms."""
