"""The element of an atom by its name, for files that have no column for it.

wwPDB, "Protein Data Bank contents guide: atomic coordinate entry format", version 3.3, section 9:
in columns 13-16 an element of two letters begins one column earlier. Names of four characters begin
there too: HG11 is a hydrogen.
"""

from __future__ import annotations

from separatrix_vtk.io.molecules.elements import NUMBER_OF

HEAVIEST = 98  # heavier elements are in no molecule, and SG and DB are names of atoms
METALS_AND_HALOGENS = frozenset({"LI", "MG", "AL", "MN", "FE", "ZN", "SE", "BR"})
"""Elements of two letters that no other atom's name begins with."""


def by_columns(name: str, residue: str, is_hetatm: bool, element: str = "") -> int:
    """The atomic number by the name's four columns of a PDB file, 0 if there is no such element.

    element: columns 77-78, which win where they name one. Two letters count for ligands and ions,
    and not where an amino acid or base has a name that was set one column too early: CA of ALA.
    """
    if (told := element.strip().upper()) in NUMBER_OF:
        return NUMBER_OF[told]
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
    """The atomic number by a name without its columns, as .pqr files have it."""
    letters = name.strip(" 0123456789+-'*").upper()
    is_ion = residue.strip("0123456789+- ").upper() == letters
    if letters[:2] in METALS_AND_HALOGENS or (is_ion and letters in NUMBER_OF):
        return NUMBER_OF.get(letters, NUMBER_OF.get(letters[:2], 0))
    return NUMBER_OF.get(letters[:1], 0)
