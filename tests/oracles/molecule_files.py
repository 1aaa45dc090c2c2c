"""Small files of molecules in every format, written from one list of atoms."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Atom:
    """One atom of a file; lengths in Angstrom."""

    name: str
    element: str
    x: float
    y: float
    z: float
    residue_name: str = "ALA"
    chain: str = "A"
    residue: int = 1
    record: str = "ATOM"
    altloc: str = ""
    occupancy: float = 1.0
    b_factor: float = 10.0
    charge: float = 0.0
    radius: float = 1.5


PEPTIDE = [
    Atom("N", "N", 1.0, 2.0, 3.0, charge=-0.4, radius=1.824),
    Atom("CA", "C", 2.458, 2.0, 3.0, charge=0.1, radius=1.908),
    Atom("C", "C", 3.009, 3.42, 3.0, b_factor=12.5, charge=0.6, radius=1.908),
    Atom("O", "O", 2.251, 4.39, 3.0, occupancy=0.5, charge=-0.6, radius=1.661),
    Atom("SG", "S", -4.5, 0.125, -7.001, "CYS", "B", 12, radius=2.0),
]


def pdb_line(atom: Atom, serial: int) -> str:
    """A record in the format's columns; names of one-letter elements begin in column 14."""
    name = atom.name if len(atom.name) == 4 or len(atom.element) == 2 else f" {atom.name}"
    return (
        f"{atom.record:<6}{serial:>5} {name:<4}{atom.altloc or ' '}{atom.residue_name:>3} "
        f"{atom.chain or ' '}{atom.residue:>4}    {atom.x:8.3f}{atom.y:8.3f}{atom.z:8.3f}"
        f"{atom.occupancy:6.2f}{atom.b_factor:6.2f}          {atom.element.upper():>2}  \n"
    )


def pdb_text(*models: list[Atom], head: str = "") -> str:
    """A PDB file of one model or of several."""
    parts = []
    for number, atoms in enumerate(models, start=1):
        lines = "".join(pdb_line(atom, i) for i, atom in enumerate(atoms, start=1))
        parts.append(lines if len(models) == 1 else f"MODEL     {number:4}\n{lines}ENDMDL\n")
    return head + "".join(parts) + "END\n"


_NAMES = """
group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_entity_id
label_seq_id pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy B_iso_or_equiv auth_seq_id
auth_asym_id pdbx_PDB_model_num
"""
COLUMNS = tuple(_NAMES.split())


def mmcif_text(*models: list[Atom], more: str = "") -> str:
    """An mmCIF file of one model or of several."""
    lines = ["data_TEST", "loop_", *(f"_atom_site.{name}" for name in COLUMNS)]
    for number, atoms in enumerate(models, start=1):
        for i, a in enumerate(atoms, start=1):
            words = (
                a.record, i, a.element, a.name, a.altloc or ".", a.residue_name, a.chain or ".", 1,
                a.residue, "?", f"{a.x:.3f}", f"{a.y:.3f}", f"{a.z:.3f}", f"{a.occupancy:.2f}",
                f"{a.b_factor:.2f}", a.residue, a.chain or ".", number,
            )  # fmt: skip
            lines.append(" ".join(map(str, words)))
    return "\n".join([*lines, "#", more]) + "\n"


def pqr_text(atoms: list[Atom]) -> str:
    """A .pqr file, its words separated by blanks."""
    return "REMARK made by hand\n" + "".join(
        f"{a.record} {i} {a.name} {a.residue_name} {a.chain} {a.residue} "
        f"{a.x:.3f} {a.y:.3f} {a.z:.3f} {a.charge:.4f} {a.radius:.4f}\n"
        for i, a in enumerate(atoms, start=1)
    )


def xyz_text(*frames: list[Atom]) -> str:
    """An .xyz file of one frame or of several."""
    return "".join(
        f"{len(atoms)}\na comment\n"
        + "".join(f"{a.element} {a.x:.3f} {a.y:.3f} {a.z:.3f}\n" for a in atoms)
        for atoms in frames
    )


def crd_text(atoms: list[Atom]) -> str:
    """A .crd file: a count, then x y z radius."""
    rows = "".join(f"{a.x:.4f} \t{a.y:.4f} \t{a.z:.4f} \t{a.radius:.4f}\n" for a in atoms)
    return f"{len(atoms)}          \n\n{rows}"


TEXT_OF = {
    ".pdb": pdb_text,
    ".ent": pdb_text,
    ".cif": mmcif_text,
    ".mmcif": mmcif_text,
    ".pqr": pqr_text,
    ".xyz": xyz_text,
    ".crd": crd_text,
}
"""The writer of each format."""


def write(path: Path, text: str) -> Path:
    """Write a text, compressed if the name says so."""
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
