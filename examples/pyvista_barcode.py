"""PyVista: points from NumPy, the loops through them that last longest, and all bars."""

import sys

import numpy as np
import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

points = pyvista.PointSet(np.loadtxt("sample_data/linked_circles.csv", delimiter=",", skiprows=1))
outputs = points.separatrix.rips_barcodes(max_dimension=1)
cycles = outputs.representatives
is_long = (cycles["Dimension"] == 1) & (cycles["Persistence"] > 0.3)

plotter = pyvista.Plotter(off_screen=True, window_size=(1200, 600), shape=(1, 2))
plotter.add_points(points.points, color="black", point_size=7, render_points_as_spheres=True)
plotter.add_mesh(cycles.extract_cells(is_long), scalars="BarId", line_width=6, cmap="Set1",
                 show_scalar_bar=False)  # fmt: skip
plotter.subplot(0, 1)
plotter.add_mesh(outputs.barcode, scalars="Dimension", line_width=3, cmap="coolwarm",
                 show_scalar_bar=False)  # fmt: skip
plotter.view_xy()
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "barcode.png")
