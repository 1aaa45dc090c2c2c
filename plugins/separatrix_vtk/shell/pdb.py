"""Atoms of a PDB file: the ATOM and HETATM records of its first model, by fixed columns.

wwPDB, "Protein Data Bank contents guide: atomic coordinate entry format", version 3.3, section 9.
Of alternate locations the first is taken. An atom of no known element has the atomic number 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy "
    "Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf"
)
NUMBER_OF = {symbol.upper(): i for i, symbol in enumerate(SYMBOLS.split(), start=1)} | {"D": 1}


def read_atoms(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Positions (n, 3) float64 in Angstrom, and a column (n,) for each thing told of an atom.

    Raises ValueError with the number of the line that cannot be read.
    """
    positions: list[tuple[float, ...]] = []
    columns: dict[str, list[float]] = {
        "AtomicNumber": [], "ResidueNumber": [], "Occupancy": [], "TemperatureFactor": [],
    }  # fmt: skip
    label_of: dict[str, str] = {}  # residue -> the alternate location that is taken
    with path.open(encoding="latin-1") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith("ENDMDL"):
                break
            if not line.startswith(("ATOM  ", "HETATM")):
                continue
            line = line.rstrip("\r\n").ljust(80)
            label = line[16]
            if label != " " and label_of.setdefault(line[17:27], label) != label:
                continue
            try:
                positions.append(tuple(float(line[i : i + 8]) for i in (30, 38, 46)))
                columns["AtomicNumber"].append(_atomic_number(line))
                columns["ResidueNumber"].append(int(line[22:26]))
                columns["Occupancy"].append(float(line[54:60].strip() or 1))
                columns["TemperatureFactor"].append(float(line[60:66].strip() or 0))
            except ValueError as error:
                raise ValueError(f"line {number} is no atom: {error}") from None
    arrays = {name: np.array(values) for name, values in columns.items()}
    arrays["AtomicNumber"] = arrays["AtomicNumber"].astype(np.int32)
    arrays["ResidueNumber"] = arrays["ResidueNumber"].astype(np.int32)
    return np.array(positions, dtype=np.float64).reshape(-1, 3), arrays


def _atomic_number(line: str) -> int:
    """By the element's columns 77-78; old files have it in the name of the atom alone.

    In names an element of two letters begins one column earlier, where names of four characters
    begin too: HG11 is a hydrogen. Two letters count for ligands and ions, and not where an amino
    acid or base has a name that was set one column too early: CA of ALA.
    """
    element = line[76:78].strip().upper()
    if element in NUMBER_OF:
        return NUMBER_OF[element]
    name = line[12:16].upper()
    letters = name.strip(" 0123456789")
    if not name[0].isalpha() or (name[0] in "HD" and " " not in name):
        return NUMBER_OF.get(letters[:1], 0)
    two = name[:2].strip()
    is_plain = two[0] in "HCNO" and line[:6] == "ATOM  " and line[17:20].strip().upper() != two
    if two in NUMBER_OF and not is_plain:
        return NUMBER_OF[two]
    return NUMBER_OF.get(two[0], 0)
