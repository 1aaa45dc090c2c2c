"""PyVista: the persistent features of a volume that two GPUs divide.

    python benchmarks/streamed.py --shape 1536 1920 2048 --devices cuda:0 cuda:1 \\
        --steps gradient pairs --no-digests --picture FOLDER
    python examples/pyvista_large_volume.py picture.png FOLDER

The benchmark keeps the pairs above a tenth of the range of its volume, which has more than 2^31
voxels. Without a folder, the pairs of a small volume of the same kind are computed here. The layers
of each GPU are drawn apart, with three sections of the field; of many points, those near sections.
"""

import sys
from pathlib import Path

import numpy as np
import pyvista

import separatrix as sx

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from fields import LazySmoothNoisy

path, *folder = sys.argv[1:] or ["large_volume.png"]
if folder:
    data = dict(np.load(Path(folder[0]) / "pairs.npz"))
else:
    shape = 150, 160, 170
    pairs = sx.persistence_diagram(LazySmoothNoisy(shape)).above(0.35)
    data = {"shape": shape, **vars(pairs)}

shape = tuple(int(n) for n in data["shape"])
grid = sx.Grid(shape[::-1])
cells = np.concatenate([data["birth_cell"], data["death_cell"]])
index = np.concatenate([data["dimension"], data["dimension"] + 1])[cells >= 0]
positions = grid.positions(cells[cells >= 0])
counts = [int((index == kind).sum()) for kind in range(4)]
print(f"{grid.n_vertices:,} voxels; critical points by index: {counts}")

plotter = pyvista.Plotter(off_screen=True, window_size=(1200, 900))
plotter.background_color = "white"
nz, ny, nx = shape
middle, gap = -(-nz // 2), nz // 2
depth, size = (np.inf, 7.0) if len(index) < 10_000 else (60.0, 3.5)
field = LazySmoothNoisy(shape, noise=0.0)
walls = [LazySmoothNoisy(plane, noise=0.0) for plane in ((nz, ny, 1), (nz, 1, nx))]
colors = ("#0072b2", "#56b4e9", "#e69f00", "#d55e00")
for begin, end, shift in ((0, middle, 0), (middle, nz, gap)):
    for values in (field[begin : begin + 1], *(wall[begin:end] for wall in walls)):
        section = pyvista.ImageData(dimensions=values.shape[::-1], origin=(0, 0, begin + shift))
        section["field"] = values.reshape(-1)
        plotter.add_mesh(section, cmap="gray", lighting=False, show_scalar_bar=False)
    box = pyvista.Box((0, nx - 1, 0, ny - 1, begin + shift, end - 1 + shift))
    plotter.add_mesh(box, style="wireframe", color="gray")
    distance = (positions - [0, 0, begin]).min(axis=1)  # to the nearest section
    is_drawn = (distance >= 0) & (distance <= depth) & (positions[:, 2] < end)
    for kind, color in enumerate(colors):
        chosen = positions[is_drawn & (index == kind)] + [0, 0, shift]
        if len(chosen):
            plotter.add_points(
                chosen.astype(np.float32),
                style="points_gaussian",
                point_size=size if kind in (0, 3) else size / 2,  # extrema stand out
                render_points_as_spheres=True,
                emissive=False,
                color=color,
            )
plotter.view_vector((1.0, 1.0, 0.8))
plotter.camera.zoom(1.0)
plotter.screenshot(path)
