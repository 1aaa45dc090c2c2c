"""Selection of atoms: model, records, water, hydrogens, alternate locations, and copies.

Each rule is a function from atoms to a mask or to atoms. `chosen_atoms` applies them in turn and
counts the atoms that each excludes. Selecting no atoms raises InputError.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import separatrix as sx
from separatrix.options import MoleculeReaderOptions
from separatrix_vtk.io.molecules.atoms import Atoms, Molecule, called
from separatrix_vtk.io.molecules.elements import SYMBOLS, radii_of

WATER = ("HOH", "WAT", "DOD", "H2O", "TIP", "TIP2", "TIP3", "TIP4", "TP3", "SOL", "SPC")
DUMMY = "DUM"
ALL_MODELS, MODELS_AS_TIME_STEPS = -1, 0


def chosen_atoms(
    molecule: Molecule, model: int, choice: MoleculeReaderOptions, overrides: Mapping[int, float]
) -> tuple[Atoms, np.ndarray, dict[str, int]]:
    """Return the atoms of a model (or ALL_MODELS), their radii (n,), and counts of excluded atoms.

    Atoms are in the order of the file; the copies of an assembly follow each other. `overrides`
    maps atomic numbers to radii, in Angstrom, that replace all others. Raises InputError.
    """
    atoms = molecule.atoms
    if model != ALL_MODELS:
        if model not in molecule.models:
            raise sx.InputError("model", f"a model of the file ({_list(molecule.models)})", model)
        atoms = atoms[atoms.models == model]
    if choice.altloc == "label":
        labels = [chr(code) for code in np.unique(molecule.atoms.altlocs) if code]
        if choice.altloc_label not in labels:
            expected = f"an alternate location of the file ({_list(labels)})"
            raise sx.InputError("altloc_label", expected, choice.altloc_label)
    n_atoms, masks = len(atoms), _records(atoms, choice)
    omitted = {reason: int((~mask).sum()) for reason, mask in masks.items()}
    atoms = atoms[np.logical_and.reduce(list(masks.values()))]
    kept = locations(atoms, choice.altloc, choice.altloc_label)
    omitted["altloc"] = int((~kept).sum())
    atoms = atoms[kept]
    if not len(atoms):
        excluded = ", ".join(f"{n:,} {WORD_OF[reason]}" for reason, n in omitted.items() if n)
        raise sx.InputError(
            f"all {n_atoms:,} atoms are excluded ({excluded}). Include at least one of these."
        )
    if choice.assembly:
        atoms = assembled(atoms, molecule, choice.assembly)
    return atoms, _radii(atoms, choice, overrides), omitted


WORD_OF = {
    "hetatm": "HETATM records",
    "water": "atoms of water",
    "dummies": "dummy atoms",
    "hydrogens": "hydrogens",
    "altloc": "alternate locations",
}
"""Description of the excluded atoms, by rule."""


def _records(atoms: Atoms, choice: MoleculeReaderOptions) -> dict[str, np.ndarray]:
    """Return a mask for each rule, of which at most one excludes an atom."""
    is_water = np.isin(atoms.residue_names, [name.encode() for name in WATER])
    is_dummy = atoms.residue_names == DUMMY.encode()
    is_other = atoms.is_hetatm & ~is_water & ~is_dummy
    unwanted = {
        "hetatm": is_other & (not choice.hetatm),
        "water": is_water & (not choice.water),
        "dummies": is_dummy & (not choice.dummies),
    }
    gone = np.logical_or.reduce(list(unwanted.values()))
    unwanted["hydrogens"] = (atoms.elements == 1) & (not choice.hydrogens) & ~gone
    return {reason: ~mask for reason, mask in unwanted.items()}


# === alternate locations


def locations(atoms: Atoms, rule: str, label: str) -> np.ndarray:
    """Return a mask that selects one alternate location per atom: the fullest or the first.

    Atoms are equal if their models, chains, residues, and names are. If a residue has several
    names, as in a mixture of mutants, the name of the fullest (first) atom is used. Ties select the
    first.
    """
    if rule == "all" or not atoms.altlocs.any():
        return np.ones(len(atoms), bool)
    if rule == "label":
        return (atoms.altlocs == 0) | (atoms.altlocs == ord(label))
    rank = -atoms.occupancy if rule == "fullest" else np.zeros(len(atoms), np.float32)
    residue = _groups(atoms.models, atoms.chains, atoms.residues, atoms.insertions)
    is_mixed = np.isin(residue, residue[atoms.altlocs != 0])
    best = _best_of(residue[is_mixed], rank[is_mixed], atoms.altlocs[is_mixed] != 0)
    kept = np.ones(len(atoms), bool)
    kept[is_mixed] = (atoms.altlocs[is_mixed] == 0) | (
        atoms.residue_names[is_mixed] == atoms.residue_names[is_mixed][best]
    )
    some = np.flatnonzero(is_mixed & kept)
    atom = _groups(residue[some], atoms.names[some])
    has_labels = np.isin(atom, atom[atoms.altlocs[some] != 0])
    some, atom = some[has_labels], atom[has_labels]
    everywhere = np.ones(len(some), bool)
    kept[some] = _best_of(atom, rank[some], everywhere) == np.arange(len(some))
    return kept


def _groups(*columns: np.ndarray) -> np.ndarray:
    """Return a number (n,) for each row of the columns; equal rows have equal numbers."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, inverse = np.unique(column, return_inverse=True)
        number = number * len(values) + inverse.reshape(-1)
        number = np.unique(number, return_inverse=True)[1].reshape(-1)
    return number


def _best_of(group: np.ndarray, rank: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return, for each row, the first row of its group with the lowest rank.

    Rows that do not count are last.
    """
    order = np.lexsort((rank, ~counts, group))
    is_first = np.diff(group[order], prepend=-1) != 0
    best_of_group = order[is_first]
    return np.asarray(best_of_group[np.cumsum(is_first) - 1][np.argsort(order, kind="stable")])


# === assemblies


def assembled(atoms: Atoms, molecule: Molecule, name: str) -> Atoms:
    """Return the copies of atoms in a biological assembly, rounded to 0.001 Angstrom."""
    if name not in molecule.assemblies:
        known = _list(molecule.assemblies)
        raise sx.InputError("assembly", f"an assembly of the file ({known})", name)
    parts: list[Atoms] = []
    for generator in molecule.assemblies[name]:
        chains = atoms.subchains if generator.by_subchain else atoms.chains
        part = atoms[np.isin(chains, generator.chains)]
        for copy, operator in enumerate(generator.operators, start=1):
            places = part.positions @ operator[:, :3].T + operator[:, 3]
            moved = part.copy()
            moved.positions, moved.copies = np.rint(places * 1000.0) / 1000.0, copy
            parts.append(moved)
    if not sum(map(len, parts)):
        raise sx.InputError(f"{{assembly}} {name!r} contains none of the selected atoms.")
    return np.concatenate(parts).view(np.recarray)


# === radii


def _radii(
    atoms: Atoms, choice: MoleculeReaderOptions, overrides: Mapping[int, float]
) -> np.ndarray:
    if "radii" not in atoms.dtype.names or not choice.file_radii:
        if (unknown := np.flatnonzero(atoms.elements == 0)).size and 0 not in overrides:
            raise sx.InputError(
                f"the element of {called(atoms, unknown[0])} is unknown ({unknown.size:,} such "
                "atoms). Exclude these atoms or set {radii='X=1.7'} to assign a radius."
            )
        return radii_of(atoms.elements, overrides, "radii")
    radii = atoms.radii.copy()
    for number, radius in overrides.items():
        override = radii_of(np.array([number]), {number: radius}, "radii")[0]
        radii[atoms.elements == number] = override
    if (bad := np.flatnonzero(~((radii > 0.0) & np.isfinite(radii)))).size:
        first = bad[0]
        raise sx.InputError(
            f"radii must be positive and finite; got {radii[first]:g} for {called(atoms, first)} "
            f"({bad.size:,} such atoms). Specify a radius for {SYMBOLS[atoms.elements[first]]}, "
            "exclude these atoms, or set {file_radii=False}."
        )
    return radii


def _list(values: object) -> str:
    texts = [str(value) for value in values]  # type: ignore[attr-defined]
    few = texts if len(texts) <= 8 else [*texts[:3], "...", texts[-1]]
    return ", ".join(few) or "none"
