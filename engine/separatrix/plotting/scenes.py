"""Complexes, meshes, points, and fields in space, with PyVista; from arrays or PyVista's datasets.

Each function draws into a plotter, by default a new one, and returns it; `plotter.show()` opens a
window. What has a kind is one actor per kind, named in the legend.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..device import Array, to_host
from ..errors import InputError
from . import required
from .palette import (
    BLUE,
    GRAY,
    ORANGE,
    SKY_BLUE,
    VERMILION,
    YELLOW,
    Category,
    bar_categories,
    categories_of,
    critical_type_categories,
    label_colors,
    line_categories,
    tint,
)

BACKGROUND = ((0.020, 0.027, 0.047), (0.094, 0.122, 0.176))  # bottom and top
BALLS = {"style": "points", "point_size": 14, "render_points_as_spheres": True}
TUBES = {"line_width": 4, "render_lines_as_tubes": True}
CELL_TYPES = {1: 1, 2: 3, 3: 5, 4: 10}  # of VTK, by the number of corners
OUTSIDE, VOIDS = categories_of(surface=tint(SKY_BLUE), surfaces_of_voids=VERMILION)
DEGENERATE = Category(4, "degenerate", YELLOW)
OFFSCREEN_LIBRARIES = {
    "vtkEGLRenderWindow": ("libEGL.so.1", "libEGL.so"),
    "vtkOSOpenGLRenderWindow": ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"),
}
"""Libraries of VTK's windows without a display."""


def can_be_loaded(library: str) -> bool:
    """Whether the system's loader finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def require_driver() -> None:
    """Raise InputError where VTK would crash: without a display, EGL, and OSMesa."""
    is_chosen = os.environ.get("DISPLAY") or os.environ.get("VTK_DEFAULT_OPENGL_WINDOW")
    libraries = sum(OFFSCREEN_LIBRARIES.values(), ())
    if sys.platform == "linux" and not is_chosen and not any(map(can_be_loaded, libraries)):
        raise InputError(
            message="Scenes cannot be drawn without a display, because libEGL was not found.",
            remedy="On Debian and Ubuntu, run apt-get install libegl1 libgl1-mesa-dri.",
        )


def scene(plotter: Any = None, **options: Any) -> Any:
    """The given plotter, or a new one with these options and a dark background."""
    if plotter is None:
        pyvista = required("pyvista")
        require_driver()
        plotter = pyvista.Plotter(theme=pyvista.themes.DarkTheme(), **options)
        plotter.set_background(BACKGROUND[0], top=BACKGROUND[1])
    return plotter


def finished(plotter: Any, bounds: Sequence[float]) -> Any:
    """The plotter with a legend, looking at the whole scene; along z if it is flat."""
    if plotter.renderer._labels:
        plotter.add_legend(bcolor=None, face="circle", size=(0.22, 0.2))
    if bounds[4] == bounds[5]:
        plotter.view_xy()
        plotter.camera.zoom(0.85)  # beside the legend
    else:
        plotter.reset_camera()
    return plotter


# === datasets from arrays


def in_space(points: Array) -> np.ndarray:
    """Points (n, 3) float64 of points (n, d): three coordinates, missing ones are 0."""
    points = to_host(points)[:, :3]
    return np.pad(points.astype(np.float64), ((0, 0), (0, 3 - points.shape[1])))


def cells_of(points: Array, cells: Array) -> Any:
    """Points (n, d) and cells (m, k) of k corners as a PyVista dataset."""
    cells = to_host(cells)
    m, k = cells.shape
    padded = np.insert(cells, 0, k, axis=1)
    types = np.full(m, CELL_TYPES[k], np.uint8)
    return required("pyvista").UnstructuredGrid(padded.ravel(), types, in_space(points))


def points_of(points: Array) -> Any:
    """Points (n, d) as a PyVista dataset."""
    return cells_of(points, np.arange(len(points))[:, None])


def polylines_of(points: Array, offsets: Array) -> Any:
    """Polylines as a PyVista dataset: line i has the points offsets[i] to offsets[i + 1] - 1."""
    offsets = to_host(offsets)
    lines = np.insert(np.arange(offsets[-1]), offsets[:-1], np.diff(offsets))
    return required("pyvista").PolyData(in_space(points), lines=lines)


def image_of(
    dimensions: Sequence[int],
    spacing: Sequence[float],
    origin: Sequence[float],
    direction: Sequence[float] | None = None,
) -> Any:
    """The grid of an image as a PyVista dataset."""
    matrix = np.eye(3) if direction is None else np.asarray(direction).reshape(3, 3)
    image = required("pyvista").ImageData
    return image(dimensions=dimensions, spacing=spacing, origin=origin, direction_matrix=matrix)


# === things to draw


def add_kinds(
    plotter: Any, dataset: Any, kinds: Array, categories: Sequence[Category], **look: Any
) -> None:
    """Draw the cells of each kind (n,) in the color of its category, one actor per category."""
    kinds = to_host(kinds)
    for category in categories:
        chosen = np.flatnonzero(kinds == category.value)
        if chosen.size:
            cells = dataset.extract_cells(chosen)
            plotter.add_mesh(cells, color=category.color, label=category.name, **look)


def add_domain(plotter: Any, domain: Any, labels: Array | None = None) -> None:
    """Draw the regions of a domain by their labels (n,), or only its outline or surface."""
    if labels is None:
        is_image = hasattr(domain, "dimensions")
        shown = domain.outline() if is_image else domain.extract_surface(algorithm=None)
        plotter.add_mesh(shown, color=GRAY, opacity=1.0 if is_image else 0.15)
        return
    labels = to_host(labels).ravel()
    colors = np.vstack([label_colors(int(labels.max(initial=-1)) + 1), GRAY])  # the last is for -1
    plotter.add_mesh(domain.copy(), scalars=colors[labels], rgb=True, lighting=False)


def draw_critical(
    plotter: Any,
    domain: Any,
    dimension: int,
    points: Any,
    types: Array,
    lines: Sequence[tuple[Any, Array]] = (),
    labels: Array | None = None,
) -> Any:
    """Draw critical points by `CriticalType`, lines by `DestinationType`, and their domain."""
    plotter = scene(plotter)
    add_domain(plotter, domain, labels)
    for drawn, kinds in lines:
        add_kinds(plotter, drawn, kinds, line_categories(), **TUBES)
    categories = [*critical_type_categories(dimension), DEGENERATE]
    add_kinds(plotter, points, types, categories, **BALLS)
    return finished(plotter, domain.bounds)


def draw_arrows(plotter: Any, domain: Any, dimension: int, arrows: Any, *critical: Any) -> Any:
    """Draw the pairs of a gradient as lines, and its critical points."""
    plotter = scene(plotter)
    plotter.add_mesh(arrows, color=GRAY, line_width=2)
    return draw_critical(plotter, domain, dimension, *critical)


def draw_balls(
    plotter: Any, boundary: Any, voids: Array, balls: Any, edges: Any, pockets: Any
) -> Any:
    """Draw the boundary of an alpha complex by `VoidId` (f,), and balls and edges without cofaces.

    Pockets are their walls; the surface is translucent if there are any, or voids.
    """
    plotter = scene(plotter)
    is_inside = to_host(voids) >= 0
    has_pockets = pockets is not None and pockets.n_cells > 0
    opacity = 0.3 if has_pockets or is_inside.any() else 1.0
    add_kinds(plotter, boundary, is_inside, [OUTSIDE], opacity=opacity)
    add_kinds(plotter, boundary, is_inside, [VOIDS])
    for loose, color, name, look in (
        (balls, ORANGE, "balls without edges", BALLS),
        (edges, BLUE, "edges without triangles", TUBES),
    ):
        if loose.n_cells:
            plotter.add_mesh(loose, color=color, label=name, **look)
    if has_pockets:
        plotter.add_mesh(pockets, color=YELLOW, label="walls of pockets")
    return finished(plotter, balls.bounds)


def draw_cycle(plotter: Any, points: Array, simplices: Array, color: Any) -> Any:
    """Draw a cycle on its points (n, d), by default in the color of its dimension."""
    plotter = scene(plotter)
    category = bar_categories(simplices.shape[1])[-1]
    among = points_of(points)
    plotter.add_mesh(among, color=GRAY, **BALLS | {"point_size": 6})
    look = BALLS if simplices.shape[1] == 1 else TUBES
    cycle = cells_of(points, simplices)
    plotter.add_mesh(cycle, color=color or category.color, label=category.name, **look)
    return finished(plotter, among.bounds)


def draw_mesh(plotter: Any, mesh: Any) -> Any:
    """Draw the surface of a mesh with its edges."""
    plotter = scene(plotter)
    plotter.add_mesh(mesh, color=tint(SKY_BLUE), show_edges=True)
    return finished(plotter, mesh.bounds)


def draw_field(plotter: Any, domain: Any, dimension: int, values: Array, name: str) -> Any:
    """Draw a field (n,) on the points of a domain: colors, or in three dimensions isosurfaces."""
    plotter = scene(plotter)
    drawn = domain.copy()
    drawn[name] = to_host(values).ravel()
    look: dict[str, Any] = {
        "scalars": name,
        "cmap": "viridis",
        "scalar_bar_args": {"color": "white"},
    }
    if dimension == 0:
        look |= BALLS
    elif dimension == 3:
        add_domain(plotter, domain)
        low, high = np.nanmin(drawn[name]), np.nanmax(drawn[name])
        drawn = drawn.contour(np.linspace(low, high, 6)[1:-1], scalars=name)
        look["opacity"] = 0.4
    if drawn.n_points:
        plotter.add_mesh(drawn, **look)
    return finished(plotter, domain.bounds)


def draw_points(plotter: Any, points: Any, labels: Array) -> Any:
    """Draw points in the colors of their labels (n,)."""
    plotter = scene(plotter)
    labels = to_host(labels)
    colors = label_colors(int(labels.max(initial=0)) + 1)[labels]
    plotter.add_mesh(points, scalars=colors, rgb=True, **BALLS)
    return finished(plotter, points.bounds)
