"""PyVista: the Morse-Smale complex of a volume, its critical points colored by their type."""

import sys

import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

image = pyvista.read("sample_data/two_centers.vti")
complex = image.separatrix.morse_smale_complex("potential", persistence=0.02, relative=True)
types = complex.critical_points["CriticalType"]  # 0 minimum, 1 and 2 saddles, 3 maximum
print("minima, saddles, maxima:", [int((types == kind).sum()) for kind in range(4)])

plotter = complex.plot(pyvista.Plotter(off_screen=True, window_size=(900, 700)))
plotter.camera.zoom(1.1)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "volume.png")
