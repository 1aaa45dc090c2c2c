"""Simplification of a scalar field on an image or a mesh."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from .analyses import gradient_of
from .complexes.cubical.grid import NOT_PERIODIC, ImageOptions
from .complexes.simplicial.meshes import FieldMesh
from .device.session import Progress
from .morse.analyses import simplification_of
from .morse.flooding import SimplifiedField
from .options import known_keywords


@known_keywords
def simplify_field(
    values: Any,
    *,
    domain: FieldMesh | None = None,
    persistence: float = 0.0,
    relative: bool = False,
    minima: Any = None,
    maxima: Any = None,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: Any = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
    mask: Any = None,
    cell_mask: Any = None,
    nan: str = "error",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    scratch: str | os.PathLike[str] | None = None,
    devices: Sequence[str] | str | None = None,
    progress: Progress | None = None,
) -> SimplifiedField:
    """Remove minima and maxima from a scalar field, by persistence or by choice.

    Basins of removed minima are raised to the saddle at which they drain, and peaks of removed
    maxima are lowered to their saddle. The result includes an order of its vertices, in which it
    has exactly the minima and maxima that are kept.

    Parameters
    ----------
    values : (nz, ny, nx), (ny, nx), or (nx,) array_like, any real dtype
        One value per voxel, x fastest; or, with a mesh as `domain`, one value per point, (V,).
    domain : TetMesh or TriangleMesh, optional
        The mesh of the values; by default they are an image.
    persistence : float
        Remove minima and maxima of pairs whose persistence is less than this, in the unit of the
        values. Each value changes by less than this.
    relative : bool
        Interpret `persistence` as a fraction, from 0 to 1, of the range of the values.
    minima, maxima : (k,) array_like of int, optional
        Vertices of those to keep: ``critical.vertex`` of a complex of these values and `order`. By
        default, all at or above `persistence`. Vertices that are not extrema have no effect.
    spacing, origin, direction, order, periodic, mask, cell_mask, nan, device, threads,
    memory_limit, scratch, devices, progress
        As in :func:`separatrix.discrete_gradient`.

    Returns
    -------
    SimplifiedField
        A component of the domain without a kept minimum keeps its lowest vertex as one, and a
        component without boundary its highest vertex as a maximum. On an image of one axis, minima
        and maxima alternate, so an extremum also stays between two kept ones of the other kind.
        The attributes ``minima`` and ``maxima`` list all extrema of the result.

    Raises
    ------
    InputError
        For the reasons of :func:`separatrix.discrete_gradient`, and for vertices that do not exist.

    Notes
    -----
    Takes O(n log n) time for n vertices and 40 bytes per vertex; the last step uses one CPU thread.
    For the diagram of the result, see :mod:`separatrix.morse.flooding`.

    References
    ----------
    J. Tierny, V. Pascucci, "Generalized topological simplification of scalar fields on surfaces",
    IEEE TVCG 18(12), 2012.

    Examples
    --------
    >>> import separatrix as sx
    >>> simple = sx.simplify_field([0.0, 5.0, 4.0, 9.0, 1.0, 9.5], minima=[0, 4], maxima=[3])
    >>> simple.values.tolist(), simple.order.tolist(), simple.minima.tolist()
    ([0.0, 5.0, 5.0, 9.0, 1.0, 9.5], [0, 2, 3, 4, 1, 5], [0, 4])
    """
    image = ImageOptions(
        *(spacing, origin, direction, periodic, mask, cell_mask, nan),
        *(device, threads, memory_limit, scratch, devices),
    )
    make = partial(gradient_of, values, domain, order, image, True)
    return simplification_of(make, persistence, relative, (minima, maxima), progress)
