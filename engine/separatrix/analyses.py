"""Analyses of a scalar field on an image or a mesh."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from .complexes.cubical.grid import NOT_PERIODIC, ImageOptions
from .complexes.cubical.image_gradient import image_gradient
from .complexes.simplicial.meshes import FieldMesh
from .device.session import Progress
from .errors import InputError, Words
from .homology import PersistenceDiagram
from .morse.analyses import complex_of, diagram_of
from .morse.complex import MorseSmaleComplex
from .morse.gradient import DiscreteGradient, DomainGradient
from .options import known_keywords


@known_keywords
def discrete_gradient(
    values: Any,
    *,
    domain: FieldMesh | None = None,
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
) -> DiscreteGradient:
    """Compute the discrete gradient of a scalar field.

    Parameters
    ----------
    values : (nz, ny, nx), (ny, nx), or (nx,) array_like, any real dtype
        One value per voxel, with x varying fastest; or, if `domain` is a mesh, one value per point,
        of shape (V,). NumPy and CuPy arrays are accepted, as are objects that support their array
        interfaces or DLPack. Values are compared in their own dtype, so all ties are preserved.
        Axes of length 1 are allowed.
    domain : TetMesh or TriangleMesh, optional
        Mesh on which the values are given; by default, the values are an image. A mesh computes on
        its own device, and `spacing`, `origin`, `direction`, `periodic`, `mask`, `cell_mask`,
        `nan`, `device`, `threads`, `memory_limit`, `scratch`, and `devices` apply to images only.
    spacing, origin : float or sequence of float, in x, y, z order
        Distance between voxels, and position of the first voxel, in the user's unit of length. Give
        one number for all axes or one number per axis. Three numbers place a plane in space.
    direction : (3, 3) array_like of float, optional
        Direction matrix of the image, with the same meaning as in VTK.
    order : "index", "plateau", or array_like of integers in the shape of `values`
        Order of equal values: by linear index, or first by their distances to the lower and the
        higher end of their plateau. "plateau" yields far fewer critical cells in quantized images;
        the omitted ones have zero persistence. Without ties, both orders are the same. An array is
        the rank of each vertex (an ``_Order`` array of TTK): a permutation of 0 to n - 1, starting
        at the lowest vertex, in which values do not decrease.
    periodic : bool or sequence of bool, in x, y, z order
        Axes along which the image repeats: the last voxel is a neighbor of the first. A periodic
        axis must have at least 3 voxels and has no boundary. The last voxels must not repeat the
        first.
    mask : array_like of bool in the shape of `values`, optional
        True where a voxel is valid. The domain of a masked image is the subcomplex of the cells
        whose vertices are all valid, and all results, such as the persistence diagram, are those of
        this domain. Labels of other voxels are -1; values there may be anything. By default, masked
        entries of a NumPy masked array are not valid.
    cell_mask : array_like of bool, optional
        True where a top cell, in a volume a cube between voxels, is part of the domain. Others are
        excluded, together with the faces that belong only to them. The shape is that of
        :meth:`MorseSmaleComplex.cell_labels`: (nz-1, ny-1, nx-1) for a volume, n along a periodic
        axis.
    nan : {"error", "mask"}
        Whether NaN values are rejected, or masked as by `mask`.
    device : "auto", "cpu", "cuda" or "cuda:N", optional
        Device to compute on. "auto" uses the device in SEPARATRIX_DEVICE if it is set, otherwise a
        usable GPU, otherwise the CPU. Results are CuPy arrays if a GPU is requested or the input is
        on a GPU, and NumPy arrays otherwise.
    threads : int, optional
        Number of CPU threads; by default SEPARATRIX_NUM_THREADS or OMP_NUM_THREADS, or all
        threads that the process may use.
    memory_limit : int, optional
        Maximum number of bytes of GPU memory to use. An image that needs more is processed in
        slabs; the results are the same, but they are NumPy arrays. With `scratch` it also bounds
        the slabs of the CPU.
    scratch : path, optional
        Folder for images that do not fit in host memory. Arrays with an entry for each voxel are
        stored in unnamed files there, and the image is processed in slabs. `values` may then be
        anything with `shape`, `dtype`, and slices, such as a memory map or a dataset of HDF5 or
        zarr; it is read layer by layer. Results are the same.
    devices : sequence of str or "all", optional
        Several devices, such as ``["cuda:0", "cuda:1"]``, or all usable GPUs, which divide the
        layers of the image among them instead of `device`. `memory_limit` applies to each of them.
        Results are the same. They are on the first GPU if it has room and `devices` names it,
        otherwise they are NumPy arrays.
    progress : callable, optional
        Called as ``progress(fraction, stage)``. To stop the computation, raise
        :class:`separatrix.Canceled` in it.

    Returns
    -------
    DiscreteGradient

    Raises
    ------
    InputError
        If a valid value is NaN or infinite, no voxel is valid, or a shape or dtype is invalid.
        Images of more than 2^31 - 1 voxels are processed in slabs, and have no plateau-aware
        order.
    DeviceUnavailable, DeviceMemoryError
        If the device cannot be used, or does not have enough memory for a slab of one layer, or
        if `scratch` does not have enough room.

    Warns
    -----
    UserWarning
        If the first and the last voxels along a periodic axis of an array have equal values,
        unless these are constant.

    References
    ----------
    V. Robins, P. J. Wood, A. P. Sheppard, "Theory and algorithms for constructing discrete Morse
    complexes from grayscale digital images", IEEE TPAMI 33(8), 2011, algorithm 1.

    Examples
    --------
    >>> import separatrix as sx
    >>> gradient = sx.discrete_gradient([[0.0, 2.0, 1.0], [3.0, 4.0, 5.0]])
    >>> gradient.counts, gradient.critical.value.tolist(), len(gradient.arrows().tail)
    ((2, 1, 0, 0), [0.0, 1.0, 2.0], 6)
    """
    image = ImageOptions(
        *(spacing, origin, direction, periodic, mask, cell_mask, nan),
        *(device, threads, memory_limit, scratch, devices),
    )
    return DiscreteGradient(gradient_of(values, domain, order, image, False, progress))


@known_keywords
def morse_smale(
    values: Any,
    *,
    domain: FieldMesh | None = None,
    persistence: float = 0.0,
    relative: bool = False,
    rematch_saddles: bool = False,
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
) -> MorseSmaleComplex:
    """Compute the Morse-Smale complex of a scalar field.

    The discrete gradient and the critical cells are computed immediately; segmentations,
    separatrices, the graph, and persistence pairs are computed on first access and cached. For the
    other parameters and for errors, see :func:`separatrix.discrete_gradient`.

    Parameters
    ----------
    values : (nz, ny, nx), (ny, nx), or (nx,) array_like, any real dtype
        One value per voxel, x fastest; or, with a mesh as `domain`, one value per point, (V,).
    domain : TetMesh or TriangleMesh, optional
        The mesh of the values; by default they are an image.
    persistence : float
        Cancel all pairs of critical cells whose persistence is less than this, in the unit of the
        values. By default, no pairs are canceled.
    relative : bool
        Interpret `persistence` as a fraction, from 0 to 1, of the value range.
    rematch_saddles : bool
        If a saddle cannot be canceled with its persistence partner, cancel it with another saddle
        whose value differs from its own by less than the threshold.

    Returns
    -------
    MorseSmaleComplex

    Raises
    ------
    InputError, DeviceUnavailable, DeviceMemoryError
        For the reasons of :func:`separatrix.discrete_gradient`, and InputError for an invalid
        `persistence`.

    Notes
    -----
    Takes O(n) time for n voxels or cells. A positive `persistence` also requires a hierarchy of
    all cancellations, whose cost depends on the critical cells, their arcs, and the lengths of the
    V-paths that are reversed.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> z, y, x = np.mgrid[-1:1:9j, -1:1:9j, -1:1:9j]
    >>> complex = sx.morse_smale(x**2 + y**2 + z**2)
    >>> complex.critical.counts[0], complex.critical.euler_characteristic
    (1, 1)
    """
    image = ImageOptions(
        *(spacing, origin, direction, periodic, mask, cell_mask, nan),
        *(device, threads, memory_limit, scratch, devices),
    )
    make = partial(gradient_of, values, domain, order, image, True)
    return complex_of(make, persistence, relative, rematch_saddles, progress)


@known_keywords
def persistence_diagram(
    values: Any,
    *,
    domain: FieldMesh | None = None,
    dimensions: int | Iterable[int] | None = None,
    zero_persistence: bool = False,
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
) -> PersistenceDiagram:
    """Compute the persistence diagram of the sublevel sets of a scalar field.

    Parameters
    ----------
    values : array, (nz, ny, nx), (ny, nx) or (nx,), any real dtype
        One value per voxel, x fastest; or, with a mesh as `domain`, one value per point, (V,).
    domain : TetMesh or TriangleMesh, optional
        The mesh of the values; by default they are an image.
    dimensions : int or sequence of int, optional
        0 for components, 1 for loops, 2 for voids; all by default. In volumes, dimension 1 takes
        the most time. Only an image that is periodic along all axes, or a closed mesh, has a class
        of its own dimension.
    zero_persistence : bool
        Keep pairs whose two values are equal.
    spacing, origin, direction, order, periodic, mask, cell_mask, nan, device, threads,
    memory_limit, scratch, devices, progress
        As in :func:`separatrix.discrete_gradient`.

    Returns
    -------
    PersistenceDiagram
        Rows are those of the critical cells that :func:`separatrix.morse_smale` returns for the
        same values and options.

    Raises
    ------
    InputError
        If the domain cannot have classes of the given `dimensions`, and for the same reasons as in
        :func:`separatrix.discrete_gradient`.

    Notes
    -----
    Takes O(n) time for n voxels or cells, O(k log k) for k critical cells, and, for pairs of two
    saddles of a volume, a matrix reduction, which is cubic in the worst case and nearly linear in
    practice.

    Examples
    --------
    >>> import separatrix as sx
    >>> diagram = sx.persistence_diagram([0.0, 5.0, 1.0])
    >>> list(zip(diagram.birth.tolist(), diagram.death.tolist()))
    [(0.0, inf), (1.0, 5.0)]
    """
    image = ImageOptions(
        *(spacing, origin, direction, periodic, mask, cell_mask, nan),
        *(device, threads, memory_limit, scratch, devices),
    )
    make = partial(gradient_of, values, domain, order, image, False)
    return diagram_of(make, dimensions, zero_persistence, progress)


def gradient_of(
    values: Any,
    domain: FieldMesh | None,
    order: Any,
    image: ImageOptions,
    for_complex: bool,
    progress: Progress | None,
) -> DomainGradient:
    """Return the gradient of an image, or of a mesh, which takes no image options."""
    if domain is None:
        return image_gradient(values, image, order, for_complex, progress)
    if not isinstance(domain, FieldMesh):
        expected, remedy = "a TetMesh or a TriangleMesh", "Omit it for an image."
        raise InputError("domain", expected, Words(type(domain).__name__), remedy)
    for (name, value), default in zip(image._asdict().items(), ImageOptions(), strict=True):
        is_default = isinstance(value, Sequence) and tuple(value) == tuple(default or ())
        if value is not default and not is_default:
            remedy = "It describes an image; a mesh computes on its own device."
            raise InputError(name, "omitted with a mesh as {domain}", value, remedy)
    return domain._gradient_of(values, order, progress)
