"""PyVista: a function on a surface, its critical points and the basins of its minima."""

import sys

import numpy as np
import pyvista

import separatrix_vtk.pyvista  # noqa: F401  gives datasets their `separatrix`

torus = pyvista.ParametricTorus(u_res=120, v_res=60, w_res=60).triangulate().clean()
x, y, z = torus.points.T
torus["wave"] = np.sin(4 * np.arctan2(y, x)) + z
complex = torus.separatrix.morse_smale_complex("wave", persistence=0.1)
edges = torus.separatrix.mesh_relations(compute_edges=True).edges
print(edges.n_lines, "edges;", complex.critical_points.n_points, "critical points")

plotter = pyvista.Plotter(off_screen=True, window_size=(900, 700))
plotter.add_mesh(complex.segmentation, scalars="DescendingManifold", cmap="Set3",
                 interpolate_before_map=False, show_scalar_bar=False)  # fmt: skip
plotter.add_mesh(complex.separatrices_1, color="black", line_width=3)
plotter.add_mesh(complex.critical_points, scalars="CriticalType", cmap="coolwarm", clim=(0, 3),
                 point_size=18, render_points_as_spheres=True, show_scalar_bar=False)  # fmt: skip
plotter.camera.zoom(1.4)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "mesh.png")
