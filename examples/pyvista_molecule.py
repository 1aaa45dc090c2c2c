"""PyVista: a protein's surface that water can reach, and the largest of its pockets."""

import sys

import pyvista

from separatrix_vtk.pyvista import read_molecule

atoms = read_molecule("sample_data/1u71.pdb")
found = atoms.separatrix.alpha_complex(probe=1.4, compute_pockets=True)
print("area", found.atoms["Area"].sum().round(), "square Angstrom")
volume = found.pockets["Volume"]
largest = found.pockets.extract_cells(volume == volume.max())

plotter = pyvista.Plotter(off_screen=True, window_size=(900, 700))
plotter.add_mesh(found.boundary, color="lightsteelblue", opacity=0.3)
plotter.add_mesh(largest, color="crimson", show_edges=True)
plotter.camera.zoom(1.4)
plotter.screenshot(sys.argv[1] if len(sys.argv) > 1 else "molecule.png")
