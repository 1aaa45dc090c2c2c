"""Molecules from files, by their suffix, each also compressed with gzip.

.pdb .ent         wwPDB's columns, by gemmi        .pqr   as PDB2PQR writes them, with radii
.cif .mmcif       mmCIF, by gemmi                  .xyz   symbol x y z, one frame or several
                                                   .crd   a count, then x y z radius a line

All lengths are in Angstrom. Whatever is wrong with a file is an sx.InputError with its name.
"""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path

import numpy as np

import separatrix as sx
from separatrix_vtk.io.inflating import GZIP_MARK, TooLarge, inflated
from separatrix_vtk.io.molecules.atoms import Molecule
from separatrix_vtk.io.molecules.structures import read_mmcif, read_pdb
from separatrix_vtk.io.molecules.text_formats import read_crd, read_pqr, read_xyz

READER_OF: dict[str, Callable[[bytes], Molecule]] = {
    ".pdb": read_pdb,
    ".ent": read_pdb,
    ".cif": read_mmcif,
    ".mmcif": read_mmcif,
    ".pqr": read_pqr,
    ".xyz": read_xyz,
    ".crd": read_crd,
}
SUFFIXES = tuple(READER_OF)


def suffix_of(path: Path) -> str:
    """The suffix that tells the format: ".pdb" of a.pdb, A.PDB and a.pdb.gz; "" of no molecule."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in READER_OF else ""


def read_molecule_file(path: Path) -> Molecule:
    """Everything that the file tells of its atoms: all models, records and locations."""
    suffix = suffix_of(path)
    if not suffix:
        raise sx.InputError(
            f"{path}: cannot read molecules from '{path.suffix or path.name}', only "
            f"{', '.join(SUFFIXES)}, each also with .gz"
        )
    try:
        molecule = READER_OF[suffix](_content_of(path).removeprefix(BOM_UTF8))
    except sx.InputError as error:
        raise sx.InputError(f"{path}: {error}") from None
    atoms = molecule.atoms
    if not len(atoms):
        raise sx.InputError(f"{path}: there is no atom in it")
    if (lost := np.flatnonzero(~np.isfinite(atoms.positions).all(axis=1))).size:
        place = " ".join(f"{x:g}" for x in atoms.positions[lost[0]])
        raise sx.InputError(
            f"{path}: positions must be finite: {atoms.called(lost[0])} is at {place} "
            f"({lost.size} such atoms)"
        )
    return molecule


def _content_of(path: Path) -> bytes:
    """The bytes of a file, those of a compressed one as they were."""
    if not path.is_file():
        raise sx.InputError("is not a file" if path.exists() else "there is no such file")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise sx.InputError(f"cannot be read ({error.strerror or error})") from None
    if content[:2] != GZIP_MARK:
        if path.suffix.lower() == ".gz":
            raise sx.InputError("is not compressed with gzip, or is damaged")
        return content
    try:
        return inflated(content)
    except TooLarge as error:
        raise sx.InputError(str(error)) from None
    except (EOFError, OSError, zlib.error) as error:
        raise sx.InputError(f"truncated or damaged ({error})") from None
