"""PyVista: a noisy CT-like volume of a hand, before and after simplification."""

import sys

import numpy as np
import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

z, y, x = np.mgrid[0:16, 0:58, 0:73]
density = np.zeros(x.shape)
for angle in np.radians([-32, -16, 0, 16, 32]):  # five fingers of two bones each
    across = np.cos(angle) * (x - 36) - np.sin(angle) * (y + 6)
    along = np.sin(angle) * (x - 36) + np.cos(angle) * (y + 6)
    for center, half_length in ((28, 7), (49, 5)):
        beyond = np.maximum(abs(along - center) - half_length, 0)
        distance = np.hypot(beyond, np.hypot(across, z - 8))
        density = np.maximum(density, 100 * np.exp(-((distance / 3) ** 2)))
density += np.random.default_rng(0).normal(0, 5, density.shape)
hand = pyvista.ImageData(dimensions=(73, 58, 16))
hand["density"] = density.ravel()

plotter = pyvista.Plotter(off_screen=True, shape=(1, 2), window_size=(1100, 480), border=False)
for column, threshold in enumerate((0, 40)):
    complex = hand.separatrix.morse_smale_complex("density", persistence=threshold)
    points = complex.critical_points
    print(f"threshold {threshold}: {points.n_points} critical points")
    plotter.subplot(0, column)
    plotter.add_mesh(hand.contour([50], "density"), color="lightgray", opacity=0.3)
    lines = complex.separatrices_1
    plotter.add_mesh(lines.extract_cells(lines["SeparatrixType"] == 2), color="black", line_width=2)
    maxima = points.extract_points(points["CriticalType"] == 3)
    plotter.add_mesh(maxima, color="red", point_size=10, render_points_as_spheres=True)
    plotter.view_xy()
    plotter.camera.zoom(1.35)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "ct.png")
