"""PyVista: a field on an ocean; land is NaN and masked, so nothing is computed across it."""

import sys

import numpy as np
import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

y, x = np.mgrid[0:4:101j, 0:8:201j]
height = np.sin(3 * x) * np.cos(4 * y) + 0.2 * np.sin(9 * x + 7 * y)
is_island = (x - 2.5) ** 2 + 2 * (y - 1.6) ** 2 < 0.5 + 0.2 * np.sin(5 * x)
is_coast = y > 3.2 + 0.5 * np.sin(x) + 0.3 * np.cos(3 * x)
ocean = pyvista.ImageData(dimensions=(201, 101, 1), spacing=(0.04, 0.04, 1))
ocean["height"] = np.where(is_island | is_coast, np.nan, height).ravel()
complex = ocean.separatrix.morse_smale_complex("height", nan="mask", persistence=0.3)
print(complex.critical_points.n_points, "critical points")

plotter = pyvista.Plotter(off_screen=True, window_size=(900, 480))
plotter.add_mesh(complex.segmentation, scalars="height", cmap="Blues_r", nan_color="tan",
                 interpolate_before_map=True, show_scalar_bar=False)  # fmt: skip
plotter.add_mesh(complex.separatrices_1, color="black", line_width=2)
plotter.add_mesh(complex.critical_points, scalars="CriticalType", cmap="coolwarm", clim=(0, 3),
                 point_size=14, render_points_as_spheres=True, show_scalar_bar=False)  # fmt: skip
plotter.view_xy()
plotter.camera.zoom(1.8)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "ocean.png")
