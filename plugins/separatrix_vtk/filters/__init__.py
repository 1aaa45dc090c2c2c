"""The VTK filters: each reads arrays, calls the engine once and writes datasets."""
