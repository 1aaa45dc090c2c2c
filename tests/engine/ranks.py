"""One rank: saves what its piece contains, or the error that it ends with."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import separatrix as sx
from oracles.pieces import parts_of

folder, name = Path(sys.argv[1]), sys.argv[2]
image = np.load(folder / name, mmap_mode="r")
rank = MPI.COMM_WORLD.rank
try:
    piece = sx.morse_smale_piece(image, MPI.COMM_WORLD, device="cpu", threads=1)
    np.savez(folder / f"{rank}.npz", **parts_of(piece))
except sx.InputError as error:
    (folder / f"{rank}.txt").write_text(str(error), encoding="utf-8")
