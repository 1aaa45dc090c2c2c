"""PyVista: the persistent features of a volume that passed through one GPU in slabs.

    python benchmarks/streamed.py --shape 1536 1920 2048 --device cuda:0 --steps gradient diagram \\
        --no-digests --picture FOLDER
    python examples/pyvista_large_volume.py picture.png FOLDER

The benchmark keeps the pairs above a tenth of the range of its volume, which has more than 2^31
voxels. Without a folder, the pairs of a small volume of the same kind are computed here.
"""

import sys
from pathlib import Path

import numpy as np
import pyvista

import separatrix as sx

path, *folder = sys.argv[1:] or ["large_volume.png"]
if folder:
    data = dict(np.load(Path(folder[0]) / "pairs.npz"))
else:
    sys.path.append("benchmarks")
    from fields import LazySmoothNoisy

    shape = 150, 160, 170
    pairs = sx.persistence_diagram(LazySmoothNoisy(shape)).above(0.35)
    data = {"shape": shape, **vars(pairs)}

grid = sx.Grid(tuple(int(n) for n in data["shape"][::-1]))
cells = np.concatenate([data["birth_cell"], data["death_cell"]])
index = np.concatenate([data["dimension"], data["dimension"] + 1])[cells >= 0]
positions = grid.positions(cells[cells >= 0])
counts = [int((index == kind).sum()) for kind in range(4)]
print(f"{grid.n_vertices:,} voxels; critical points by index: {counts}")

plotter = pyvista.Plotter(off_screen=True, window_size=(1200, 900))
plotter.background_color = "white"
nx, ny, nz = grid.dimensions
plotter.add_mesh(pyvista.Box((0, nx - 1, 0, ny - 1, 0, nz - 1)), style="wireframe", color="gray")
colors = ("#0072b2", "#56b4e9", "#e69f00", "#d55e00")
for kind, color in enumerate(colors):
    radius = 7.0 if kind in (0, 3) else 3.5  # extrema stand out
    if counts[kind]:
        plotter.add_points(
            positions[index == kind].astype(np.float32),
            style="points_gaussian",
            point_size=radius,
            render_points_as_spheres=True,
            emissive=False,
            color=color,
        )
plotter.camera_position = "iso"
plotter.camera.zoom(0.95)
plotter.screenshot(path)
