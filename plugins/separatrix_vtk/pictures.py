"""Pictures of the filters' outputs: charts with Matplotlib, scenes with PyVista.

Each function takes the input and the outputs of a filter as PyVista's datasets, and Matplotlib's
axes or PyVista's plotter, and returns the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.plotting import required
from separatrix.plotting.charts import chart_of_bars
from separatrix.plotting.palette import surface_categories
from separatrix.plotting.scenes import (
    add_kinds,
    draw_arrows,
    draw_balls,
    draw_critical,
    draw_field,
    draw_mesh,
    scene,
)
from separatrix_vtk.io.errors import check_writable, unwritable
from separatrix_vtk.io.vtk_files import vtk_messages
from separatrix_vtk.io.writers import new_file

SUFFIXES = (".png", ".svg", ".pdf")


def dimension_of(domain: Any) -> int:
    """The dimension of an image or a mesh."""
    if hasattr(domain, "dimensions"):
        return sum(n > 1 for n in domain.dimensions)
    return int(domain.get_cell(0).dimension)


def of_complex(domain: Any, outputs: list[Any], target: Any) -> Any:
    """Critical points, lines, and surfaces by type; below three dimensions, the regions."""
    points, lines, surfaces, segmentation, *_ = outputs
    target = scene(target)
    if surfaces.n_cells:
        kinds = surfaces["SeparatrixType"]
        add_kinds(target, surfaces, kinds, surface_categories(), opacity=0.5)
    dimension = dimension_of(segmentation)
    drawn = [(lines, lines["DestinationType"])] if lines.n_cells else []
    name = "MorseSmaleManifold"
    labels = segmentation.point_data.get(name) if dimension < 3 else None
    return draw_critical(target, segmentation, dimension, *typed(points), drawn, labels)


def typed(points: Any) -> tuple[Any, np.ndarray]:
    """Critical points and their types."""
    return points, points["CriticalType"] if points.n_points else np.empty(0, np.int8)


def of_critical_points(domain: Any, outputs: list[Any], target: Any) -> Any:
    """Critical points by type."""
    return draw_critical(target, domain, dimension_of(domain), *typed(outputs[0]))


def of_gradient(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The pairs of a gradient, and its critical points."""
    points, _, arrows = outputs
    is_given = domain is not points
    dimension = dimension_of(domain) if is_given else int(points["CellDimension"].max())
    return draw_arrows(target, domain, dimension, arrows, *typed(points))


def of_simplified(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The simplified field: colors, or isosurfaces."""
    (field,) = outputs
    name = next(one for one in field.array_names if f"{one}_Order" in field.array_names)
    if name not in field.point_data:
        field = field.cell_data_to_point_data()
    return draw_field(target, field, dimension_of(field), field[name], name)


def of_density(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The density of points: colors, or isosurfaces."""
    (image,) = outputs
    return draw_field(target, image, dimension_of(image), image["Density"], "Density")


def of_neighbors(domain: Any, outputs: list[Any], target: Any) -> Any:
    """Points in the color of the distance to the nearest one."""
    name = "DistanceToNearest"
    points = required("pyvista").PolyData(outputs[0].points)
    return draw_field(target, points, 0, outputs[0][name], name)


def of_mesh(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The surface of the first output, or of the input, with its edges."""
    return draw_mesh(target, outputs[0] if outputs[0].n_points else domain)


def of_balls(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The boundary of an alpha complex, its voids, and its pockets."""
    complex, boundary, _, pockets, *_ = outputs
    is_single = complex["Kind"] == 0
    balls, edges = (
        complex.extract_cells(np.flatnonzero(is_single & (complex["CellDimension"] == d)))
        for d in (0, 1)
    )
    if pockets.n_cells:
        pockets = pockets.extract_cells(np.flatnonzero(pockets["IsMouth"] == 0))
    voids = boundary["VoidId"] if boundary.n_cells else np.empty(0, np.int32)
    return draw_balls(target, boundary, voids, balls, edges, pockets)


def of_diagram(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The pairs of a persistence diagram over birth and death."""
    cells = outputs[0].cell_data
    is_pair = cells["PairType"] >= 0
    kind, birth = cells["PairType"][is_pair], cells["Birth"][is_pair]
    death = np.where(cells["IsFinite"] == 1, cells["Death"], np.inf)[is_pair]
    return chart_of_bars(target, "diagram", kind, birth, death)


def of_barcode(domain: Any, outputs: list[Any], target: Any) -> Any:
    """The bars of a barcode."""
    bars = outputs[3]
    columns = (np.asarray(bars[name]) for name in ("Dimension", "Birth", "Death"))
    return chart_of_bars(target, "barcode", *columns)


PICTURES: dict[str, Callable[[Any, list[Any], Any], Any]] = {
    "AlphaComplex": of_balls,
    "CriticalPoints": of_critical_points,
    "DiscreteGradient": of_gradient,
    "MorseSmale": of_complex,
    "MorseSmaleComplex": of_complex,
    "NeighborStatistics": of_neighbors,
    "PersistenceDiagram": of_diagram,
    "PointDensity": of_density,
    "RipsBarcodes": of_barcode,
    "TopologicalSimplification": of_simplified,
}
"""Class of a filter, or of the outputs of a function -> the function that draws them, if any."""

CHARTS = (of_diagram, of_barcode)


def draw_outputs(name: str, outputs: Iterable[Any], target: Any, domain: Any = None) -> Any:
    """Draw the outputs of a filter, by its name in PICTURES; a domain is its input."""
    wrap = required("pyvista").wrap
    wrapped = [wrap(output) for output in outputs]
    draw = PICTURES.get(name, of_mesh)
    return draw(wrapped[0] if domain is None else wrap(domain), wrapped, target)


def check_picture(path: Path) -> None:
    """Raise an error if a picture cannot be written, as far as that is known before the work."""
    if path.suffix.lower() not in SUFFIXES:
        raise unwritable(path, list(SUFFIXES))
    check_writable(path)
    for package in ("matplotlib.figure", "pyvista"):
        required(package)


def write_picture(path: Path, filter: Any, domain: Any, outputs: list[Any]) -> None:
    """Draw the input and the outputs of a filter into a file, without a display."""
    name, suffix = type(filter).__name__, path.suffix.lower()
    is_chart = PICTURES.get(name) in CHARTS
    with vtk_messages(), new_file(path) as file:
        figure = required("matplotlib.figure").Figure
        target = figure().subplots() if is_chart else scene(off_screen=True)
        draw_outputs(name, outputs, target, domain)
        if is_chart:
            target.figure.savefig(file, format=suffix[1:], dpi=150)
            return
        (target.screenshot if suffix == ".png" else target.save_graphic)(file)
        target.close()
