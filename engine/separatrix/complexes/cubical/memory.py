"""Bytes of device memory that each stage on an image takes.

A voxel, if nothing else is said, and beside its value. Sums of the arrays that are alive together,
sort and scan buffers of CUB among them, since they come from the same pool.
"""

from __future__ import annotations

# === the image in one piece
GRADIENT_BYTES = 5.5
"""The word, 4; counts of critical cells by runs of 64 and their scan, 1.25; non-finite runs fit."""

SEGMENTATION_BYTES = 12
"""Three labels, or two and a forest."""

CRITICAL_BYTES = 32
"""A critical cell while it is listed: id 8, owner 4, two values of 8, and the sort's 8 before."""

# === a lane of slabs; a voxel of all layers that a slab reads
SLAB_GRADIENT_BYTES = 18
"""Word 4, counts 1.25, room for listing critical cells 8, and gaps between unlike blocks."""

SLAB_CRITICAL_BYTES = 8
"""More cells than this is room for are listed in several steps, of a layer at least."""

SLAB_FOREST_BYTES = 18
"""Word 4, forest 4, the vertices' labels 4, anchors of extrema at most 4, and gaps."""
