"""Random VTK datasets of every kind, valid but unusual, and the attributes of a dataset.

`data_set(pick)` builds one; `pick` chooses from a sequence, like hypothesis or random numbers.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import (
    vtkBitArray,
    vtkPoints,
    vtkSOADataArrayTemplate,
    vtkStringArray,
    vtkVariant,
    vtkVariantArray,
)
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkCompositeDataSet,
    vtkDataObject,
    vtkDataSet,
    vtkGraph,
    vtkImageData,
    vtkMolecule,
    vtkMultiBlockDataSet,
    vtkMutableDirectedGraph,
    vtkPolyData,
    vtkRectilinearGrid,
    vtkStructuredGrid,
    vtkTable,
    vtkUnstructuredGrid,
)

Pick = Callable[[Sequence[Any]], Any]

NAMES = (
    "field", "other", "CellId", "CellDimension", "CriticalType", "AscendingManifold", "BallRadius",
    "radius", "Radius", "atom_type", "Atomic Numbers", "model", "ishetatm", "vtkOriginalCellIds",
    "vtkGhostType", "Points", "x", "a b/c", "größe", "", None,
)  # fmt: skip
FILLS = (
    *["random"] * 5, *["whole"] * 3, "constant", "nan", "one nan", "infinite", "huge", "tiny",
    "negative", "zero",
)  # fmt: skip
DTYPES = (
    "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f4",
)  # fmt: skip
CELLS = {
    1: (1,), 3: (2,), 5: (3,), 9: (4,), 8: (4,), 10: (4,), 12: (8,), 13: (6,), 14: (5,), 7: (5,),
    4: (3,), 6: (4,), 2: (3,), 24: (10,), 22: (6,), 21: (3,), 0: (0,), 42: (0,),
}  # fmt: skip
"""Points of VTK's cell types: simplices, boxes, polygons, strips, quadratic ones, empty cells."""


def data_set(pick: Pick, likely: Sequence[str] = (), wanted: str = "") -> Any:
    """A data set, or None; more often than not of one of the kinds that are likely, and with an
    array of that name of numbers that will do.
    """
    made = KINDS[pick((*KINDS, *likely * 8))](pick)
    if wanted and isinstance(made, (vtkDataSet, vtkMolecule)) and pick((True, True, False)):
        attributes, n = tables_of(made)[1]
        good = np.random.default_rng(pick(range(5))).uniform(0.5, 1.5, n)
        array = numpy_to_vtk(np.round(good, pick((1, 9))), deep=1)
        array.SetName(wanted)
        attributes.AddArray(array)
        attributes.SetActiveScalars(wanted)
    for attributes, n in tables_of(made):
        for _ in range(pick((0, 1, 1, 2, 3))):
            add_array(pick, attributes, n)
    return made


def values(pick: Pick, n: int, components: int = 1) -> np.ndarray:
    """Numbers (n,) or (n, components) of one of many kinds."""
    random = np.random.default_rng(pick(range(5)))
    fill, dtype = pick(FILLS), np.dtype(pick(DTYPES))
    shape = (n, components) if components != 1 else (n,)
    made = random.normal(size=shape) * 3
    made = {
        "whole": np.round(made),
        "constant": np.ones(shape),
        "nan": np.full(shape, math.nan),
        "one nan": made,
        "infinite": np.full(shape, math.inf),
        "huge": made * 1e300,
        "tiny": made * 1e-310,
        "negative": -abs(made),
        "zero": made * -0.0,
    }.get(fill, made)
    if fill == "one nan" and made.size:
        made.reshape(-1)[-1] = math.nan
    with np.errstate(all="ignore"):
        return made.astype(dtype)


def add_array(pick: Pick, attributes: Any, n: int) -> None:
    """One more array, now and then made the active scalars, and now and then not of n entries."""
    kind = pick(("numbers",) * 12 + ("text", "variants", "bits", "structure of arrays"))
    n = pick((n,) * 30 + (max(n - 1, 0), n + 3, 0))
    name = pick(NAMES)
    if kind == "text":
        array = vtkStringArray()
        for i in range(n):
            array.InsertNextValue(f"text {i}")
    elif kind == "variants":
        array = vtkVariantArray()
        for i in range(n):
            array.InsertNextValue(vtkVariant(i))
    elif kind == "bits":
        array = vtkBitArray()
        for i in range(n):
            array.InsertNextValue(i % 2)
    elif kind == "structure of arrays":
        array = vtkSOADataArrayTemplate["float64"]()
        array.SetNumberOfComponents(pick((1, 3)))
        array.SetNumberOfTuples(n)
        array.Fill(1.5)
    else:
        components = pick((1,) * 12 + (2, 3, 4, 9))
        array = numpy_to_vtk(np.ascontiguousarray(values(pick, n, components)), deep=1)
    if name is not None:
        array.SetName(name)
    if pick((False, False, True)) and hasattr(attributes, "SetScalars") and kind == "numbers":
        attributes.SetScalars(array)
    else:
        attributes.AddArray(array)


def _image(pick: Pick) -> vtkImageData:
    made = vtkImageData()
    extent: list[int] = []
    for _ in range(3):
        first = pick((0, 0, 2, -3))
        extent += [first, first + pick((0, 1, 2, 3, 4, 4, 4, 3, -1))]
    made.SetExtent(*extent)
    lengths = (*[1.0] * 4, 0.5, 2.0, 0.5, 0.0, -1.0, 1e-30, 1e30, 1e-200, math.nan, math.inf)
    if pick((False, False, True)):
        made.SetSpacing(*(pick(lengths) for _ in range(3)))
    if pick((False, False, True)):
        made.SetOrigin(*(pick((0.0, -5.0, 1e30, math.nan)) for _ in range(3)))
    if pick((False, False, True)):
        matrix = pick((
            (0, -1, 0, 1, 0, 0, 0, 0, 1), (1, 0, 0, 0, -1, 0, 0, 0, 1), (0,) * 9,
            (1, 0.5, 0, 0, 1, 0, 0, 0, 1), (math.nan,) * 9, (1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5),
        ))  # fmt: skip
        made.SetDirectionMatrix(*map(float, matrix))
    if made.GetNumberOfPoints() > 0 and pick((False,) * 4 + (True,)):
        made.AllocatePointGhostArray()
        made.GetPointGhostArray().SetValue(0, pick((1, 2, 3)))
    if made.GetNumberOfCells() > 0 and pick((False,) * 4 + (True,)):
        made.AllocateCellGhostArray()
        made.GetCellGhostArray().SetValue(0, pick((1, 2, 32)))
    return made


def _points(pick: Pick, most: int = 20) -> vtkPoints:
    n = pick((0, 1, 2, 3, 4, 8, 8, most, most, most))
    random = np.random.default_rng(pick(range(5)))
    made = pick(("random",) * 8 + ("plane", "line", "same", "nan", "huge", "whole"))
    places = random.random((n, 3)) * 4
    places = {
        "plane": places * [1, 1, 0],
        "line": places * [1, 0, 0],
        "same": np.ones((n, 3)),
        "huge": places * 1e30,
        "whole": np.floor(places),
    }.get(made, places)
    if made == "nan" and n:
        places[n // 2, 1] = math.nan
    points = vtkPoints()
    dtype = pick(("f4", "f8", "f8", "i4"))
    with np.errstate(all="ignore"):
        points.SetData(numpy_to_vtk(places.astype(dtype), deep=1))
    return points


def _unstructured(pick: Pick) -> vtkUnstructuredGrid:
    made, points = vtkUnstructuredGrid(), _points(pick)
    if pick((True,) * 9 + (False,)):
        made.SetPoints(points)
    random, n = np.random.default_rng(pick(range(9))), points.GetNumberOfPoints()
    kinds = pick(((10,), (5,), (10,), (5,)) * 2 + ((10, 5), tuple(CELLS), (12,), (1, 3), (0,)))
    for _ in range(pick((0, 1, 2, 6, 12)) if n and made.GetPoints() else 0):
        kind = pick(kinds)
        size = CELLS[kind][0]
        if kind == 42:
            continue
        distinct = size <= n and pick((True,) * 40 + (False,))
        corners = random.choice(n, size, replace=not distinct)
        made.InsertNextCell(kind, size, corners.tolist())
    return made


def _polygons(pick: Pick) -> vtkPolyData:
    made, points = vtkPolyData(), _points(pick)
    if pick((True,) * 9 + (False,)):
        made.SetPoints(points)
    n = points.GetNumberOfPoints() if made.GetPoints() else 0
    random = np.random.default_rng(pick(range(9)))
    for name, size in (("Verts", 1), ("Lines", 2), ("Polys", 3), ("Polys", 4), ("Strips", 5)):
        cells = vtkCellArray()
        for _ in range(pick((0, 0, 1, 5)) if n >= size else 0):
            cells.InsertNextCell(size, random.choice(n, size, replace=False).tolist())
        if cells.GetNumberOfCells():
            getattr(made, f"Set{name}")(cells)
    return made


def _rectilinear(pick: Pick) -> vtkRectilinearGrid:
    made = vtkRectilinearGrid()
    counts = [pick((0, 1, 3)) for _ in range(3)]
    made.SetDimensions(*counts)
    for axis, n in zip("XYZ", counts, strict=True):
        getattr(made, f"Set{axis}Coordinates")(numpy_to_vtk(np.arange(float(n)) ** 2, deep=1))
    return made


def _structured(pick: Pick) -> vtkStructuredGrid:
    made, n = vtkStructuredGrid(), pick((1, 2, 3))
    made.SetDimensions(n, n, n)
    points = vtkPoints()
    for place in np.ndindex(n, n, n):
        points.InsertNextPoint(*map(float, place))
    made.SetPoints(points)
    if n > 1 and pick((False, True)):
        made.BlankPoint(1)
        made.BlankCell(0)
    return made


def _table(pick: Pick) -> vtkTable:
    made, n = vtkTable(), pick((0, 1, 2, 5, 12))
    xyz = ("x", "y", "z")
    for name in pick((xyz, xyz, ("X", "Y"), ("a", "b", "c"), (), ("Points_0", "Points_1"))):
        column = numpy_to_vtk(np.ascontiguousarray(values(pick, n)), deep=1)
        column.SetName(name)
        made.AddColumn(column)
    return made


def _molecule(pick: Pick) -> vtkMolecule:
    made, places = vtkMolecule(), _points(pick, 12)
    for i in range(places.GetNumberOfPoints()):
        made.AppendAtom(pick((0, 1, 6, 8, 118, 200)), *places.GetPoint(i))
    return made


def _graph(pick: Pick) -> vtkGraph:
    made, n = vtkMutableDirectedGraph(), pick((0, 1, 3))
    for _ in range(n):
        made.AddVertex()
    if n > 1:
        made.AddEdge(0, 1)
    return made


def _blocks(pick: Pick) -> vtkMultiBlockDataSet:
    made = vtkMultiBlockDataSet()
    for i in range(pick((0, 1, 2, 3))):
        kind = pick(("image", "unstructured", "polygons", "table", "molecule", "nothing", "blocks"))
        made.SetBlock(i, None if kind == "nothing" else data_set_of(pick, kind))
    return made


def data_set_of(pick: Pick, kind: str) -> Any:
    """A data set of a kind with an array or two."""
    made = KINDS[kind](pick)
    for attributes, n in tables_of(made):
        add_array(pick, attributes, n)
    return made


KINDS: dict[str, Callable[[Pick], Any]] = {
    "image": _image,
    "unstructured": _unstructured,
    "polygons": _polygons,
    "rectilinear": _rectilinear,
    "structured": _structured,
    "table": _table,
    "molecule": _molecule,
    "graph": _graph,
    "blocks": _blocks,
    "nothing": lambda pick: None,
    "a bare data object": lambda pick: vtkDataObject(),
}


def tables_of(dataset: Any) -> list[tuple[Any, int]]:
    """Locations of arrays, with the number of entries there; 2 for field data."""
    if dataset is None or isinstance(dataset, vtkCompositeDataSet):
        return []
    found = [(dataset.GetFieldData(), 2)]
    if isinstance(dataset, vtkDataSet):
        n_cells = max(dataset.GetNumberOfCells(), 0)
        found += [(dataset.GetPointData(), max(dataset.GetNumberOfPoints(), 0))]
        found += [(dataset.GetCellData(), n_cells)]
    elif isinstance(dataset, vtkTable):
        found += [(dataset.GetRowData(), dataset.GetNumberOfRows())]
    elif isinstance(dataset, vtkGraph):
        found += [(dataset.GetVertexData(), dataset.GetNumberOfVertices())]
        found += [(dataset.GetEdgeData(), dataset.GetNumberOfEdges())]
    return [(attributes, n) for attributes, n in found if attributes is not None]
