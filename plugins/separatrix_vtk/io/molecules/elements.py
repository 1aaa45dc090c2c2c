"""Chemical elements: symbols, atomic numbers, and van der Waals radii.

Radii: A. Bondi, "van der Waals volumes and radii", J. Phys. Chem. 68 (1964), table I and those for
metals; calcium after Mantina et al., J. Phys. Chem. A 113 (2009). For other elements, Separatrix
uses 2 Angstrom. The number 0, with the symbol X, denotes an unknown element, which has no radius
unless one is given. Deuterium (D) is hydrogen. Independent of VTK.
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
