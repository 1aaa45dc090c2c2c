"""Atoms of a molecule as columns of arrays, independent of the file format and of VTK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Atoms:
    """Columns of the n atoms of one or several models.

    Attributes
    ----------
    positions : (n, 3) float64
        In Angstrom.
    elements : (n,) uint8
        Atomic numbers; 0 if unknown.
    names, residue_names, chains, subchains : (n,) S8
        b"" if missing.
    residues : (n,) int32
        Residue numbers in the file.
    insertions, altlocs : (n,) uint8
        Character codes; 0 if missing.
    is_hetatm : (n,) bool
    occupancy, b_factor : (n,) float32
    models, copies : (n,) int32
        Numbers from 1.
    radii, charges : (n,) float64 or None
        Radii in Angstrom; None unless the file contains them.
    """

    positions: np.ndarray
    elements: np.ndarray
    names: np.ndarray
    residues: np.ndarray
    residue_names: np.ndarray
    chains: np.ndarray
    subchains: np.ndarray
    insertions: np.ndarray
    altlocs: np.ndarray
    is_hetatm: np.ndarray
    occupancy: np.ndarray
    b_factor: np.ndarray
    models: np.ndarray
    copies: np.ndarray
    radii: np.ndarray | None = None
    charges: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, chosen: np.ndarray) -> Atoms:
        """Return the atoms that a mask (n,) bool or indices select."""
        kept: dict[str, Any] = {}
        for part in fields(self):
            column = getattr(self, part.name)
            kept[part.name] = None if column is None else column[chosen]
        return Atoms(**kept)

    def moved(self, positions: np.ndarray, copy: int) -> Atoms:
        """Return the atoms at other positions, as the copy of this number."""
        return replace(self, positions=positions, copies=np.full(len(self), copy, np.int32))

    def called(self, i: int) -> str:
        """Return a readable name of atom i, such as "atom 17 (CA of ALA 3, chain A)"."""
        residue = f"{self.residue_names[i].decode('latin-1')} {self.residues[i]}".strip(" 0")
        chain = self.chains[i].decode("latin-1")
        name = self.names[i].decode("latin-1")
        parts = name, f" of {residue}" if residue else "", f", chain {chain}" if chain else ""
        return f"atom {i} ({''.join(parts)})" if name else f"atom {i}"


@dataclass(frozen=True)
class Generator:
    """Part of an assembly: chains (or subchains), and the operators (k, 3, 4) on them."""

    chains: tuple[bytes, ...]
    by_subchain: bool
    operators: np.ndarray


@dataclass(frozen=True)
class Molecule:
    """Content of a file: the atoms of all models, and the biological assemblies by name."""

    atoms: Atoms
    assemblies: Mapping[str, tuple[Generator, ...]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[int, ...]:
        """Numbers of the models, in the order of the file."""
        return tuple(dict.fromkeys(self.atoms.models.tolist()))


def atoms_of(positions: Any, elements: Any, models: Any, **columns: Any) -> Atoms:
    """Return atoms with these positions, elements, and models, and other columns by keyword."""
    n = len(positions)
    types: dict[str, Any] = {
        "residues": np.int32, "is_hetatm": bool, "b_factor": np.float32,
        "insertions": np.uint8, "altlocs": np.uint8,
        "names": "S8", "residue_names": "S8", "chains": "S8", "subchains": "S8",
    }  # fmt: skip
    return Atoms(**{
        **{name: np.zeros(n, dtype) for name, dtype in types.items()},
        "occupancy": np.ones(n, np.float32),
        "copies": np.ones(n, np.int32),
        "positions": np.asarray(positions, np.float64).reshape(n, 3),
        "elements": np.asarray(elements, np.uint8),
        "models": np.asarray(models, np.int32),
        **columns,
    })  # fmt: skip


def joined(parts: list[Atoms]) -> Atoms:
    """Return the concatenation of at least one part."""
    columns: dict[str, Any] = {}
    for column in fields(Atoms):
        arrays = [getattr(part, column.name) for part in parts]
        columns[column.name] = None if arrays[0] is None else np.concatenate(arrays)
    return Atoms(**columns)
