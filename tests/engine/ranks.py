"""One rank: saves what its piece, or a level of it, contains, or the error that it ends with."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import separatrix as sx
from oracles.pieces import level_of, parts_of

folder, name, *level = Path(sys.argv[1]), *sys.argv[2:]
image = np.load(folder / name, mmap_mode="r")
rank = MPI.COMM_WORLD.rank
try:
    piece = sx.morse_smale_piece(image, MPI.COMM_WORLD, device="cpu", threads=1)
    parts = (
        level_of(found := piece.simplify(float(level[0])), found.rows) if level else parts_of(piece)
    )
    np.savez(folder / f"{rank}.npz", **parts)
except sx.InputError as error:
    (folder / f"{rank}.txt").write_text(str(error), encoding="utf-8")
