"""Colors for what Separatrix shows in ParaView: one call, in its Python shell or in a script.

    from separatrix_vtk.paraview.colors import color_outputs
    color_outputs()            # everything that the active filter shows, in every view, after Apply
    color_critical_points(display)                      # or one display at a time

`display` is what paraview.simple's Show and GetDisplayProperties return. Each display gets a color
map of its own, for the same array means other things in 2D and in 3D: give the `dimension` of the
image, or let it be found from the filter's input. The palette, and lookup tables for plain VTK and
PyVista, are in `separatrix_vtk.paraview.palette`, whose names are here too.

ParaView is imported in the functions that need it, and by nothing else in this package.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix_vtk.paraview.palette import (
    BLUE,
    GRAY,
    MOST_LABELS,
    ORANGE,
    VERMILION,
    Category,
    Color,
    critical_type_categories,
    label_colors,
    label_lookup_table,
    lookup_table,
    pair_categories,
    point_radius,
    separatrix_categories,
    surface_categories,
)

__all__ = [
    "Category",
    "Color",
    "color_arrows",
    "color_critical_points",
    "color_curves",
    "color_diagram",
    "color_graph",
    "color_outputs",
    "color_segmentation",
    "color_separatrices",
    "color_surfaces",
    "critical_type_categories",
    "label_colors",
    "label_lookup_table",
    "lookup_table",
    "pair_categories",
    "point_radius",
    "separatrix_categories",
    "show_plane",
    "surface_categories",
]

LINE_WIDTH = 3.0  # pixels
PLANES = {  # axes' titles
    "Barcode": ("Distance", ""),
    "Diagram": ("Birth", "Death"),
    "Persistence Diagram": ("Birth", "Death"),
}
BAR_LENGTH, BAR_WIDTH = 0.16, 10  # of the view's height; pixels
FONT_SIZES = (14, 12)  # of a legend's title and of its labels
SURFACE_OPACITY = 0.55
CURVE_OF_ALL = "Number Of Pairs (all pairs)"
LEAST_SHOWN = 1e-4  # where a logarithmic axis of persistence begins if there is a 0, of the highest


def color_outputs(source: Any = None, view: Any = None) -> list[Any]:
    """Color everything that a Separatrix filter shows; returns the displays.

    Parameters: `source`, the filter (default: the active one); `view` (default: every view that
    shows one of its outputs; charts of curves are set up in any case). Outputs that are hidden stay
    hidden. Without `view`, a persistence diagram that shares its view with other things moves to a
    view of its own, for its coordinates are values and not lengths.
    """
    from paraview import simple

    from separatrix_vtk.paraview import alpha_colors

    source = source or simple.GetActiveSource()
    if not is_ours(source):
        raise ValueError("make a Separatrix filter active first, or give it as `source`")
    color: dict[str, Any] = {
        "Critical Points": color_critical_points,
        "1-Separatrices": color_separatrices,
        "2-Separatrices": color_surfaces,
        "Segmentation": color_segmentation,
        "Gradient Arrows": color_arrows,
        "Graph": color_graph,
        "Persistence Diagram": color_diagram,
        "Complex": alpha_colors.color_complex,
        "Boundary": alpha_colors.color_boundary,
        "Voids": alpha_colors.color_voids,
        "Pockets": alpha_colors.color_pockets,
        "Atoms": alpha_colors.color_atoms,
        "Diagram": alpha_colors.color_classes,
    }
    displays, drawn = [], []
    if source.SMProxy.GetXMLName() == "SeparatrixPersistenceDiagram":
        displays += color_curves(source)
    if source.SMProxy.GetXMLName() == "SeparatrixRipsBarcodes":
        from separatrix_vtk.paraview import barcode_colors

        color |= barcode_colors.OUTPUTS
        displays += barcode_colors.color_betti_curves(source)
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
                if view is None and _others_in(place, display):
                    place, display = _view_of_its_own(place, display)
                show_plane(place, *PLANES[name])
            color[name](display)
            displays.append(display)
            drawn += [] if place in drawn else [place]
    for place in drawn:
        simple.Render(place)
    return displays


def show_plane(view: Any, horizontal: str = "Birth", vertical: str = "Death") -> None:
    """Make a render view a diagram: seen from above, moved in its plane, with titled axes."""
    from paraview import simple

    view.InteractionMode = "2D"
    view.OrientationAxesVisibility = 0
    grid = view.AxesGrid
    grid.Visibility, grid.XTitle, grid.YTitle, grid.ZTitle = 1, horizontal, vertical, ""
    grid.AxesToLabel = 3 if vertical else 2  # the lower ends of x and y, or of x
    camera = view.GetActiveCamera()
    camera.SetFocalPoint(0.0, 0.0, 0.0)
    camera.SetPosition(0.0, 0.0, 1.0)
    camera.SetViewUp(0.0, 1.0, 0.0)
    simple.ResetCamera(view)


def color_critical_points(display: Any, dimension: int | None = None) -> None:
    """Draw critical points as spheres colored by their kind, the smaller the more there are."""
    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    dimension = dimension or _dimension_of_image(display)
    n_points = display.Input.GetDataInformation().GetNumberOfPoints()
    display.GaussianRadius = point_radius(
        _bounds_of_image(display), n_points=n_points, dimension=dimension
    )
    categories = critical_type_categories(dimension)
    color_by_categories(display, "POINTS", "CriticalType", categories, "Critical Points")


def color_separatrices(display: Any, dimension: int | None = None) -> None:
    """Draw 1-separatrices as tubes colored by where they lead."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    dimension = dimension or _dimension_of_image(display)
    color_by_categories(
        display, "CELLS", "SeparatrixType", separatrix_categories(dimension), "1-Separatrices"
    )


def color_graph(display: Any, dimension: int | None = None) -> None:
    """Draw the arcs of the complex as thin lines colored as separatrices are."""
    display.SetRepresentationType("Surface")
    display.LineWidth = 1.0
    dimension = dimension or _dimension_of_image(display)
    color_by_categories(
        display, "CELLS", "SeparatrixType", separatrix_categories(dimension), "Graph"
    )


def color_diagram(display: Any, dimension: int | None = None) -> None:
    """Draw the pairs of a persistence diagram as tubes colored by their kind."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    dimension = dimension or _dimension_of_image(display)
    color_by_categories(
        display, "CELLS", "PairType", pair_categories(dimension), "Persistence Diagram"
    )


def color_curves(source: Any) -> list[Any]:
    """Set up each chart that shows the persistence curves: persistence along x, both logarithmic.

    Counts reach 0, which has no logarithm: the left axis ends just below 1.
    """
    from paraview import simple

    displays = []
    for view in simple.GetViews():
        shown = view.FindRepresentation(source.SMProxy, 1) if is_chart(view) else None
        if shown is None:
            continue
        display = simple.GetDisplayProperties(simple.OutputPort(source, 1), view)
        display.UseIndexForXAxis = 0
        display.XArrayName = "Persistence"
        names = [name for name in display.SeriesLabel[::2] if name.startswith("Number Of Pairs")]
        display.SeriesVisibility = names
        view.BottomAxisTitle, view.LeftAxisTitle = "Persistence threshold", "Pairs left"
        rows = source.SMProxy.GetDataInformation(1).GetRowDataInformation()
        ranges = [rows.GetArrayInformation(n) for n in ("Persistence", CURVE_OF_ALL)]
        if all(ranges):  # else there are no pairs
            (lowest, highest), (_, most) = (r.GetComponentRange(0) for r in ranges)
            view.BottomAxisUseCustomRange = int(lowest <= 0.0)  # pairs of equal values are shown
            view.BottomAxisRangeMinimum = LEAST_SHOWN * highest
            view.BottomAxisRangeMaximum = highest
            view.LeftAxisUseCustomRange = 1
            view.LeftAxisRangeMinimum, view.LeftAxisRangeMaximum = 0.8, 1.25 * most
            view.BottomAxisLogScale = view.LeftAxisLogScale = 1
        simple.Render(view)
        displays.append(display)
    return displays


def color_surfaces(display: Any) -> None:
    """Draw 2-separatrices translucent, colored by the kind of their saddle."""
    display.SetRepresentationType("Surface")
    display.Opacity = SURFACE_OPACITY
    color_by_categories(display, "CELLS", "SeparatrixType", surface_categories(), "2-Separatrices")


def color_arrows(display: Any, dimension: int | None = None) -> None:
    """Draw a discrete gradient's lines as tubes, colored by the dimension of the lower cell."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    pairs = [("vertex to edge", BLUE), ("edge to face", ORANGE), ("face to voxel", VERMILION)]
    pairs = pairs[: dimension or _dimension_of_image(display)]
    categories = [Category(value, name, color) for value, (name, color) in enumerate(pairs)]
    color_by_categories(display, "CELLS", "PairType", categories, "Gradient")


def color_segmentation(display: Any, array: str = "MorseSmaleManifold") -> None:
    """Give each region of a segmentation a color of its own; what runs out of the image is gray.

    `array` is one of MorseSmaleManifold, AscendingManifold and DescendingManifold.
    """
    place = "POINTS" if has_array(display, "POINTS", array) else "CELLS"
    is_flat = _dimension_of_image(display) == 2
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
    n_labels = min(int(information.GetRange()[1]) + 1, MOST_LABELS)
    regions = [
        Category(label, str(label), (float(color[0]), float(color[1]), float(color[2])))
        for label, color in enumerate(label_colors(n_labels))
    ]
    color_by_categories(display, place, array, [Category(-1, "outside", GRAY), *regions])


def is_ours(source: Any) -> bool:
    """Whether a ParaView source is one of our filters."""
    return source is not None and str(source.SMProxy.GetXMLName()).startswith("Separatrix")


def color_by_categories(
    display: Any, place: str, array: str, categories: list[Category], legend: str = ""
) -> None:
    """Color by the categories of an array; nothing where the output is empty and has none."""
    from paraview import servermanager, simple

    if not has_array(display, place, array):
        return
    views = [view for view in simple.GetViews() if display in view.Representations]
    if display.LookupTable is not None:
        for view in views:
            display.SetScalarBarVisibility(view, False)  # that of the colors until now
    # simple.ColorBy would go on to fit a range, of which categories have none, and warn of it.
    display.UseSeparateColorMap = 1
    display.SetScalarColoring(array, servermanager.GetAssociationFromString(place))
    table = display.LookupTable
    table.InterpretValuesAsCategories = 1
    table.AnnotationsInitialized = 1  # else ParaView adds the values that it finds
    table.Annotations = [text for c in categories for text in (str(c.value), c.name)]
    table.IndexedColors = [channel for c in categories for channel in c.color]
    table.NanColor = list(GRAY)
    for view in views:
        display.SetScalarBarVisibility(view, bool(legend))
        if legend:
            bar = simple.GetScalarBar(table, view)
            bar.Title, bar.ScalarBarLength, bar.ScalarBarThickness = legend, BAR_LENGTH, BAR_WIDTH
            bar.TitleFontSize, bar.LabelFontSize = FONT_SIZES


def _move_behind(display: Any) -> None:
    """Move a 2D image back by a point's radius, out of the spheres and lines that lie in it."""
    bounds = _bounds_of_image(display)
    flat = int(np.argmin(np.array(bounds[1::2]) - np.array(bounds[0::2])))
    display.Position = [-1.5 * point_radius(bounds) if axis == flat else 0.0 for axis in range(3)]


def _others_in(view: Any, display: Any) -> bool:
    """Whether a view shows data besides those of a display."""
    return any(
        other.Visibility and other != display
        for other in view.Representations
        if other.GetProperty("Input") is not None
    )


def _view_of_its_own(view: Any, display: Any) -> tuple[Any, Any]:
    """Another view beside this one, with the same data, which are hidden here."""
    from paraview import simple

    port = simple.OutputPort(display.Input, display.Input.Port)
    own, layout = simple.CreateView("RenderView"), simple.GetLayout(view)
    if layout is not None:
        simple.AssignViewToLayout(view=own, layout=layout)
    simple.Hide(port, view)
    return own, simple.Show(port, own)


def is_chart(view: Any) -> bool:
    """Whether a view is a chart."""
    return str(view.SMProxy.GetXMLName()) == "XYChartView"


def attributes_of(display: Any, place: str) -> Any:
    """What ParaView knows of the arrays of "POINTS" or "CELLS"."""
    return display.Input.PointData if place == "POINTS" else display.Input.CellData


def has_array(display: Any, place: str, array: str) -> bool:
    """Whether the data shown have an array."""
    return attributes_of(display, place).GetArray(array) is not None


def filter_of(display: Any) -> Any:
    """The filter of ours that a display shows, or whose output it shows after other filters."""
    source = display.Input
    while source is not None and not is_ours(source):
        source = getattr(source, "Input", None)
    return source


def _bounds_of_image(display: Any) -> tuple[float, ...]:
    source = filter_of(display)
    shown = display.Input if source is None else source.Input
    return tuple(shown.GetDataInformation().GetBounds())


def _dimension_of_image(display: Any) -> int:
    """How many axes of the filter's image are longer than one point (of cell data: one cell).

    Of a mesh: the dimension of its cells, which the filter tells.
    """
    source = filter_of(display)
    if source is None:
        return 3
    told = source.SMProxy.GetDataInformation(0).GetFieldDataInformation()
    if (of_mesh := told.GetArrayInformation("MeshDimension")) is not None:
        return int(of_mesh.GetComponentRange(0)[0])
    information = source.Input.GetDataInformation()
    if not information.IsCompositeDataSet():
        extent = np.array(information.GetExtent()).reshape(3, 2)
        shortest = 2 if source.ScalarField[0] == "CELLS" else 1
        return int(np.sum(extent[:, 1] - extent[:, 0] + 1 > shortest))
    bounds = np.array(information.GetBounds()).reshape(3, 2)
    return int(np.sum(bounds[:, 1] > bounds[:, 0]))
