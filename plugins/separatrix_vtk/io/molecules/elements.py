"""Chemical elements: symbols, atomic numbers, and the van der Waals radii that balls of atoms get.

Radii: A. Bondi, "van der Waals volumes and radii", J. Phys. Chem. 68 (1964), table I and those for
metals; calcium after Mantina et al., J. Phys. Chem. A 113 (2009). Elements without a radius there
get 2 Angstrom, a choice of ours. The number 0, with the symbol X, is an atom of unknown element:
it has no radius unless it is given one. Deuterium (D) is hydrogen. Knows no VTK.
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
"""The symbol of each atomic number."""
NUMBER_OF = {symbol.upper(): number for number, symbol in enumerate(SYMBOLS)} | {"D": 1}
"""The atomic number of each symbol, in capitals."""

OTHERWISE = 2.0
RADIUS_OF = {
    "H": 1.20, "C": 1.70, "N": 1.55, "O": 1.52, "F": 1.47, "P": 1.80, "S": 1.80, "Cl": 1.75,
    "Br": 1.85, "I": 1.98, "Se": 1.90, "Si": 2.10, "Na": 2.27, "K": 2.75, "Mg": 1.73, "Zn": 1.39,
    "Cu": 1.40, "Ni": 1.63, "Cd": 1.58, "Hg": 1.55, "Li": 1.82, "As": 1.85, "Ca": 2.31,
}  # fmt: skip
"""Radii in Angstrom; every other element has OTHERWISE."""
MEANT = re.compile(r"([A-Za-z]{1,2})\s*[=:\s]\s*([^\s,;=:]+)")

_TABLE = np.array([np.nan, *(RADIUS_OF.get(symbol, OTHERWISE) for symbol in SYMBOLS[1:])])


def radii_of(
    atomic_numbers: np.ndarray, overrides: Mapping[int, float] | None = None
) -> np.ndarray:
    """Radii (n,) float64 in Angstrom of atoms of these atomic numbers (n,), any whole type.

    overrides: atomic number -> radius, which wins over the table; 0 is the unknown element.
    Raises sx.InputError where an atom's element is unknown and has no radius of its own.
    """
    numbers = np.asarray(atomic_numbers)
    table = _TABLE.copy()
    for number, radius in (overrides or {}).items():
        if number not in range(len(SYMBOLS)):
            raise sx.InputError(
                f"an atomic number is a whole number from 0 to {len(SYMBOLS) - 1}; {number!r} came "
                "with a radius"
            )
        if not 0.0 < radius < np.inf:
            raise sx.InputError(
                f"the radius of {SYMBOLS[number]} must be positive and finite, in Angstrom; "
                f"{radius!r} came"
            )
        table[number] = radius
    is_wrong = (numbers < 0) | (numbers >= len(SYMBOLS))
    radii = table[np.where(is_wrong, 0, numbers).astype(np.intp)]
    radii[is_wrong] = np.nan
    if (unknown := np.flatnonzero(np.isnan(radii))).size:
        raise sx.InputError(
            f"the element of atom {unknown[0]} is unknown: its atomic number is "
            f"{numbers[unknown[0]]} ({unknown.size} such atoms); drop these atoms, or give "
            "the unknown element a radius, radius_overrides='X=1.7' for example (Radius Overrides)"
        )
    return np.asarray(radii, dtype=np.float64)


def radii_in(text: str) -> dict[int, float]:
    """Overrides from a text like "FE=2.05, N 1.6, X=1.7", Angstrom; "" is none at all."""
    overrides: dict[int, float] = {}
    rest = text
    for found in MEANT.finditer(text):
        symbol, radius = found.groups()
        if symbol.upper() not in NUMBER_OF:
            raise sx.InputError(
                f"there is no element {symbol!r} to give the radius {radius} to; a table of radii "
                "reads like C=1.7, FE=2.05, and X is the unknown element"
            )
        try:
            overrides[NUMBER_OF[symbol.upper()]] = float(radius)
        except ValueError:
            raise sx.InputError(
                f"the radius of {symbol} is a number in Angstrom; {radius!r} came"
            ) from None
        rest = rest.replace(found[0], " ", 1)
    if rest.strip(" ,;\t\n"):
        raise sx.InputError(
            f"a table of radii reads like C=1.7, FE=2.05; {rest.strip(' ,;')!r} in {text!r} does "
            "not"
        )
    return overrides
