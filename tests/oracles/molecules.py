"""Atoms of PDB files, read by columns: enough for tests, and nothing else."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

# Bondi 1964; Ca after Mantina 2009; all else 2.
RADIUS = {
    "H": 1.20, "D": 1.20, "C": 1.70, "N": 1.55, "O": 1.52, "F": 1.47, "P": 1.80, "S": 1.80,
    "CL": 1.75, "BR": 1.85, "I": 1.98, "SE": 1.90, "SI": 2.10, "NA": 2.27, "K": 2.75, "MG": 1.73,
    "ZN": 1.39, "CU": 1.40, "NI": 1.63, "CD": 1.58, "HG": 1.55, "LI": 1.82, "AS": 1.85, "CA": 2.31,
}  # fmt: skip


def read_pdb(path: Path, *, all_models: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Centers (n, 3) and radii (n,) of the ATOM records of the first model, or of all.

    Of alternate locations the fullest is kept, the first on a tie.
    """
    atoms: dict[tuple[str, ...], tuple[float, str]] = {}
    model = ""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        if line.startswith("MODEL"):
            model = line[10:14]
        if line.startswith("ENDMDL") and not all_models:
            break
        if line.startswith("ATOM"):
            who = (model, line[12:16], line[17:27])
            if all_models or line[16] == " ":
                who = (*who, str(len(atoms)))
            occupancy = float(line[54:60] or 1)
            if who not in atoms or occupancy > atoms[who][0]:
                atoms[who] = (occupancy, line)
    lines = [line for _, line in atoms.values()]
    centers = [[float(line[at : at + 8]) for at in (30, 38, 46)] for line in lines]
    return np.array(centers), np.array([RADIUS.get(element_of(line), 2.0) for line in lines])


def element_of(line: str) -> str:
    """The element's column, or the letters that the name begins with where it is blank."""
    element = line[76:78].strip().upper()
    return element or line[12:14].strip(" 0123456789").upper()
