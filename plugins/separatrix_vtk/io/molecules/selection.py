"""Which of a file's atoms are taken: model, records, water, hydrogens, alternate locations, copies.

Every choice is a function from atoms to a mask or to atoms; `chosen_atoms` asks them in turn and
counts what each leaves out. An empty choice is an sx.InputError that says what there was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import separatrix as sx
from separatrix_vtk.io.molecules.atoms import Atoms, Molecule, joined
from separatrix_vtk.io.molecules.elements import SYMBOLS, radii_of

WATER = ("HOH", "WAT", "DOD", "H2O", "TIP", "TIP2", "TIP3", "TIP4", "TP3", "SOL", "SPC")
DUMMY = "DUM"
ALL_MODELS, EVERY_MODEL_A_STEP = -1, 0
ALTLOC_RULES = ("fullest", "first", "all", "label")


@dataclass(frozen=True)
class Choice:
    """What to take. altloc: one of ALTLOC_RULES; `label` is for the last; assembly: "" for none.

    radii: atomic number -> radius in Angstrom, instead of the file's or the table's.
    """

    hetatm: bool = False
    water: bool = False
    dummies: bool = False
    hydrogens: bool = True
    altloc: str = "fullest"
    label: str = ""
    assembly: str = ""
    file_radii: bool = True
    radii: Mapping[int, float] = field(default_factory=dict)


def chosen_atoms(
    molecule: Molecule, model: int, choice: Choice
) -> tuple[Atoms, np.ndarray, dict[str, int]]:
    """The atoms of a model (ALL_MODELS: of all), their radii (n,), how many each rule leaves out.

    The atoms are in the file's order; those of an assembly one copy after the other.
    """
    atoms = molecule.atoms
    if model != ALL_MODELS:
        if model not in molecule.models:
            raise sx.InputError(f"there is no model {model}; there is {_list(molecule.models)}")
        atoms = atoms.take(atoms.models == model)
    if choice.altloc == "label":
        labels = [chr(code) for code in np.unique(molecule.atoms.altlocs) if code]
        if choice.label not in labels:
            raise sx.InputError(
                f"there is no alternate location {choice.label!r}; there is {_list(labels)}"
            )
    n_atoms, left_out = len(atoms), {}
    for reason, mask in _records(atoms, choice).items():
        left_out[reason] = int((~mask).sum())
    atoms = atoms.take(np.logical_and.reduce(list(_records(atoms, choice).values())))
    kept = locations(atoms, choice.altloc, choice.label)
    left_out["altloc"] = int((~kept).sum())
    atoms = atoms.take(kept)
    if not len(atoms):
        gone = ", ".join(f"{n} {WORD_OF[reason]}" for reason, n in left_out.items() if n)
        raise sx.InputError(
            f"nothing is left of {n_atoms} atoms: {gone} are left out; switch on what you want"
        )
    if choice.assembly:
        atoms = assembled(atoms, molecule, choice.assembly)
    return atoms, _radii(atoms, choice), left_out


WORD_OF = {
    "hetatm": "HETATM records",
    "water": "atoms of water",
    "dummies": "dummy atoms",
    "hydrogens": "hydrogens",
    "altloc": "alternate locations",
}
"""What is left out, in words, by its reason."""


def _records(atoms: Atoms, choice: Choice) -> dict[str, np.ndarray]:
    """A mask for each kind of atom, of which at most one can leave an atom out."""
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


def locations(atoms: Atoms, rule: str, label: str = "") -> np.ndarray:
    """A mask of the alternate locations that are taken, of one atom one: the fullest, or the first.

    Atoms are the same if model, chain, residue and name are. Where a residue has several names too,
    as where a mutation is mixed, those of the fullest (first) atom are taken. On a tie the first.
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
    """A number (n,) for each row of columns, the same for equal rows."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, inverse = np.unique(column, return_inverse=True)
        number = number * len(values) + inverse.reshape(-1)
        number = np.unique(number, return_inverse=True)[1].reshape(-1)
    return number


def _best_of(group: np.ndarray, rank: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For each row the row of its group with the least rank, the first of several.

    Those that do not count come last.
    """
    order = np.lexsort((rank, ~counts, group))
    is_first = np.diff(group[order], prepend=-1) != 0
    best_of_group = order[is_first]
    return np.asarray(best_of_group[np.cumsum(is_first) - 1][np.argsort(order, kind="stable")])


# === assemblies


def assembled(atoms: Atoms, molecule: Molecule, name: str) -> Atoms:
    """The copies of the atoms that make up a biological assembly, rounded to 0.001 Angstrom."""
    if name not in molecule.assemblies:
        known = f"there is {_list(molecule.assemblies)}" if molecule.assemblies else "there is none"
        raise sx.InputError(f"there is no assembly {name!r}; {known}")
    parts: list[Atoms] = []
    for generator in molecule.assemblies[name]:
        chains = atoms.subchains if generator.by_subchain else atoms.chains
        part = atoms.take(np.isin(chains, generator.chains))
        for copy, operator in enumerate(generator.operators, start=1):
            places = part.positions @ operator[:, :3].T + operator[:, 3]
            parts.append(part.moved(np.rint(places * 1000.0) / 1000.0, copy))
    if not sum(map(len, parts)):
        raise sx.InputError(f"the assembly {name!r} has none of the atoms that are left")
    return joined(parts)


# === radii


def _radii(atoms: Atoms, choice: Choice) -> np.ndarray:
    """The radius of each ball: of the choice's table, of the file, or by its element."""
    if atoms.radii is None or not choice.file_radii:
        try:
            return radii_of(atoms.elements, choice.radii)
        except sx.InputError:
            if (unknown := np.flatnonzero(atoms.elements == 0)).size and 0 not in choice.radii:
                raise sx.InputError(
                    f"the element of {atoms.called(unknown[0])} is unknown ({unknown.size} such "
                    "atoms): leave them out, or give the unknown element a radius, "
                    "radii='X=1.7' for example (Radii, --atoms X=1.7)"
                ) from None
            raise
    radii = atoms.radii.copy()
    for number, radius in choice.radii.items():
        radii[atoms.elements == number] = radii_of(np.array([number]), {number: radius})[0]
    if (bad := np.flatnonzero(~((radii > 0.0) & np.isfinite(radii)))).size:
        first = bad[0]
        raise sx.InputError(
            f"radii must be positive and finite; got {radii[first]:g} for {atoms.called(first)} "
            f"({bad.size} such atoms). Specify a radius for {SYMBOLS[atoms.elements[first]]}, omit "
            "these atoms, or use the radii by element"
        )
    return radii


def _list(values: object) -> str:
    texts = [str(value) for value in values]  # type: ignore[attr-defined]
    few = texts if len(texts) <= 8 else [*texts[:3], "...", texts[-1]]
    return ", ".join(few) or "none"
