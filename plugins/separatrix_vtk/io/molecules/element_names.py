"""Element of an atom by its name, for files without a column for elements.

wwPDB, "Protein Data Bank contents guide: atomic coordinate entry format", version 3.3, section 9:
in columns 13-16, elements with two letters begin one column earlier. Names of four characters also
begin there: HG11 is a hydrogen.
"""

from __future__ import annotations

from separatrix_vtk.io.molecules.elements import NUMBER_OF

HEAVIEST = 98  # heavier elements do not occur in molecules, but SG and DB are names of atoms
METALS_AND_HALOGENS = frozenset({"LI", "MG", "AL", "MN", "FE", "ZN", "SE", "BR"})
"""Elements with two letters, with which no name of another element's atom begins."""


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
