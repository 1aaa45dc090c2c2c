"""Molecules from files, by suffix, also compressed with gzip. All lengths are in Angstrom."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.errors import Words
from separatrix_vtk.io.errors import FileError, reader, wrong_line
from separatrix_vtk.io.formats import suffix_of, unsupported
from separatrix_vtk.io.molecules.atoms import Molecule, atoms_of, called
from separatrix_vtk.io.molecules.elements import NUMBER_OF, SYMBOLS, by_name
from separatrix_vtk.io.molecules.structures import read_mmcif, read_pdb
from separatrix_vtk.io.numbers import is_number
from separatrix_vtk.io.streams import content_of

RESIDUE = re.compile(r"([A-Za-z]?)(-?[0-9]{1,9})([A-Za-z]?)")
WHOLE = re.compile("[0-9]{1,9}")  # fits an int32


def read_pqr(content: bytes) -> Molecule:
    """Read the atoms of a .pqr file, with charges and radii.

    Dolinsky et al., "PDB2PQR", Nucleic Acids Research 32 (2004): the words of a record of a PDB
    file, separated by blanks, of which charge and radius are the last.
    """
    rows: list[tuple[Any, ...]] = []
    numbers: list[list[float]] = []
    model = 1
    for i, line in enumerate(_lines(content), start=1):
        words = line.split()
        if line.startswith("MODEL") and len(words) == 2 and WHOLE.fullmatch(words[1]):
            model = int(words[1])
        if not line.startswith(("ATOM", "HETATM")):
            continue
        if len(words) not in (10, 11) or not (residue := RESIDUE.fullmatch(words[-6])):
            expected = "the 10 or 11 words of an atom, of which the last five are x, y, z, charge, "
            raise wrong_line(i, f"{expected}and radius", line.strip())
        numbers.append(_numbers(words[-5:], i))
        chain = words[4] if len(words) == 11 else residue[1]
        name, residue_name = words[2], words[3]
        rows.append((
            by_name(name, residue_name), name, int(residue[2]), residue_name, chain,
            ord(residue[3] or "\0"), line.startswith("HETATM"), model,
        ))  # fmt: skip
    values = np.array(numbers, np.float64).reshape(-1, 5)
    columns = list(zip(*rows, strict=True)) or [()] * 8
    elements, names, residues, residue_names, chains, insertions, hetatm, models = columns
    atoms = atoms_of(
        len(values),
        positions=values[:, :3],
        elements=elements,
        models=models,
        names=_texts(names),
        residues=residues,
        residue_names=_texts(residue_names),
        chains=_texts(chains),
        insertions=insertions,
        is_hetatm=hetatm,
        charges=values[:, 3],
        radii=values[:, 4],
    )
    return Molecule(atoms)


def read_xyz(content: bytes) -> Molecule:
    """Read the atoms of an .xyz file; its frames become the models 1, 2, ..."""
    lines = _lines(content)
    elements: list[int] = []
    symbols: list[str] = []
    places: list[list[float]] = []
    models: list[int] = []
    at = frame = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1  # blank lines between frames
            continue
        n, frame = _count(lines[at], at + 1), frame + 1
        rows = lines[at + 2 : at + 2 + n]
        if len(rows) < n:
            raise FileError(f"truncated: frame {frame} has {len(rows)} of {n} atoms.")
        for i, row in enumerate(rows, start=at + 3):
            words = row.split()
            if len(words) < 4:
                raise wrong_line(i, "a symbol, x, y, and z", row.strip())
            places.append(_numbers(words[1:4], i))
            symbols.append(words[0])
            elements.append(_element(words[0]))
        models += [frame] * n
        at += 2 + n
    positions = np.array(places).reshape(-1, 3)
    columns = {"elements": elements, "models": models, "names": _texts(symbols)}
    return Molecule(atoms_of(len(positions), positions=positions, **columns))


def read_crd(content: bytes) -> Molecule:
    """Read balls in the format of ParallelAC (Masood, Ray, Natarajan 2020); elements are unknown.

    The first line is the count, the others are x y z radius.
    """
    lines = [(i, line) for i, line in enumerate(_lines(content), start=1) if line.strip()]
    if lines and lines[0][1].startswith("*"):
        raise FileError(
            "is a CHARMM coordinate file, which has no radii. Convert it to PDB, or to a count "
            "and lines of x y z radius."
        )
    if not lines:
        return Molecule(atoms_of(0))
    n = _count(lines[0][1], lines[0][0])
    rows = [(i, line) for i, line in lines[1 : n + 1] if not line.startswith(("TER", "END"))]
    if len(rows) < n:
        raise FileError(f"truncated: it has {len(rows)} of {n} atoms.")
    balls = []
    for i, line in rows:
        if len(line.split()) != 4:
            raise wrong_line(i, "x y z radius", line.strip())
        balls.append(_numbers(line.split(), i))
    values = np.array(balls, np.float64).reshape(-1, 4)
    return Molecule(atoms_of(n, positions=values[:, :3], models=1, radii=values[:, 3]))


def _lines(content: bytes) -> list[str]:
    # Texts also split at \x85, which is half of an Angstrom sign in UTF-8; bytes do not.
    return [line.decode("latin-1") for line in content.splitlines()]


def _texts(words: Any) -> np.ndarray:
    return np.array([word.encode("latin-1") for word in words], dtype="S8")


def _element(symbol: str) -> int:
    """Return the atomic number of a symbol, a symbol followed by a number, or a number."""
    if WHOLE.fullmatch(symbol):
        return int(symbol) if int(symbol) < len(SYMBOLS) else 0
    return NUMBER_OF.get(symbol.strip("0123456789+-_").upper(), 0)


def _count(line: str, number: int) -> int:
    if not WHOLE.fullmatch(line.strip()):
        raise wrong_line(number, "the number of atoms", line.strip()[:40])
    return int(line)


def _numbers(words: list[str], line: int) -> list[float]:
    for word in words:
        if not is_number(word):
            raise wrong_line(line, "an atom with numbers", word[:40])
    return [float(word) for word in words]


READER_OF: dict[str, Callable[[bytes], Molecule]] = {
    ".pdb": read_pdb,
    ".ent": read_pdb,
    ".cif": read_mmcif,
    ".mmcif": read_mmcif,
    ".pqr": read_pqr,
    ".xyz": read_xyz,
    ".crd": read_crd,
}


@reader
def read_molecule_file(path: Path) -> Molecule:
    """Read all atoms of a file, with all models, records, and alternate locations."""
    suffix = suffix_of(path)
    if suffix not in READER_OF:
        raise unsupported(path, f"a molecule in one of {', '.join(READER_OF)}, also with .gz")
    content = content_of(path).removeprefix(BOM_UTF8)
    molecule = READER_OF[suffix](content)
    atoms = molecule.atoms
    if not len(atoms):
        raise FileError("contains no atoms.")
    if (lost := np.flatnonzero(~np.isfinite(atoms.positions).all(axis=1))).size:
        place = " ".join(f"{x:g}" for x in atoms.positions[lost[0]])
        got = Words(f"{place} for {called(atoms, lost[0])}")
        raise FileError(parameter="positions", expected="finite", got=got, count=lost.size)
    return molecule
