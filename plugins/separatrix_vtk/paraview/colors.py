"""Colors of what Separatrix shows in ParaView: one call, in its Python shell or in a script.

    from separatrix_vtk.paraview.colors import color_outputs
    color_outputs()            # everything that the active filter shows, in every view, after Apply
    color_critical_points(display)                      # or one display at a time

`display` is what paraview.simple's Show and GetDisplayProperties return. Each display gets its own
color map, because the same array means different things in 2D and in 3D: pass the `dimension` of
the image, or let it be determined from the input of the filter. The palette, and lookup tables for
plain VTK and PyVista, are in `separatrix_vtk.paraview.palette`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix_vtk.paraview import alpha_colors, barcode_colors
from separatrix_vtk.paraview.barcode_colors import LINE_WIDTH
from separatrix_vtk.paraview.displays import (
    attributes_of,
    bounds_of_input,
    charts_of,
    color_by_categories,
    dimension_of_input,
    draw_cells,
    has_array,
    in_view_of_its_own,
    is_chart,
    is_ours,
    number_categories,
    show_plane,
)
from separatrix_vtk.paraview.palette import (
    BLUE,
    ORANGE,
    VERMILION,
    categories_of,
    critical_type_categories,
    pair_categories,
    point_radius,
    separatrix_categories,
    surface_categories,
)

__all__ = [
    "color_arrows",
    "color_critical_points",
    "color_curves",
    "color_diagram",
    "color_graph",
    "color_outputs",
    "color_segmentation",
    "color_separatrices",
    "color_surfaces",
    "show_plane",
]

PLANES = {  # titles of axes
    "Barcode": ("Distance", ""),
    "Diagram": ("Birth", "Death"),
    "Persistence Diagram": ("Birth", "Death"),
}
SURFACE_OPACITY = 0.55
CURVE_OF_ALL = "Number Of Pairs (all pairs)"
LEAST_SHOWN = 1e-4  # start of a logarithmic axis of persistence if there is a 0, of the highest


def color_critical_points(display: Any, dimension: int | None = None) -> None:
    """Draw critical points as spheres colored by type; the more points, the smaller."""
    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    dimension = dimension or dimension_of_input(display)
    n_points = display.Input.GetDataInformation().GetNumberOfPoints()
    display.GaussianRadius = point_radius(
        bounds_of_input(display), n_points=n_points, dimension=dimension
    )
    categories = critical_type_categories(dimension)
    color_by_categories(display, "POINTS", "CriticalType", categories, "Critical Points")


def color_separatrices(display: Any, dimension: int | None = None) -> None:
    """Draw 1-separatrices as tubes colored by where they lead."""
    categories = separatrix_categories(dimension or dimension_of_input(display))
    draw_cells(display, "SeparatrixType", categories, "1-Separatrices", tubes=LINE_WIDTH)


def color_graph(display: Any, dimension: int | None = None) -> None:
    """Draw the arcs of the complex as thin lines in the colors of separatrices."""
    categories = separatrix_categories(dimension or dimension_of_input(display))
    draw_cells(display, "SeparatrixType", categories, "Graph")
    display.LineWidth = 1.0


def color_diagram(display: Any, dimension: int | None = None) -> None:
    """Draw the pairs of a persistence diagram as tubes colored by type."""
    categories = pair_categories(dimension or dimension_of_input(display))
    draw_cells(display, "PairType", categories, "Persistence Diagram", tubes=LINE_WIDTH)


def color_surfaces(display: Any) -> None:
    """Draw 2-separatrices translucent, colored by the type of their saddle."""
    draw_cells(
        display, "SeparatrixType", surface_categories(), "2-Separatrices", opacity=SURFACE_OPACITY
    )


def color_arrows(display: Any, dimension: int | None = None) -> None:
    """Draw the lines of a discrete gradient as tubes colored by the dimension of the lower cell."""
    categories = categories_of(vertex_to_edge=BLUE, edge_to_face=ORANGE, face_to_voxel=VERMILION)
    categories = categories[: dimension or dimension_of_input(display)]
    draw_cells(display, "PairType", categories, "Gradient", tubes=LINE_WIDTH)


def color_segmentation(display: Any, array: str = "MorseSmaleManifold") -> None:
    """Give each region of a segmentation its own color; paths that leave the image are gray.

    `array` is one of MorseSmaleManifold, AscendingManifold and DescendingManifold.
    """
    place = "POINTS" if has_array(display, "POINTS", array) else "CELLS"
    is_flat = dimension_of_input(display) == 2
    if is_flat:
        _move_behind(display)
    kinds = display.GetProperty("Representation").Available
    if display.Representation == "Outline" or (is_flat and display.Representation == "Surface"):
        # On a surface colors of points run into each other.
        is_slice = is_flat and place == "POINTS" and "Slice" in kinds
        display.SetRepresentationType("Slice" if is_slice else "Surface")
    information = attributes_of(display, place).GetArray(array)
    if information is None:
        raise ValueError(
            f"the data shown have no array {array!r}: is it switched on in the filter?"
        )
    regions = number_categories(int(information.GetRange()[1]) + 1)
    color_by_categories(display, place, array, [alpha_colors.OUTSIDE, *regions])


def color_curves(source: Any) -> list[Any]:
    """Set up each chart that shows the persistence curves: persistence along x, both logarithmic.

    Counts of 0 have no logarithm: the left axis ends just below 1.
    """
    displays = []
    titles = ("Persistence threshold", "Pairs left")
    for view, display, _ in charts_of(source, 1, "Number Of Pairs", titles, x="Persistence"):
        displays.append(display)
        rows = source.SMProxy.GetDataInformation(1).GetRowDataInformation()
        ranges = [rows.GetArrayInformation(n) for n in ("Persistence", CURVE_OF_ALL)]
        if not all(ranges):  # there are no pairs
            continue
        (lowest, highest), (_, most) = (r.GetComponentRange(0) for r in ranges)
        view.BottomAxisUseCustomRange = int(lowest <= 0.0)  # pairs of equal values are shown
        view.BottomAxisRangeMinimum, view.BottomAxisRangeMaximum = LEAST_SHOWN * highest, highest
        view.LeftAxisUseCustomRange = 1
        view.LeftAxisRangeMinimum, view.LeftAxisRangeMaximum = 0.8, 1.25 * most
        view.BottomAxisLogScale = view.LeftAxisLogScale = 1
    return displays


OUTPUTS = {
    "Critical Points": color_critical_points,
    "1-Separatrices": color_separatrices,
    "2-Separatrices": color_surfaces,
    "Segmentation": color_segmentation,
    "Gradient Arrows": color_arrows,
    "Graph": color_graph,
    "Persistence Diagram": color_diagram,
    **alpha_colors.OUTPUTS,
}
CHARTS = {
    "SeparatrixPersistenceDiagram": color_curves,
    "SeparatrixRipsBarcodes": barcode_colors.color_betti_curves,
}


def color_outputs(source: Any = None, view: Any = None) -> list[Any]:
    """Color everything that a Separatrix filter shows; returns the displays.

    Parameters: `source`, the filter (default: the active one); `view` (default: every view that
    shows one of its outputs; charts of curves are set up in any case). Hidden outputs stay hidden.
    Without `view`, a persistence diagram that shares its view with other data moves to its own
    view, because its coordinates are values and not lengths.
    """
    from paraview import simple

    source = source or simple.GetActiveSource()
    if not is_ours(source):
        raise ValueError("make a Separatrix filter active first, or give it as `source`")
    name_of_filter = source.SMProxy.GetXMLName()
    is_barcode = name_of_filter == "SeparatrixRipsBarcodes"
    color: dict[str, Any] = OUTPUTS | (barcode_colors.OUTPUTS if is_barcode else {})
    displays = list(CHARTS[name_of_filter](source)) if name_of_filter in CHARTS else []
    drawn: list[Any] = []
    views = [v for v in simple.GetViews() if not is_chart(v)] if view is None else [view]
    for port in range(source.SMProxy.GetNumberOfOutputPorts()):
        name = source.SMProxy.GetOutputPortName(port)
        for place in views if name in color else []:
            if place.FindRepresentation(source.SMProxy, port) is None:
                continue  # never shown in this view
            display = simple.GetDisplayProperties(simple.OutputPort(source, port), place)
            if not display.Visibility:
                continue
            inside = name == "Persistence Diagram" and getattr(source, "ShowInsideDomain", 0)
            if name in PLANES and not inside:
                if view is None:
                    place, display = in_view_of_its_own(place, display)
                show_plane(place, *PLANES[name])
            color[name](display)
            displays.append(display)
            drawn += [] if place in drawn else [place]
    for place in drawn:
        simple.Render(place)
    return displays


def _move_behind(display: Any) -> None:
    """Move a 2D image back by a point's radius, behind the spheres and lines in its plane."""
    bounds = bounds_of_input(display)
    flat = int(np.argmin(np.array(bounds[1::2]) - np.array(bounds[0::2])))
    display.Position = [-1.5 * point_radius(bounds) if axis == flat else 0.0 for axis in range(3)]
