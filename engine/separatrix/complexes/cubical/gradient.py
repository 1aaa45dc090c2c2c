"""Discrete gradient of an image: ordered lower stars of Robins, Wood, Sheppard 2011, algorithm 1.

1. Every vertex's lower star is paired by itself, into one packed word a vertex.
2. The cells left unpaired, the critical ones, are listed by (index, id).

Vertices compare by (value, linear index), cells by their vertices in descending order. O(n); the
result does not depend on the device, the number of threads, or the tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import known_keywords
from ...device import Device, Session, to_host
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...device.session import Progress
from ...errors import DeviceMemoryError, InputError
from ...lazy import cached_property
from ...repr_mixin import ReprMixin
from .arrows import Arrows, draw_arrows
from .critical import (
    Counts,
    CriticalCells,
    count_critical_cells,
    describe_critical_cells,
    list_critical_cells,
    own_critical_cells,
    rows_of_index,
)
from .field import Field, load_field, open_image
from .grid import NOT_PERIODIC, Grid, n_tiles
from .memory import CRITICAL_BYTES, GRADIENT_BYTES
from .order import refine_plateaus
from .slab_gradient import gradient_in_slabs

if TYPE_CHECKING:
    from .connector_minor import Minor

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}  # with shares of the time
PLATEAU_STAGES = {"upload": 0.02, "order": 0.5, "gradient": 0.9, "critical cells": 0.08}


@known_keywords
def discrete_gradient(
    values: Any,
    *,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: str = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> DiscreteGradient:
    """Discrete gradient of a scalar field on an image.

    Parameters
    ----------
    values : array, (nz, ny, nx), (ny, nx) or (nx,), any real dtype
        One value a voxel, x fastest; NumPy, CuPy, or anything with their array interfaces or
        DLPack. Compared as they are: no dtype loses a tie. Axes of length 1 are fine.
    spacing, origin : one float, or one for each axis by x, y, z; three place a plane in space
        Distance of voxels and position of the first, in the user's unit of length.
    direction : 3x3 floats, optional
        Direction matrix of the image, as VTK's.
    order : "index" or "plateau"
        How equal values compare: by linear index, or first by their distances to the lower and the
        higher end of their plateau. "plateau" leaves far fewer critical cells in quantized images;
        what it leaves out has persistence zero. Without ties both are the same.
    periodic : up to three bools, by x, y, z
        Axes along which the image repeats: the last voxel is a neighbor of the first. They need 3
        voxels at least; nothing lies in a boundary or runs out of the box across them.
    device : "auto", "cpu", "cuda" or "cuda:N", optional
        Where to compute. Auto is the environment's SEPARATRIX_DEVICE, else a usable GPU, else the
        CPU. Results are CuPy arrays if a GPU was named or the input was on one, else NumPy's.
    threads : int, optional
        CPU threads; by default SEPARATRIX_NUM_THREADS or all that the process may use.
    memory_limit : int, optional
        Bytes of a GPU's memory that the call may use. A larger image passes through it in slabs,
        with the same results; they are NumPy arrays then, whatever the input was.
    progress : callable, optional
        Called as ``progress(fraction, stage)``; raise :class:`separatrix.Cancelled` in it to stop.

    Returns
    -------
    DiscreteGradient

    Raises
    ------
    InputError
        NaN or infinity, a shape or dtype that is no image, more than 2^31 - 1 voxels.
    DeviceUnavailable, DeviceMemoryError
        The device asked for can't be used, or has not even room for a slab of one layer.

    References
    ----------
    V. Robins, P. J. Wood, A. P. Sheppard, "Theory and algorithms for constructing discrete Morse
    complexes from grayscale digital images", IEEE TPAMI 33(8), 2011, algorithm 1.
    """
    session, given, grid = open_image(
        values,
        spacing,
        origin,
        direction,
        device,
        threads,
        memory_limit,
        GRADIENT_BYTES,
        periodic,
        order,
    )
    gradient = compute_gradient(session, given, grid, progress, order)
    gradient.field = gradient.field.without_values()
    return gradient


def compute_gradient(
    session: Session, given: Array, grid: Grid, progress: Progress | None, order: str = "index"
) -> DiscreteGradient:
    """The gradient of an opened image. Its field still holds the values, or has used them."""
    refines = order == "plateau"
    with session.call(progress, PLATEAU_STAGES if refines else STAGES):
        if session.pieces is None:
            try:
                return _gradient_in_one_piece(session, given, grid, refines)
            except DeviceMemoryError:
                if not session.device.is_cuda:
                    raise
                session.stream_from_host()  # as in open_image, for images of many critical cells
        field = ordered_field(session, given, grid, refines)
        parts = gradient_in_slabs(session, given, field, pair_lower_stars)
        return DiscreteGradient(session, *parts, top_cells_are_marked=True)


def ordered_field(session: Session, given: Array, grid: Grid, refines: bool) -> Field:
    """The values on the device, with their plateaus in order if they are to be refined."""
    field = load_field(session, given, grid)
    if refines:
        with session.stage("order") as done:
            field = refine_plateaus(session, field, done)
    return field


def _gradient_in_one_piece(
    session: Session, given: Array, grid: Grid, refines: bool
) -> DiscreteGradient:
    with session.device.current():  # its errors are ours before they leave
        field = ordered_field(session, given, grid, refines)
        with session.stage("gradient") as done:
            words = pair_lower_stars(session, field, done)
        with session.stage("critical cells"):
            counted = count_critical_cells(session, grid, words)
            n_bytes = CRITICAL_BYTES * counted.n_cells
            session.memory.require(n_bytes, f"listing {counted.n_cells:,} critical cells")
            cells, counts = list_critical_cells(session, grid, words, counted)
            owners, owner_levels = own_critical_cells(session, field, cells)
        return DiscreteGradient(session, field, words, cells, counts, owners, owner_levels)


def pair_lower_stars(session: Session, field: Field, done: Callable[[float], None]) -> Array:
    """The packed gradient (n,) uint32: kernels/cubical/grid.h. `done` hears of the part paired."""
    device, grid = session.device, field.grid
    words = device.zeros(grid.n_vertices, np.uint32)
    _pair_inner_stars(device, field, words, done)
    if any(grid.periodic):  # or-ed into words that the tiles may have stored
        n = grid.n_wrapped_stars
        device.launch("pair_wrapped_stars", n, grid.extents, field.values, words)
    return words


def _pair_inner_stars(
    device: Device, field: Field, words: Array, done: Callable[[float], None]
) -> None:
    grid = field.grid
    n_x, n_y, n_z = n_tiles(grid.inner, "TILE")
    if isinstance(device, CudaDevice):
        n_blocks = n_x * n_y * n_z
        device.launch_blocks("pair_lower_stars", n_blocks, grid.extents, field.values, words)
        return
    for color in range(4):  # blocks of rows of one color write no common word
        along_y, along_z = (n_y + 1 - color % 2) // 2, (n_z + 1 - color // 2) // 2
        device.launch(
            "pair_lower_stars",
            along_y * along_z,
            grid.extents,
            field.values,
            color,
            words,
            on_slice=partial(_quarter_done, done, color),
        )


def _quarter_done(done: Callable[[float], None], n_before: int, part: float) -> None:
    done((n_before + part) / 4)


class DiscreteGradient(ReprMixin):
    """Pairing of the cells of an image; made by :func:`discrete_gradient`.

    Attributes
    ----------
    words : (n,) uint32, on the device that computed; nibble t is the partner's direction of the
        cell of type t anchored at the vertex, in three bits (cubical/grid.h; the fourth bits
        are set when labels of maxima are computed).
    critical_ids : (k,) int64, there too; the critical cells by (index, id).
    counts : critical cells of index 0, 1, 2, 3.
    owner_levels : (k,) there too; what kernels compare as the value of each cell's highest vertex.
    """

    def __init__(
        self,
        session: Session,
        field: Field,
        words: Array,
        cells: Array,
        counts: Counts,
        owners: tuple[Array, Array],
        owner_levels: Array,
        top_cells_are_marked: bool = False,
    ):
        self.session = session
        self.field = field
        self.words = words
        self.critical_ids = cells
        self.counts = counts
        self._owners = owners
        self.owner_levels = owner_levels
        self._top_cells_are_marked = top_cells_are_marked

    def _summary(self) -> str:
        size = "x".join(map(str, self.grid.dimensions))
        return f"{size} voxels on {self.session.place}: counts {self.counts}"

    @cached_property
    def critical(self) -> CriticalCells:
        """The critical cells, described when first asked for."""
        with self.session.call(None, {}):
            return describe_critical_cells(
                self.session, self.grid, self.critical_ids, *self._owners, self.counts
            )

    @property
    def owner_vertices(self) -> Array:
        """Highest vertex of each critical cell: (k,) int32, on the device that computed."""
        return self._owners[0]

    @property
    def owner_values(self) -> Array:
        """The value there: (k,) in the caller's dtype, on the device or, if long, on the host."""
        return self._owners[1]

    @property
    def cell_ids(self) -> Array:
        """Cell ids (k,) int64 of the critical cells, on the device that computed."""
        return self.critical_ids

    @property
    def dimension(self) -> int:
        """Dimension of the image, 0 to 3."""
        return self.grid.dimension

    def extremum_ends(self, kind: str) -> Array:
        """Minima or maxima on both sides of each saddle; see :func:`.extrema.ends_of_saddles`."""
        from .extrema import ends_of_saddles

        return ends_of_saddles(self, kind)

    def path_minor(self) -> Minor:
        """The V-paths between saddles, contracted; see :func:`.connector_minor.contract`."""
        from .connector_minor import contract

        return contract(self)

    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The task that cancels pairs: grid, words to be changed, ids of saddles, on the host."""
        words = np.array(to_host(self.words)).reshape(-1)
        ids = to_host(self.critical_ids)
        upper, lower = (ids[self.rows(index)] for index in (2, 1))
        return "cancel_pairs", (self.grid.extents, words.size, words, upper, lower)

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions can't be told from the extremum arcs alone."""
        # Essential classes of dimension 2 need two periodic axes, and the columns that vanish.
        has_voids = sum(self.grid.periodic) >= 2
        return self.dimension == 3 and (1 in dimensions or (2 in dimensions and has_voids))

    @property
    def for_extremum_arcs(self) -> DiscreteGradient:
        """A gradient with the same arcs between saddles and extrema, perhaps cheaper to have."""
        return self

    def keep_values(self) -> Field:
        """The field, to be read later whatever the caller writes to his array until then."""
        if self.field.is_shared and self.session.device.is_cuda:
            self.session.memory.require(self.field.values.nbytes, "a copy of the values")
        if self.field.is_shared and self.session.pieces is not None:
            self.session.memory.require_host(
                self.field.values.nbytes, "a copy of the image's values"
            )
        self.field = self.field.with_own_values()
        return self.field

    def mark_top_cells(self) -> None:
        """Note each vertex's highest top cell in its word; then labels need the values no more."""
        if self._top_cells_are_marked:
            return
        if self.field.values is None:
            raise InputError(
                "this gradient does not hold its values any more; make the complex with "
                "separatrix.morse_smale(values)"
            )
        grid, values = self.grid, self.field.values
        self.session.launch("mark_top_cells", grid.n_vertices, grid.extents, values, self.words)
        if any(grid.periodic):
            n = grid.n_wrapped_stars
            self.session.launch("mark_wrapped_top_cells", n, grid.extents, values, self.words)
        self._top_cells_are_marked = True
        self.field = self.field.without_values()

    def rows(self, index: int) -> slice:
        """Rows of ``critical`` and ``critical_ids`` that hold the cells of one index."""
        return rows_of_index(self.counts, index)

    @property
    def grid(self) -> Grid:
        """The image's grid."""
        return self.field.grid

    @property
    def device(self) -> str:
        """Where it was computed: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage."""
        return self.session.timings

    def codes(self) -> Array:
        """Direction of each cell's partner: uint8 array of ``grid.doubled_shape``.

        1 +x, 2 -x, 3 +y, 4 -y, 5 +z, 6 -z, 7 critical.
        """
        with self.session.call(None, {}):
            codes = self.session.device.empty(self.grid.doubled_shape, np.uint8)
            self.session.device.launch(
                "unpack_codes", codes.size, self.grid.extents, self.words, codes.reshape(-1)
            )
            return self.session.result(codes)

    def arrows(self, stride: int = 1) -> Arrows:
        """All pairs as arrows, or those of every `stride`-th voxel along each axis."""
        if not isinstance(stride, (int, np.integer)) or stride < 1:
            raise InputError(f"stride must be a whole number from 1 on, got {stride!r}")
        with self.session.call(None, {}):
            return draw_arrows(self.session, self.grid, self.words, int(stride))
