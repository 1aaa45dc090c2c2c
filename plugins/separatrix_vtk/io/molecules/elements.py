"""Chemical elements: symbols, atomic numbers, van der Waals radii, and elements by atom name.

Radii: A. Bondi, "van der Waals volumes and radii", J. Phys. Chem. 68 (1964), table I and those for
metals; calcium after Mantina et al., J. Phys. Chem. A 113 (2009). For other elements, Separatrix
uses 2 Angstrom. The number 0, with the symbol X, denotes an unknown element, which has no radius
unless one is given. Deuterium (D) is hydrogen. Names: wwPDB, "Protein Data Bank contents guide:
atomic coordinate entry format", version 3.3, section 9: in columns 13-16, elements with two letters
begin one column earlier. Names of four characters also begin there: HG11 is a hydrogen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

import separatrix as sx

_TEXT = (
    "X H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy "
    "Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf "
    "Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og"
)
SYMBOLS = tuple(_TEXT.split())
"""Symbol of each atomic number."""
NUMBER_OF = {symbol.upper(): number for number, symbol in enumerate(SYMBOLS)} | {"D": 1}
"""Atomic number of each symbol, in capitals."""

DEFAULT_RADIUS = 2.0
RADIUS_OF = {
    "H": 1.20, "C": 1.70, "N": 1.55, "O": 1.52, "F": 1.47, "P": 1.80, "S": 1.80, "Cl": 1.75,
    "Br": 1.85, "I": 1.98, "Se": 1.90, "Si": 2.10, "Na": 2.27, "K": 2.75, "Mg": 1.73, "Zn": 1.39,
    "Cu": 1.40, "Ni": 1.63, "Cd": 1.58, "Hg": 1.55, "Li": 1.82, "As": 1.85, "Ca": 2.31,
}  # fmt: skip
"""Radii in Angstrom; all other elements have DEFAULT_RADIUS."""
ENTRY = re.compile(r"([A-Za-z]{1,2})\s*[=:\s]\s*([^\s,;=:]+)")

_TABLE = np.array([np.nan, *(RADIUS_OF.get(symbol, DEFAULT_RADIUS) for symbol in SYMBOLS[1:])])
HEAVIEST = 98  # heavier elements do not occur in molecules, but SG and DB are names of atoms
METALS_AND_HALOGENS = frozenset({"LI", "MG", "AL", "MN", "FE", "ZN", "SE", "BR"})
"""Elements with two letters, with which no name of another element's atom begins."""


def radii_of(
    atomic_numbers: np.ndarray,
    overrides: Mapping[int, float] | None = None,
    parameter: str = "radius_overrides",
) -> np.ndarray:
    """Return the radii (n,) float64, in Angstrom, of atoms with these atomic numbers (n,).

    `overrides` maps atomic numbers to radii that replace those of the table; 0 is the unknown
    element. Raises InputError, which calls them `parameter`, for invalid radii and for atoms of an
    unknown element without a radius.
    """
    numbers = np.asarray(atomic_numbers)
    table = _TABLE.copy()
    for number, radius in (overrides or {}).items():
        if number not in range(len(SYMBOLS)):
            expected = f"given for atomic numbers from 0 to {len(SYMBOLS) - 1}"
            raise sx.InputError(parameter, expected, number)
        if not 0.0 < radius < np.inf:
            where = f"[{SYMBOLS[number]!r}]"
            raise sx.InputError(parameter, "positive and finite", radius, where=where)
        table[number] = radius
    is_wrong = (numbers < 0) | (numbers >= len(SYMBOLS))
    radii = table[np.where(is_wrong, 0, numbers).astype(np.intp)]
    radii[is_wrong] = np.nan
    if (unknown := np.flatnonzero(np.isnan(radii))).size:
        raise sx.InputError(
            f"The element of atom {unknown[0]} is unknown (atomic number {numbers[unknown[0]]}; "
            f"{unknown.size:,} such atoms). Remove these atoms or set {{{parameter}='X=1.7'}} to "
            "assign a radius."
        )
    return np.asarray(radii, dtype=np.float64)


def radii_in(text: str, parameter: str = "radius_overrides") -> dict[int, float]:
    """Return the overrides in a text such as "FE=2.05, N 1.6, X=1.7", in Angstrom.

    Raises InputError, which calls the text `parameter`.
    """

    def error(remedy: str) -> sx.InputError:
        expected = "a list of elements and radii, such as 'C=1.7, FE=2.05'"
        return sx.InputError(parameter, expected, text, remedy)

    overrides: dict[int, float] = {}
    rest = text
    for found in ENTRY.finditer(text):
        symbol, radius = found.groups()
        if symbol.upper() not in NUMBER_OF:
            raise error(f"{symbol!r} is not an element; X is the unknown element.")
        try:
            overrides[NUMBER_OF[symbol.upper()]] = float(radius)
        except ValueError:
            raise error(f"{radius!r} is not a number.") from None
        rest = rest.replace(found[0], " ", 1)
    if rest.strip(" ,;\t\n"):
        raise error(f"{rest.strip(' ,;')!r} is not an element with a radius.")
    return overrides


def by_columns(name: str, residue: str, is_hetatm: bool, element: str = "") -> int:
    """Return the atomic number by the four columns of a name in a PDB file, or 0 if unknown.

    `element` (columns 77-78) takes precedence if it is one. Two letters count for ligands and ions,
    but not for names of amino acids or bases that begin one column too early: CA of ALA.
    """
    if (known := element.strip().upper()) in NUMBER_OF:
        return NUMBER_OF[known]
    name = name.upper()
    letters = name.strip(" 0123456789")
    if not name[:1].isalpha() or (name[0] in "HD" and " " not in name):
        return NUMBER_OF.get(letters[:1], 0)
    two = name[:2].strip()
    is_plain = two[0] in "HCNO" and not is_hetatm and residue.strip().upper() != two
    if 0 < NUMBER_OF.get(two, 0) <= HEAVIEST and not is_plain:
        return NUMBER_OF[two]
    return NUMBER_OF.get(two[0], 0)


def by_name(name: str, residue: str) -> int:
    """Return the atomic number by a name without columns, as in .pqr files."""
    letters = name.strip(" 0123456789+-'*").upper()
    is_ion = residue.strip("0123456789+- ").upper() == letters
    if letters[:2] in METALS_AND_HALOGENS or (is_ion and letters in NUMBER_OF):
        return NUMBER_OF.get(letters, NUMBER_OF.get(letters[:2], 0))
    return NUMBER_OF.get(letters[:1], 0)
