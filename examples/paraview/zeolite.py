"""ParaView: channels and cages of sodalite, a zeolite, in a periodic box.

    PYTHONPATH=$PWD/engine:$PWD/plugins PV_PLUGIN_PATH=$PWD/xml \\
        xvfb-run -a pvpython examples/paraview/zeolite.py zeolite.png

A probe of radius 1.0 passes the rings of six silicon atoms, so the empty space is one channel that
repeats in three directions. A probe of radius 1.4 does not, and the space consists of cages.
"""

import sys

import numpy as np
from paraview import simple
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData

import separatrix as sx

# sodalite, two cells along each axis: silicon and oxygen, in Angstrom
edge, x = 8.965, 0.1479
around = np.array([np.roll(row, s) for row in ([1, 2, 0], [3, 2, 0]) for s in range(3)]) / 4
signs = np.array([[a, b] for a in (x, -x) for b in (x, -x)])
bridges = np.column_stack([signs, np.full(4, 0.5)])
bridges = np.vstack([np.roll(bridges, s, axis=1) for s in range(3)])
cell = np.vstack([around, around + 0.5, bridges, bridges + 0.5]) % 1
copies = np.indices((2, 2, 2)).reshape(3, -1).T
atoms = ((cell + copies[:, None]).reshape(-1, 3) * edge).round(3)
radii = np.tile(np.repeat([1.0, 1.35], [12, 24]), 8)


def images(places):
    """The copies of points, edges, or triangles (n, k, 3) that are inside of the box."""
    steps = np.indices((3, 3, 3)).reshape(3, -1).T[:, None, None, None] - 1.0
    moved = places + 2 * edge * steps.reshape(27, 1, 1, 3)
    row = np.tile(np.arange(len(places)), (27, 1))
    is_inside = (abs(moved - edge) < edge + 0.1).all(axis=(2, 3))
    return moved[is_inside], row[is_inside]


def polydata(points, cells, kind, **columns):
    """Polygonal data in the pipeline: cells (m, k) as Verts, Lines, or Polys, and their arrays."""
    data, places, items = vtkPolyData(), vtkPoints(), vtkCellArray()
    places.SetData(numpy_to_vtk(points, deep=True))
    for one in cells.tolist():
        items.InsertNextCell(len(one), one)
    data.SetPoints(places)
    getattr(data, f"Set{kind}")(items)
    for name, values in columns.items():
        array = numpy_to_vtk(values, deep=True)
        array.SetName(name)
        data.GetCellData().AddArray(array)
    source = simple.TrivialProducer()
    source.GetClientSideObject().SetOutput(data)
    return source


def walls(probe):
    """The walls of the empty regions, each triangle in one piece, with the number of its region."""
    framework = sx.alpha_complex(atoms, radii, probe=probe, box=[2 * edge] * 3)
    regions = framework.pockets()
    found = (
        f"{len(regions)} regions, which repeat in {set(regions.periodicity.tolist())} directions"
    )
    print(f"probe {probe}:", found)
    triangles, facets = framework.triangles.simplices, np.sort(regions.facets, axis=1)
    row_of = {tuple(corners): row for row, corners in enumerate(triangles.tolist())}
    rows = [row_of[tuple(corners)] for corners in facets.tolist()]
    number = np.repeat(np.arange(len(regions)), np.diff(regions.facet_offsets))
    corners, row = images(atoms[triangles[rows]] + 2 * edge * framework.shifts(2)[rows])
    number = number[row]
    if len(regions) > 1:  # only cages around the middle of a cell, which are whole
        middle = np.array([corners[number == n].mean(axis=(0, 1)) for n in range(len(regions))])
        is_whole = (abs(middle / edge % 1 - 0.5) < 0.1).all(axis=1)[number]
        corners, number = corners[is_whole], number[is_whole]
    cells = np.arange(3 * len(corners)).reshape(-1, 3)
    return polydata(corners.reshape(-1, 3), cells, "Polys", Region=number)


places = images(atoms[:, None])[0][:, 0]
near = np.linalg.norm(places[:, None] - places, axis=2)
bonds = np.argwhere(np.triu((near > 0) & (near < 1.7)))
layout = simple.CreateLayout("Sodalite")
layout.SplitHorizontal(0, 0.5)
for place, probe in ((1, 1.0), (2, 1.4)):
    view = simple.CreateView("RenderView")
    layout.AssignView(place, view)
    view.UseColorPaletteForBackground, view.Background = 0, [1.0, 1.0, 1.0]
    view.OrientationAxesVisibility = 0
    lines = simple.Show(simple.Tube(polydata(places, bonds, "Lines"), Radius=0.12), view)
    lines.DiffuseColor = [0.45, 0.47, 0.5]
    spheres = simple.Show(polydata(places, np.arange(len(places))[:, None], "Verts"), view)
    spheres.SetRepresentationType("Point Gaussian")
    spheres.ShaderPreset, spheres.GaussianRadius = "Sphere", 0.3
    spheres.DiffuseColor, spheres.AmbientColor = [0.8, 0.2, 0.15], [0.8, 0.2, 0.15]
    surface = simple.Show(walls(probe), view)
    simple.ColorBy(surface, ("CELLS", "Region"))
    simple.GetColorTransferFunction("Region").ApplyPreset("Rainbow Uniform", True)
    surface.Opacity = 0.85
    simple.ResetCamera(view)
    view.CameraFocalPoint = [edge, edge, edge]
    view.CameraPosition = [edge + 32, edge - 40, edge + 22]
    view.CameraViewUp, view.CameraViewAngle = [0, 0, 1], 30
layout.SetSize(1350, 640)
simple.SaveScreenshot(sys.argv[1] if len(sys.argv) > 1 else "zeolite.png", layout)
