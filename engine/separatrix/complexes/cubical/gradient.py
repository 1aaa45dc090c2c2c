"""The discrete gradient of an image, and that of its levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...device import Array, Session, in_memory_of, is_on_gpu, to_host
from ...device.divided import download
from ...device.scratch import Source
from ...errors import InputError
from ...kernels import source
from ...lazy import cached_property
from ...morse.connectors.minor import Rows, count_paths
from ...morse.field import ScalarField
from ...morse.gradient import DomainGradient
from ...morse.hierarchy import Hierarchy
from ...morse.model import RoundsModel, SaddlePaths
from ...morse.segmentation import morse_smale_cells
from ...pieces.streamed import stream_cells, stream_connectors, stream_ends, stream_labels
from ...primitives import at
from .connector_minor import contract, contract_paths
from .domain import Masks
from .field import ImageField, uploaded_field
from .forests import MeasuredArcs, label_vertices, maximum_of_top_cells, measured_arcs
from .grid import Grid, place
from .lower_star import CriticalList, mark_top_cells
from .pairing import CubicalPairing, vertex_keys
from .separatrices import (
    CubicalArcs,
    draw_arcs,
    draw_arrows,
    draw_connectors,
    trace_extremum_arcs,
    trace_surfaces,
)
from .slabs import connector_bytes


class CubicalGradient(DomainGradient, CubicalPairing):
    """Pairing of the cells of an image; see :class:`CubicalPairing` for its arrays."""

    domain: Grid
    field: ImageField
    given: Array | None = None  # the caller's values, if they are not stored

    def __init__(
        self,
        session: Session,
        field: ImageField,
        words: Array,
        critical: CriticalList,
        top_cells_are_marked: bool = False,
    ):
        self.session, self.field = session, field
        self.grid = self.domain = field.grid
        self.critical_ids = self.cell_ids = critical.ids
        self.counts = critical.counts
        self.owner_vertices, self.owner_values = critical.owners, critical.values
        self.owner_levels = critical.levels
        self._words, self.kept_labels, self._ends = words, {}, {}
        self._top_cells_are_marked = top_cells_are_marked

    def __getstate__(self) -> dict[str, Any]:
        # `given` may be a file.
        return {**vars(self), "given": None, "kept_labels": {}, "marks": None}

    @property
    def traceable(self) -> CubicalGradient:
        return self._on_host if self.grid.is_large and self.session.device.is_cuda else self

    @cached_property
    def _on_host(self) -> CubicalGradient:
        """The same gradient in host memory, whose pieces pass through the devices."""
        there, session = self.session, self.session.on(self.session.device)
        assert there.pieces is not None
        session.stream_from_host(devices=there.pieces.devices)
        with there.call(None, {}):
            words = session.store_empty(self.grid.n_vertices, np.uint32, "the gradient")
            download(self._words, words)
            columns = (self.critical_ids, self.owner_vertices, self.owner_values, self.owner_levels)
            critical = CriticalList(self.counts, *map(to_host, columns))
            field = replace(self.field, types=to_host(self.field.types))  # without values
        made = CubicalGradient(session, field, words, critical, top_cells_are_marked=True)
        made.given = self.given
        return made

    @cached_property
    def used_vertices(self) -> Array | None:
        return self.field.used_vertices

    def codes(self) -> Array:
        device, grid = self.session.device, self.grid
        codes = device.empty(grid.doubled_shape, np.uint8)
        device.launch("unpack_codes", codes.size, grid.extents, self.words, codes.reshape(-1))
        return self.session.result(codes)

    def place_critical(self) -> tuple[Array, Array]:
        ids, types = self.critical_ids, self.field.types
        positions, _, on_boundary = place(self.session.device, self.grid, ids, types)
        return positions, on_boundary

    draw_arrows = draw_arrows

    # === the graph
    def extremum_ends(self, kind: str) -> Array:
        if kind not in self._ends:
            ends = None
            if self.session.pieces is not None:
                self.mark_top_cells()
                ends = stream_ends(self, kind)
            self._ends[kind] = self.measured_arcs(kind)[2].reshape(-1, 2) if ends is None else ends
        return self._ends[kind]

    measured_arcs = measured_arcs

    def streamed_connectors(self) -> Rows | None:
        if self.session.pieces is not None:
            return stream_connectors(self)
        needed = connector_bytes(self.grid.n_vertices, sum(self.counts))
        if not self.session.memory.exceeds_limit(needed):
            return None
        with self.session.in_slabs():
            rows = stream_connectors(self, leaves_room=True)
        return self._connectors_on_host() if rows is None else rows

    def _connectors_on_host(self) -> Rows:
        """Count V-paths on the CPU, although the gradient is on a GPU."""
        host = self.session.on(self.session.host)
        saddles = [to_host(self.critical_of(index)) for index in (2, 1)]
        return count_paths(host, contract_paths(host, self.grid, to_host(self.words), *saddles))

    path_minor = contract

    def saddle_paths(self, field: ScalarField) -> SaddlePaths:
        words = self.words
        words = to_host(words) if is_on_gpu(words) else self.session.host.copied(words)
        field = self.field_again() if field.values is None else field
        are_floats = field.values is not None and field.values.dtype == np.float32
        if are_floats:  # without a copy
            keys, are_exact = to_host(field.values).reshape(-1).view(np.uint32), True
        else:
            keys, are_exact = vertex_keys(self.session, field, self.used_vertices)
        are_exact &= self.grid.n_vertices <= 2**32  # ids beyond would be cut off
        model = (self.grid.extents, words.reshape(-1), to_host(keys), are_floats, are_exact)
        upper, lower = (to_host(self.critical_of(index)) for index in (2, 1))
        return SaddlePaths("cancel_grid_saddles", model, upper, lower)

    @property
    def vertex_type(self) -> type[np.signedinteger[Any]]:
        return self.grid.vertex_type

    @property
    def n_most_events(self) -> int:
        bits = "LARGE_LOG_EVENT_BITS" if self.grid.is_large else "LOG_EVENT_BITS"
        return (1 << source.constant(bits)) - 1

    def saddle_rounds(self, field: ScalarField, upper: Array, lower: Array) -> RoundsModel | None:
        session, extents = self.session, self.grid.extents
        if self.words.size > source.constant("MAX_ROUND_VERTICES"):
            return None
        keys, are_exact = vertex_keys(session, field, self.used_vertices)
        words, places = self.words.reshape(-1), session.device.empty((keys.size, 4), np.uint32)
        session.launch("prepare_grid_places", keys.size, words, keys, places)
        cells = [session.device.empty(upper.size, np.uint32) for _ in range(2)]
        for index, pairs, found in zip((2, 1), (upper, lower), cells, strict=True):
            ids = self.critical_of(index)
            session.launch("number_grid_cells", found.size, extents, ids, pairs, found)
        kernel, mask = "cancel_grid_saddles_in_rounds", 2**32 - 1 if are_exact else 0
        return RoundsModel(kernel, extents, places, mask, *cells)

    def needs_connectors(self, dimensions: set[int]) -> bool:
        # Essential classes of dimension 2 require two periodic axes or a mask, and all connectors,
        # because their columns reduce to zero.
        has_voids = self.field.types.size > 0 or sum(self.grid.periodic) >= 2
        return self.dimension == 3 and (1 in dimensions or (2 in dimensions and has_voids))

    def at_event(self, hierarchy: Hierarchy, event: int) -> LevelGradient:
        return LevelGradient(self, hierarchy, event)

    # === the field and its labels
    def drop_values(self) -> None:
        """Release the values, which only complexes need."""
        self.field = replace(self.field, values=None, plain_values=None, is_shared=False)

    def field_again(self) -> ImageField:
        if self.field.values is not None or self.given is None:
            return self.field
        given = self.given
        if isinstance(given, Source):
            given = given.read(self.session.host, lambda part: None)
        return uploaded_field(self.session, given, self.grid, Masks(None, None, False))

    def prepare_complex(self) -> None:
        """Store the values, so that later changes to the caller's array have no effect."""
        field, memory = self.field, self.session.memory
        if not field.is_shared:
            return
        if self.session.device.is_cuda:
            memory.require(field.values.nbytes, "a copy of the values")
        if self.session.pieces is not None:
            memory.require_host(field.values.nbytes, "a copy of the image's values")
        name = "values" if field.plain_values is None else "plain_values"
        copy = self.session.device.copied(field.plain)
        self.field = replace(field, is_shared=False, **{name: copy})

    def vertex_roles(self) -> np.ndarray:
        self.grid.check_traceable("A simplified field")
        roles = np.zeros(self.grid.dimensions[::-1], np.uint8)
        at_rim, on_boundary = map(source.constant, ("AT_RIM", "ON_BOUNDARY"))
        for axis, wraps in enumerate(self.grid.periodic[::-1]):
            if roles.shape[axis] > 1:
                layers = np.moveaxis(roles, axis, 0)
                layers[[0, -1]] |= at_rim if wraps else at_rim | on_boundary
        if self.field.types.size:
            types = to_host(self.field.types).reshape(roles.shape)
            is_inner = (types >> self.grid.top_type & 1).astype(bool)
            for axis, n in enumerate(roles.shape):
                if n > 1:  # a cell beyond the box is not in the domain
                    is_inner &= np.roll(is_inner, 1, axis)
            roles[~is_inner] |= at_rim | on_boundary
            roles[types & 1 == 0] |= source.constant("IS_ABSENT")
        return roles.reshape(-1)

    def flood_task(self) -> tuple[Any, ...]:
        types = to_host(self.field.types)
        return "flood_image", self.grid.extents, types, types.size

    def mark_top_cells(self) -> None:
        """Store the highest top cell of each vertex in its word, from which labels are computed."""
        if self._top_cells_are_marked:
            return
        if self.field.values is None:
            raise InputError(
                message="The gradient no longer contains its values.",
                remedy="Create the complex with separatrix.morse_smale(values).",
            )
        mark_top_cells(self.session.launch, self.field, self.words)
        self._top_cells_are_marked = True
        self.drop_values()

    def write_labels(self, kind: str, out: Any) -> bool:
        return self.session.pieces is not None and stream_labels(self, kind, out=out) is not None

    def vertex_labels(self, kind: str) -> Array:
        if kind == "ascending":
            self.mark_top_cells()
        labels = None if self.session.pieces is None else stream_labels(self, kind)
        return label_vertices(self, kind) if labels is None else labels

    def morse_smale_cells(self, minima: Array, maxima: Array, n_likely: int) -> tuple[Array, Array]:
        found = stream_cells(self, minima, maxima, n_likely) if self.session.divides else None
        if found is None:
            given = (self.counts[self.dimension], n_likely, self.grid.steps)
            found = morse_smale_cells(self.session, minima, maxima, *given)
        return found

    def cell_labels(self) -> Array:
        cut = tuple(map(slice, self.grid.top_shape))
        labels = None
        if self.session.pieces is not None:
            labels = stream_labels(self, "ascending", at_vertices=False)
        labels = maximum_of_top_cells(self) if labels is None else labels
        labels = labels.reshape(self.grid.dimensions[::-1])[cut]
        return self.session.device.xp.ascontiguousarray(labels)

    # === geometry
    def extremum_arcs(self, kind: str) -> CubicalArcs:
        return trace_extremum_arcs(self, kind, self.measured_arcs(kind))

    draw_extremum_arcs = draw_arcs
    draw_connectors = draw_connectors
    trace_surfaces = trace_surfaces


class LevelGradient(CubicalGradient):
    """The gradient at a level: the raw words with V-paths reversed (Forman 1998, section 11)."""

    def __init__(self, raw: CubicalGradient, hierarchy: Hierarchy, event: int):
        self._raw, self._hierarchy, self._event = raw, hierarchy, event
        self._saddle_paths_are_reversed = False
        self._arcs: dict[str, MeasuredArcs] = {}
        alive, values = hierarchy.alive_at(event), raw.owner_values
        columns = (raw.critical_ids, raw.owner_vertices, raw.owner_levels)
        ids, vertices, levels = (at(column, alive) for column in columns)
        critical = CriticalList(
            hierarchy.counts_at(event),
            *(ids, vertices, at(values, in_memory_of(alive, values)), levels),
        )
        super().__init__(raw.session, raw.field, None, critical, raw._top_cells_are_marked)

    @property
    def words(self) -> Array:
        with self.session.call(None, {}):
            words = self.extremum_words
            if not self._saddle_paths_are_reversed:
                model = (self.grid.extents, self._raw.words)
                self._hierarchy.replay("replay_turns", self._event, model, words)
                self._saddle_paths_are_reversed = True
            return words

    @property
    def marks_before(self) -> Array | None:
        return self._raw.marks

    def measured_arcs(self, kind: str) -> MeasuredArcs:
        if kind not in self._arcs:  # few, both for the graph and for lines
            self._arcs[kind] = super().measured_arcs(kind)
        return self._arcs[kind]

    def words_in_pieces(self, for_extrema: bool) -> Array:
        return self.extremum_words if for_extrema else self.words

    @property
    def extremum_words(self) -> Array:
        if self._words is None:
            raw, grid = self._raw, self.grid
            self.session.memory.require(raw.words.nbytes, "the gradient of a level")
            words = self.session.device.copied(raw.words)
            top = (grid.top_type, grid.dimension - 1)
            for kind, cell_type, index in (("minimum", 0, 1), ("maximum", *top)):
                if index >= 1:
                    sides = self._hierarchy.arcs_to_reverse(kind, self._event)
                    model = (grid.extents, raw.words, raw.critical_of(index), cell_type)
                    self.session.launch("reverse_arcs", sides.size, *model, sides, words)
            self._words = words
        return self._words
