"""Atoms of a dataset as balls: centers, radii, and rows of the input.

Radii are taken from an array, from the elements, or from a constant. By default, an array `radius`
with one component is preferred, followed by atomic numbers. VTK's PDB reader creates an array
`radius` with three components, which does not contain Bondi's radii, so its elements are used.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import vtkMolecule, vtkTable

from separatrix.options.molecules import BallOptions, SearchOptions
from separatrix_vtk.base.arrays import arrays_in, from_vtk, names_of
from separatrix_vtk.base.computing import ComputingFilter
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.points.point_set import attributes_of, numbers_in, point_set_of
from separatrix_vtk.io.molecules.elements import radii_in, radii_of

RADIUS_ARRAYS = ("radius", "Radius", "radii", "vdw_radius")
ELEMENT_ARRAYS = ("atom_type", "Atomic Numbers", "AtomicNumber", "atomic_number")
HETERO_ARRAYS = ("is_hetatm", "ishetatm")
MODEL_ARRAY = "model"
CELL_ARRAY = "Cell"
ALL_MODELS, FIRST_MODEL = -1, 0


COUNTED = ("Vertices", "Edges", "Triangles", "Tetrahedra")
# The options that define the balls.
DEFINING = (
    "radius_source", "radius_array", "element_array", "radius_overrides", "constant_radius",
    "use_hetatm", "model", "weight_array",
)  # fmt: skip
MAX_ATOMIC_NUMBER = 1e9  # far above all, but within int64


@dataclass(frozen=True)
class Balls:
    """Balls of a dataset."""

    positions: np.ndarray  # (n, 3) in the dtype of the input
    radii: np.ndarray  # (n,) float64, 0 for negative weights
    weights: np.ndarray | None  # (n,) float64, squared radii, if they are given
    rows: np.ndarray  # (n,) int64, points of the input
    attributes: Any  # point data of the input
    has_elements: bool  # so lengths are in Angstrom
    warning: str  # about the selection
    known_by: Hashable

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sizes(self) -> dict[str, Any]:
        """Radii or weights, as keywords of the engine."""
        return {"radii": self.radii} if self.weights is None else {"weights": self.weights}

    def squared_radii(self, probe: float) -> np.ndarray:
        """Return the squared radii with the probe, or the weights."""
        return (self.radii + probe) ** 2 if self.weights is None else self.weights

    @property
    def is_whole(self) -> bool:
        """Whether all points of the input are balls."""
        return len(self.rows) == self.attributes.GetNumberOfTuples()


def balls_of(dataset: Any, options: BallOptions) -> Balls:
    """Return the selected atoms of a point set, molecule, or table. Raises FilterError."""
    points = point_set_of(dataset)
    attributes = attributes_of(dataset)
    has_elements = bool(_first_of(attributes, (options.element_array, *ELEMENT_ARRAYS)))
    kept, warning = _chosen(attributes, points.n_points, options, has_elements)
    rows = np.flatnonzero(kept)
    if not rows.size:
        raise FilterError(
            f"All {points.n_points:,} atoms are HETATM records, which are excluded. Set "
            "{use_hetatm=True}."
        )
    weights = _weights(attributes, rows, options)
    return Balls(
        positions=points.positions if rows.size == points.n_points else points.positions[rows],
        radii=_radii(attributes, rows, options) if weights is None else np.sqrt(weights.clip(0.0)),
        weights=weights,
        rows=rows,
        attributes=attributes,
        has_elements=has_elements,
        warning=warning,
        known_by=(
            _stamps(dataset, attributes, options),
            tuple(getattr(options, name) for name in DEFINING),
        ),
    )


def _stamps(dataset: Any, attributes: Any, options: BallOptions) -> tuple[int, ...]:
    """Return the modification times, unique in VTK, of the arrays that define the balls.

    The dataset itself does not count, because ParaView creates a new one for the same arrays.
    """
    if isinstance(dataset, vtkTable):
        return tuple(array.GetMTime() for array in arrays_in(attributes))
    is_molecule = isinstance(dataset, vtkMolecule)
    places = dataset.GetAtomicPositionArray() if is_molecule else dataset.GetPoints()
    chosen = (options.radius_array, options.element_array, options.weight_array)
    names = {MODEL_ARRAY, *filter(None, chosen)}
    names |= {*RADIUS_ARRAYS, *ELEMENT_ARRAYS, *HETERO_ARRAYS}
    arrays = [attributes.GetAbstractArray(name) for name in sorted(names)]
    return tuple(a.GetMTime() for a in (places.GetData(), *arrays) if a is not None)


def _chosen(
    attributes: Any, n: int, options: BallOptions, has_elements: bool
) -> tuple[np.ndarray, str]:
    """Return a mask (n,) of the atoms of the selected model, and a warning about other models."""
    kept, warning = np.ones(n, bool), ""
    models = (
        numbers_in(attributes, MODEL_ARRAY, accept_equal=True)
        if attributes.HasArray(MODEL_ARRAY)
        else None
    )
    if options.model > 0:
        known = [] if models is None else np.unique(models).tolist()
        if options.model not in known:
            expected = f"a number of the array '{MODEL_ARRAY}' ({_in_words(known)})"
            raise FilterError("model", expected, options.model)
        kept &= models == options.model
    elif options.model == FIRST_MODEL and has_elements and models is not None and n:
        first = models.min()
        kept &= models == first
        if not kept.all():
            warning = (
                f"Only the atoms of model {first:g} were used, because the "
                f"{len(np.unique(models))} models overlap. Set {{model}} to another one, or to "
                f"{ALL_MODELS} to use all."
            )
    hetero = _first_of(attributes, HETERO_ARRAYS)
    if not options.use_hetatm and hetero:
        kept &= numbers_in(attributes, hetero, accept_equal=True) == 0
    return kept, warning


def _in_words(numbers: list[float]) -> str:
    """Return ascending integers as text, as a range if they are consecutive."""
    if not numbers:
        return "none"
    first, last = int(numbers[0]), int(numbers[-1])
    if len(numbers) > 2 and last - first == len(numbers) - 1:
        return f"{first} to {last}"
    return ", ".join(f"{number:g}" for number in numbers)


# === radii


def _radii(attributes: Any, rows: np.ndarray, options: BallOptions) -> np.ndarray:
    if options.radius_source == "constant":
        return np.full(len(rows), options.constant_radius)
    if options.radius_source == "points":
        return np.zeros(len(rows))
    elements = options.element_array or _first_of(attributes, ELEMENT_ARRAYS)
    overrides = radii_in(options.radius_overrides)
    source = options.radius_source
    if (source == "elements" or (source == "automatic" and overrides)) and not elements:
        raise FilterError(_no_array("of atomic numbers", ELEMENT_ARRAYS, attributes))
    named = options.radius_array or ""
    if source == "automatic":
        plain = named or _first_of(attributes, RADIUS_ARRAYS, components=1)
        if overrides:
            plain = ""
        named = plain or ("" if elements else _first_of(attributes, RADIUS_ARRAYS))
    if source == "array" or named:
        named = named or _first_of(attributes, RADIUS_ARRAYS)
        if not named:
            raise FilterError(_no_array("of radii", RADIUS_ARRAYS, attributes))
        return numbers_in(attributes, named, accept_equal=True)[rows].astype(np.float64)
    if elements:
        numbers = numbers_in(attributes, elements, accept_equal=True)[rows]
        is_valid = (numbers == np.rint(numbers)) & (abs(numbers) < MAX_ATOMIC_NUMBER)
        if not is_valid.all():
            first = int(np.argmin(is_valid))
            raise FilterError(
                *("element_array", "an array of atomic numbers", numbers[first]),
                where=f" '{elements}'[{rows[first]}]",
                count=int((~is_valid).sum()),
            )
        return radii_of(numbers.astype(np.int64), overrides)
    raise FilterError(
        f"{_no_array('of radii', RADIUS_ARRAYS, attributes)} For equal radii, set "
        "{radius_source='constant'} and {constant_radius}; for points without radii, set "
        "{radius_source='points'}."
    )


def _weights(attributes: Any, rows: np.ndarray, options: BallOptions) -> np.ndarray | None:
    if options.radius_source != "weights":
        return None
    if not options.weight_array:
        raise FilterError(
            "{radius_source} 'weights' requires the name of an array. Set {weight_array}."
        )
    given = numbers_in(attributes, options.weight_array, accept_equal=True)
    return given[rows].astype(np.float64)


def _no_array(kind: str, names: tuple[str, ...], attributes: Any) -> str:
    quoted = " or ".join(f"'{name}'" for name in names)
    available = ", ".join(names_of(attributes)) or "none"
    option = "radius_array" if names is RADIUS_ARRAYS else "element_array"
    return (
        f"An array {kind} ({quoted}) was not found; available: {available}. Choose "
        f"one with {{{option}}}."
    )


def _first_of(attributes: Any, names: tuple[str | None, ...], components: int = 0) -> str:
    """Return the first of these names that belongs to a numeric array, or ""."""
    for name in filter(None, names):
        array: Any = attributes.GetAbstractArray(name)
        is_numeric = isinstance(array, vtkDataArray)
        if is_numeric and components in (0, array.GetNumberOfComponents()):
            return name
    return ""


class BallFilter(BallOptions, ComputingFilter, SearchOptions):
    """Base of the filters on balls, such as the atoms of a molecule."""

    INPUT_TYPE = "vtkDataObject"
    IS_OF_POINTS = True

    def __init__(self, **values: Any) -> None:
        if "box" in values:  # as a keyword, not in the panel
            values.setdefault("box_source", "custom")
        super().__init__(**values)

    def box_of(self, dataset: Any) -> tuple[float, ...] | None:
        """Return the periodic box, if any: three lengths and three angles. Raises FilterError."""
        if self.box_source == "custom":
            return self.box
        if self.box_source == "none":
            return None
        cell = dataset.GetFieldData().GetArray(CELL_ARRAY)
        if cell is None or cell.GetNumberOfValues() != 6:
            raise FilterError(
                f"The field data do not contain an array '{CELL_ARRAY}' of six numbers. Use "
                "Separatrix Molecule Reader and a file that states the cell, or set "
                "{box_source='custom'} and {box}."
            )
        numbers = from_vtk(cell).ravel().tolist()
        if not all(0 < number < math.inf for number in numbers):
            raise FilterError(
                f"The array '{CELL_ARRAY}' of the field data must contain three positive lengths "
                f"and three angles of a box; got {', '.join(f'{number:g}' for number in numbers)}."
            )
        return tuple(numbers)

    @property
    def search_options(self) -> dict[str, Any]:
        """Options of the search, as keywords of the engine."""
        return {
            "probe": self.probe,
            "resolution": None if self.radius_source == "points" else self.resolution,
            "work_limit": self.work_limit,
            "method": self.method,
        }


def numbers_of(complex: Any, betti: bool = False, voids: Any = None) -> dict[str, float]:
    """Counts of an alpha complex, and of its Betti numbers and voids if requested."""
    numbers: dict[str, float] = {
        "NumberOfAtoms": complex.n_balls,
        **{f"NumberOf{n}": c for n, c in zip(COUNTED, complex.counts, strict=True)},
        "EulerCharacteristic": complex.euler_characteristic,
    }
    if betti:
        numbers |= {f"Betti{d}": number for d, number in enumerate(complex.betti)}
    if voids is not None:
        numbers |= {"VoidVolume": float(voids.volume.sum()), "VoidArea": float(voids.area.sum())}
    return numbers
