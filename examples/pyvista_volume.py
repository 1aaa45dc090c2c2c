"""PyVista: the Morse-Smale complex of a volume, its critical points colored by their kind."""

import sys

import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

image = pyvista.read("sample_data/two_centers.vti")
complex = image.separatrix.morse_smale_complex("potential", persistence=0.02, relative=True)
kinds = complex.critical_points["CriticalType"]  # 0 minimum, 1 and 2 saddles, 3 maximum
print("minima, saddles, maxima:", [int((kinds == kind).sum()) for kind in range(4)])

plotter = pyvista.Plotter(off_screen=True, window_size=(900, 700))
plotter.add_mesh(image.outline(), color="gray")
plotter.add_mesh(complex.separatrices_1, color="tan", line_width=4, render_lines_as_tubes=True)
plotter.add_mesh(complex.critical_points, scalars="CriticalType", cmap="coolwarm", clim=(0, 3),
                 point_size=18, render_points_as_spheres=True, show_scalar_bar=False)  # fmt: skip
plotter.camera.zoom(1.1)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "volume.png")
