"""Atoms of a molecule as records, independent of the file format and of VTK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

Atoms: TypeAlias = Any  # np.recarray (n,), with one attribute per column
COLUMNS = (
    ("positions", "f8", 3),  # in Angstrom
    ("elements", "u1"),  # atomic numbers; 0 if unknown
    ("names", "S8"),  # this and the next three: b"" if missing
    ("residue_names", "S8"),
    ("chains", "S8"),
    ("subchains", "S8"),
    ("residues", "i4"),  # numbers in the file
    ("insertions", "u1"),  # this and the next: character codes; 0 if missing
    ("altlocs", "u1"),
    ("is_hetatm", "?"),
    ("occupancy", "f4"),
    ("b_factor", "f4"),
    ("models", "i4"),  # this and the next: numbers from 1
    ("copies", "i4"),
)
IN_SOME_FILES = (("radii", "f8"), ("charges", "f8"))  # radii in Angstrom


@dataclass(frozen=True)
class Generator:
    """Part of an assembly: chains (or subchains), and the operators (k, 3, 4) on them."""

    chains: tuple[bytes, ...]
    by_subchain: bool
    operators: np.ndarray


@dataclass(frozen=True)
class Molecule:
    """Content of a file: the atoms of all models, the biological assemblies by name, and the cell.

    The cell has three lengths in Angstrom and three angles in degrees, if there is one; that of a
    model may be another one.
    """

    atoms: Atoms
    assemblies: Mapping[str, tuple[Generator, ...]] = field(default_factory=dict)
    cell: tuple[float, ...] | None = None
    cells: Mapping[int, tuple[float, ...] | None] = field(default_factory=dict)

    def cell_of(self, model: int) -> tuple[float, ...] | None:
        """Return the cell of a model, if it has one."""
        return self.cells.get(model, self.cell)

    @property
    def models(self) -> tuple[int, ...]:
        """Numbers of the models, in the order of the file."""
        return tuple(dict.fromkeys(self.atoms.models.tolist()))


def atoms_of(n: int, **columns: Any) -> Atoms:
    """Return n atoms with these columns. Radii and charges are columns only if they are given."""
    more = [column for column in IN_SOME_FILES if column[0] in columns]
    atoms = np.zeros(n, [*COLUMNS, *more]).view(np.recarray)
    atoms.occupancy = atoms.copies = 1
    for name, values in columns.items():
        atoms[name] = values
    return atoms


def called(atoms: Atoms, i: int) -> str:
    """Return a readable name of atom i, such as "atom 17 (CA of ALA 3, chain A)"."""
    residue = f"{atoms.residue_names[i].decode('latin-1')} {atoms.residues[i]}".strip(" 0")
    chain = atoms.chains[i].decode("latin-1")
    name = atoms.names[i].decode("latin-1")
    parts = name, f" of {residue}" if residue else "", f", chain {chain}" if chain else ""
    return f"atom {i} ({''.join(parts)})" if name else f"atom {i}"
