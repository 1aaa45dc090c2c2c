"""PyVista: the density of a protein's electrons, a level of it and the maxima of its hills."""

import sys

import pyvista

from separatrix_vtk.pyvista import read_molecule

atoms = read_molecule("sample_data/1crn.pdb")
image = atoms.separatrix.point_density("atom_type", sigma=1.2, spacing=0.6)
points = image.separatrix.morse_smale_complex(persistence=0.05).critical_points
maxima = pyvista.PointSet(points.points[points["CriticalType"] == 3])
near = atoms.separatrix.neighbor_statistics(maxima)
print("mean distance to the next maximum", near["DistanceToCriticalPoint"].mean().round(2))

plotter = pyvista.Plotter(off_screen=True, window_size=(900, 700))
plotter.add_mesh(image.contour([0.25], "Density"), color="lightsteelblue", opacity=0.5)
plotter.add_points(maxima.points, color="crimson", point_size=14, render_points_as_spheres=True)
plotter.camera.zoom(1.4)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "density.png")
