"""The atoms of a dataset as balls: centers, radii, and which rows of the input they are.

Radii are an array's, or those of the atoms' elements, or one for all. Where nothing says which, an
array `radius` of one component comes first, then atomic numbers. That VTK's PDB reader gives each
atom a radius of three components, which is not Bondi's, and its element: the element counts.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import vtkMolecule, vtkTable

from separatrix_vtk.base.arrays import from_vtk, names_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.points.point_set import attributes_of, point_set_of
from separatrix_vtk.io.molecules.elements import radii_in, radii_of

RADIUS_ARRAYS = ("radius", "Radius", "radii", "vdw_radius")
ELEMENT_ARRAYS = ("atom_type", "Atomic Numbers", "AtomicNumber", "atomic_number")
HETERO_ARRAYS = ("is_hetatm", "ishetatm")
MODEL_ARRAY = "model"
ALL_MODELS, FIRST_MODEL = -1, 0


@dataclass(frozen=True)
class Choice:
    """What a user has chosen. Names of arrays are "" where none was."""

    source: str = "automatic"
    radius_array: str = ""
    element_array: str = ""
    overrides: str = ""
    constant: float = 1.0
    use_hetatm: bool = True
    model: int = FIRST_MODEL


@dataclass(frozen=True)
class Balls:
    """n balls of a dataset.

    positions (n, 3) as they are, radii (n,) float64, rows (n,) int64 of the input's points;
    attributes: the input's point data. ``has_elements``: lengths are Angstrom. ``warning``: what a
    user has to know of the choice.
    """

    positions: np.ndarray
    radii: np.ndarray
    rows: np.ndarray
    attributes: Any
    has_elements: bool
    warning: str
    known_by: Hashable

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_whole(self) -> bool:
        """Whether every point of the input is an atom."""
        return len(self.rows) == self.attributes.GetNumberOfTuples()


def balls_of(dataset: Any, choice: Choice) -> Balls:
    """The chosen atoms of a point set, molecule or table with their radii."""
    points = point_set_of(dataset)
    attributes = attributes_of(dataset)
    has_elements = bool(_first_of(attributes, (choice.element_array, *ELEMENT_ARRAYS)))
    kept, warning = _chosen(attributes, points.n_points, choice, has_elements)
    rows = np.flatnonzero(kept)
    if not rows.size:
        raise FilterError(
            f"no atom is left of {points.n_points:,}: all are HETATM, which were switched off"
        )
    return Balls(
        positions=points.positions if rows.size == points.n_points else points.positions[rows],
        radii=_radii(attributes, rows, choice),
        rows=rows,
        attributes=attributes,
        has_elements=has_elements,
        warning=warning,
        known_by=(_stamps(dataset, attributes, choice), choice),
    )


def _stamps(dataset: Any, attributes: Any, choice: Choice) -> tuple[int, ...]:
    """Times of modification, of which VTK gives none twice, of the arrays that balls are made of.

    Not of the dataset: ParaView makes that anew around the same arrays.
    """
    if isinstance(dataset, vtkTable):
        arrays = [attributes.GetAbstractArray(i) for i in range(attributes.GetNumberOfArrays())]
        return tuple(array.GetMTime() for array in arrays)
    is_molecule = isinstance(dataset, vtkMolecule)
    places = dataset.GetAtomicPositionArray() if is_molecule else dataset.GetPoints()
    names = {choice.radius_array, choice.element_array, MODEL_ARRAY}
    names |= {*RADIUS_ARRAYS, *ELEMENT_ARRAYS, *HETERO_ARRAYS}
    arrays = [attributes.GetAbstractArray(name) for name in sorted(names) if name]
    return tuple(a.GetMTime() for a in (places.GetData(), *arrays) if a is not None)


def _chosen(attributes: Any, n: int, choice: Choice, has_elements: bool) -> tuple[np.ndarray, str]:
    """Mask (n,) of the atoms of the model asked for, and a warning where others were left out."""
    kept, warning = np.ones(n, bool), ""
    models = _numbers(attributes, MODEL_ARRAY) if attributes.HasArray(MODEL_ARRAY) else None
    if choice.model > 0:
        there_are = [] if models is None else np.unique(models).tolist()
        if choice.model not in there_are:
            raise FilterError(
                f"there is no model {choice.model} among the atoms "
                f"(array '{MODEL_ARRAY}': {_in_words(there_are)})"
            )
        kept &= models == choice.model
    elif choice.model == FIRST_MODEL and has_elements and models is not None and n:
        first = models.min()
        kept &= models == first
        if not kept.all():
            warning = (
                f"the atoms are those of {len(np.unique(models))} models, one upon the other; only "
                f"model {first:g} was taken: set Model to another, or to {ALL_MODELS} for all"
            )
    hetero = _first_of(attributes, HETERO_ARRAYS)
    if not choice.use_hetatm and hetero:
        kept &= _numbers(attributes, hetero) == 0
    return kept, warning


def _in_words(numbers: list[float]) -> str:
    """Ascending whole numbers, as a range where they are one."""
    if not numbers:
        return "there is none"
    first, last = int(numbers[0]), int(numbers[-1])
    if len(numbers) > 2 and last - first == len(numbers) - 1:
        return f"{first} to {last}"
    return ", ".join(f"{number:g}" for number in numbers)


# === radii

NO_NUMBER = 1e9  # atomic numbers are far below


def _radii(attributes: Any, rows: np.ndarray, choice: Choice) -> np.ndarray:
    if choice.source == "constant":
        return np.full(len(rows), choice.constant)
    elements = choice.element_array or _first_of(attributes, ELEMENT_ARRAYS)
    overrides = radii_in(choice.overrides)
    wants_elements = choice.source == "elements" or (choice.source == "automatic" and overrides)
    if wants_elements and not elements:
        raise FilterError(_no_array("of atomic numbers", ELEMENT_ARRAYS, attributes))
    named = choice.radius_array
    if choice.source == "automatic":
        plain = named or _first_of(attributes, RADIUS_ARRAYS, components=1)
        if overrides:
            plain = ""
        named = plain or ("" if elements else _first_of(attributes, RADIUS_ARRAYS))
    if choice.source == "array" or named:
        named = named or _first_of(attributes, RADIUS_ARRAYS)
        if not named:
            raise FilterError(_no_array("of radii", RADIUS_ARRAYS, attributes))
        return _numbers(attributes, named)[rows].astype(np.float64)
    if elements:
        numbers = _numbers(attributes, elements)[rows]
        if (numbers != np.rint(numbers)).any() or not (abs(numbers) < NO_NUMBER).all():
            raise FilterError(f"the array '{elements}' holds fractions, no atomic numbers")
        return radii_of(numbers.astype(np.int64), overrides)
    raise FilterError(
        f"{_no_array('of radii', RADIUS_ARRAYS, attributes)}; or set Radius Source to Constant "
        "(in Python radius=0.2)"
    )


def _no_array(what: str, names: tuple[str, ...], attributes: Any) -> str:
    there_is = ", ".join(names_of(attributes)) or "none"
    called = " or ".join(f"'{name}'" for name in names)
    return f"the atoms have no array {what} ({called}), there is: {there_is}; choose one by name"


def _first_of(attributes: Any, names: tuple[str, ...], components: int = 0) -> str:
    """The first of these names that an array of numbers has, "" for none."""
    for name in names:
        array: Any = attributes.GetAbstractArray(name) if name else None
        if not isinstance(array, vtkDataArray):
            continue
        if components in (0, array.GetNumberOfComponents()):
            return name
    return ""


def _numbers(attributes: Any, name: str) -> np.ndarray:
    """One number a point. Of several components that are all equal the first is taken."""
    array = attributes.GetAbstractArray(name)
    there_is = f"there is: {', '.join(names_of(attributes)) or 'none'}"
    if array is None:
        raise FilterError(f"there is no array of the points called '{name}'; {there_is}")
    if not isinstance(array, vtkDataArray):
        raise FilterError(f"the array '{name}' holds text where numbers are needed; {there_is}")
    values = from_vtk(array)
    if values.ndim == 1:
        return values
    if (values != values[:, :1]).any():
        raise FilterError(
            f"the array '{name}' has {values.shape[1]} components that differ, a radius is one "
            "number: make one of them first with the Calculator filter"
        )
    return values[:, 0]
