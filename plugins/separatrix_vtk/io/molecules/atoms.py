"""The atoms of a molecule as columns of arrays, whatever file they come from. Knows no VTK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Atoms:
    """Columns of n atoms, of one model or of several one after the other.

    positions (n, 3) float64 in Angstrom; elements (n,) uint8, the atomic number, 0 unknown; names,
    residue_names, chains, subchains (n,) S8, b"" where there is none; residues (n,) int32, the
    number in the file; insertions and altlocs (n,) uint8, the character's code, 0 none; is_hetatm
    (n,) bool; occupancy and b_factor (n,) float32; models and copies (n,) int32, from 1; radii (n,)
    float64 in Angstrom and charges (n,) float64, None where the file has none.
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
        """Some of the atoms: a mask (n,) bool or indices."""
        kept: dict[str, Any] = {}
        for part in fields(self):
            column = getattr(self, part.name)
            kept[part.name] = None if column is None else column[chosen]
        return Atoms(**kept)

    def moved(self, positions: np.ndarray, copy: int) -> Atoms:
        """The same atoms elsewhere, as the copy of that number."""
        return replace(self, positions=positions, copies=np.full(len(self), copy, np.int32))

    def called(self, i: int) -> str:
        """Atom i as a person would call it: "atom 17 (CA of ALA 3, chain A)"."""
        residue = f"{self.residue_names[i].decode('latin-1')} {self.residues[i]}".strip(" 0")
        chain = self.chains[i].decode("latin-1")
        name = self.names[i].decode("latin-1")
        parts = name, f" of {residue}" if residue else "", f", chain {chain}" if chain else ""
        return f"atom {i} ({''.join(parts)})" if name else f"atom {i}"


@dataclass(frozen=True)
class Generator:
    """Part of an assembly: which chains (or subchains), and the operators (k, 3, 4) on them."""

    chains: tuple[bytes, ...]
    by_subchain: bool
    operators: np.ndarray


@dataclass(frozen=True)
class Molecule:
    """What a file holds: the atoms of all its models, and its biological assemblies by name."""

    atoms: Atoms
    assemblies: Mapping[str, tuple[Generator, ...]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[int, ...]:
        """The numbers of its models, as they come."""
        return tuple(dict.fromkeys(self.atoms.models.tolist()))


def atoms_of(positions: Any, elements: Any, models: Any, **columns: Any) -> Atoms:
    """Atoms of positions, elements and models alone; further columns by keyword."""
    n = len(positions)
    empty: dict[str, Any] = {
        name: np.zeros(n, "S8") for name in ("names", "residue_names", "chains", "subchains")
    }
    plain = {
        "residues": np.zeros(n, np.int32),
        "insertions": np.zeros(n, np.uint8),
        "altlocs": np.zeros(n, np.uint8),
        "is_hetatm": np.zeros(n, bool),
        "occupancy": np.ones(n, np.float32),
        "b_factor": np.zeros(n, np.float32),
        "copies": np.ones(n, np.int32),
    }
    return Atoms(
        positions=np.asarray(positions, np.float64).reshape(n, 3),
        elements=np.asarray(elements, np.uint8),
        models=np.asarray(models, np.int32),
        **(empty | plain | columns),
    )


def joined(parts: list[Atoms]) -> Atoms:
    """Atoms one after the other; at least one part."""
    columns: dict[str, Any] = {}
    for column in fields(Atoms):
        arrays = [getattr(part, column.name) for part in parts]
        columns[column.name] = None if arrays[0] is None else np.concatenate(arrays)
    return Atoms(**columns)
