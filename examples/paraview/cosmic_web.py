"""ParaView: the alpha complex of a cosmic web, and the persistence diagram of its points.

    PYTHONPATH=$PWD/engine:$PWD/plugins PV_PLUGIN_PATH=$PWD/xml \\
        xvfb-run -a pvpython examples/paraview/cosmic_web.py cosmic_web.png

Galaxies are placed along the edges of the Voronoi cells of random centers of voids, as in the
Voronoi models of van de Weygaert, Icke 1989. Writes the points to cosmic_web.csv.
"""

import sys

import numpy as np
from paraview import simple

import separatrix as sx

random = np.random.default_rng(4)
centers = random.uniform(-30, 130, (200, 3))
cells = sx.delaunay(centers)
corners = centers[cells.tetrahedra]
sides = corners[:, 1:] - corners[:, :1]
right = (sides**2).sum(axis=2, keepdims=True) / 2
nodes = corners[:, 0] + np.linalg.solve(sides, right)[:, :, 0]
start, facet = np.nonzero(cells.neighbors > np.arange(len(nodes))[:, None])
ends = nodes[start], nodes[cells.neighbors[start, facet]]
inside = [((end > 0) & (end < 100)).all(axis=1) for end in ends]
begin, end = (place[inside[0] & inside[1]] for place in ends)
n = (1.5 * np.linalg.norm(end - begin, axis=1)).astype(int) + 1
part = random.beta(0.6, 0.6, (n.sum(), 1))  # denser at the nodes
galaxies = np.repeat(begin, n, axis=0) * part + np.repeat(end, n, axis=0) * (1 - part)
galaxies += random.normal(0, 1.0, galaxies.shape)
np.savetxt("cosmic_web.csv", galaxies, delimiter=",", header="x,y,z", comments="")

web = simple.SeparatrixAlphaComplex(simple.CSVReader(FileName="cosmic_web.csv"))
web.RadiusSource, web.Diagram, web.Alpha = "Points", 1, 4.0
web.UpdatePipeline()
numbers = web.GetClientSideObject().report
print([numbers[f"Betti{d}"] for d in range(3)], "components, loops, and voids at this alpha")

left, right = simple.CreateView("RenderView"), simple.CreateView("RenderView")
layout = simple.CreateLayout("Web")
layout.SplitHorizontal(0, 0.55)
layout.AssignView(1, left)
layout.AssignView(2, right)
layout.SetSize(1350, 640)
for view, color in ((left, [0.02, 0.02, 0.06]), (right, [1.0, 1.0, 1.0])):
    view.UseColorPaletteForBackground, view.Background = 0, color
    view.OrientationAxesVisibility = 0

filaments = simple.Show(web, left)
filaments.SetRepresentationType("Surface")
simple.ColorBy(filaments, ("CELLS", "AlphaValue"))
colors = simple.GetColorTransferFunction("AlphaValue")
color_map = "Inferno" if simple.GetParaViewVersion() >= (6, 0) else "Inferno (matplotlib)"
colors.ApplyPreset(color_map, True)
colors.RescaleTransferFunction(0, 4)
colors.InvertTransferFunction()
filaments.SetScalarBarVisibility(left, False)
left.CameraFocalPoint = [50, 50, 50]
left.CameraPosition = [110, -130, 120]
left.CameraViewUp, left.CameraViewAngle = [0, 0, 1], 36

bars = simple.Show(simple.OutputPort(web, "Diagram"), right)
bars.SetRepresentationType("Lines")
simple.ResetCamera(right)
simple.SaveScreenshot(sys.argv[1] if len(sys.argv) > 1 else "cosmic_web.png", layout)
