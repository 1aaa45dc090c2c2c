"""The texts of filters in the words of the shell, whose users have files and options.

The filters of ParaView and classes of VTK that a remedy names are replaced by what a user of the
shell can do.
"""

from __future__ import annotations

import re

PLACES = re.compile(r" \((?:in VTK vtk\w+|Pass Arrays)\)")
REDUCE = re.compile(r"(educe it) with the Calculator filter(?:, for example \w+\(.*?\))?\.")
WORDS = {
    "Use Separatrix Molecule Reader and a file that states the cell, or set --box-source custom "
    "and --box.": "Use a molecule file that states the cell, or set --box.",
    "three lengths, three lengths and three angles, or three vectors": "three lengths, or three "
    "lengths and three angles",
    "The first vector must be along x, and the second in the plane of x and y.": "",
    "Read the file with Separatrix Molecule Reader, which selects one.": "Use the molecule file "
    "itself, of which one model is read.",
    "Check Model, Alternate Locations, and Assembly of the reader.": "Check model, altloc, and "
    "assembly of --atoms.",
    "Check Alternate Locations and Assembly of the reader;": "Check altloc and assembly of "
    "--atoms;",
    "remove them with Extract Subset.": "remove them from the file.",
    ", or apply the filter Tetrahedralize.": ".",
    "Apply the filter Tetrahedralize.": "Convert it to tetrahedra or triangles beforehand.",
    "Apply Tetrahedralize.": "Convert them to tetrahedra beforehand.",
    "Apply Resample To Image or Tetrahedralize.": "Set --resample or --tetrahedralize.",
    "Apply Resample To Image.": "Write the image to one file beforehand.",
    "Apply Cell Data to Point Data.": "Convert it to point data beforehand.",
    ", or apply Table To Points.": ", or set --columns.",
    "set --no-relative.": "omit --relative.",
    "Rename the field with the Calculator filter.": "Rename the field in the file.",
}


def in_shell_terms(text: str) -> str:
    """Return a message without the filters of ParaView and the classes of VTK in its remedy."""
    text = REDUCE.sub(r"\1 to one beforehand.", PLACES.sub("", text))
    for panels, shells in WORDS.items():
        text = text.replace(panels, shells)
    return text.rstrip()
