"""Sentences of filters and of the engine, with their settings as the shell's user knows them.

A filter says what to set in ParaView's panel, the engine what to pass in Python; here both are
options.
"""

from __future__ import annotations

import re

NUMBER = r"([-+.\w]+)"
OPTION_OF = {  # arguments and attributes of Python -> options; those with other meanings come first
    "max_dimension": "--max-dimension",
    "dtm_neighbors": "--dtm",
    "memory_limit": "--memory-limit",
    "number_of_neighbors": "--neighbors",
    "segment_size": "--segment-size",
    "work_limit": "--work-limit",
    "largest_alpha": "--largest-alpha",
    "include_self": "--include-self",
    "smoothing_iterations": "--smooth",
}
NAMES = "epsilon|field|threshold|resolution|probe|sigma|cutoff|spacing"
BEGINS = re.compile(rf"^({NAMES})(,[^,]*,)? must be ")
SENTENCES = (  # pattern -> what the shell says; the first that fits a place takes it
    (r" or set Radius Source to Constant \(in Python radius=0\.2\)",
     " or give all one radius with --constant-radius"),
    (r"radii='X=1\.7' for example \(Radii, --atoms X=1\.7\)", "--atoms X=1.7 for example"),
    (r"give the unknown element a radius, radius_overrides='X=1\.7' for example "
     r"\(Radius Overrides\)", "give all a radius with --radii or --constant-radius"),
    (r"raise work_limit \(Work Limit, --work-limit\)", "raise --work-limit"),
    (r"fallback='gudhi' \(Fallback, --gudhi\)", "--gudhi"),
    (r"fallback='gudhi'", "--gudhi"),
    (r"choose a smaller alpha or probe", "choose a smaller --alpha or --probe"),
    (r"weights go with neither epsilon nor an edge collapse; leave those out",
     "--dtm goes with neither --epsilon nor --collapse; leave one out"),
    (r"lower max_dimension or threshold", "lower --max-dimension or --threshold"),
    (r"lower threshold or max_dimension, or leave keep_zero out",
     "lower --threshold or --max-dimension"),
    (r"lower threshold or take fewer points", "lower --threshold or take fewer points"),
    (r"\bdimensions must be at most\b", "--dimension must be at most"),
    (r"device='cpu'", "--device cpu"),
    (r"on_duplicates='drop'", "--on-duplicates drop"),
    (r"ask for a larger spacing", "give a larger --spacing"),
    (r"all are HETATM, which were switched off", "all are HETATM, which are left out"),
    (r"replace them, for example with numpy\.nan_to_num", "give them a value first"),
    (r"switch on Tetrahedralize \(in Python tetrahedralize=True, in the shell --tetrahedralize\)",
     "give --tetrahedralize"),
    (r"apply the filter Tetrahedralize \(in VTK vtkDataSetTriangleFilter\) first",
     "cut them up first (vtkDataSetTriangleFilter)"),
    (r"a Largest Alpha above Alpha,", "a --largest-alpha above --alpha,"),
    (r"steps of Resolution \(", "steps of --resolution ("),
    (r"set Resolution to", "set --resolution to"),
    (r"set Model to another, or to -1 for all",
     "give the molecule's own file, with --atoms model=N or model=all"),
    (r"read the file with Separatrix Molecule Reader, which keeps one",
     "give the .pdb or .cif file itself, of which one is kept"),
    (r"switch Flat off", "leave --flat out"),
    (r"lower the number of neighbors", "lower -k"),
    (r'set order to "index"', "leave --order out"),
    (r'order "plateau"', "--order plateau"),
    (r"switch on what you want", "name what you want with --atoms"),
    (r"\bset sigma\b", "give --sigma"),
    (r"give a larger spacing", "give a larger --spacing"),
    (r"apply Cell Data to Point Data \(in VTK vtkCellDataToPointData\) first",
     "convert it to point data first (vtkCellDataToPointData)"),
    (r"with the Calculator filter(?: \(in VTK vtkArrayCalculator\))?",
     "in ParaView's or VTK's calculator"),
    (r", or apply Table To Points \(in VTK vtkTableToPolyData\) first", ""),
    (r"choose that as the Scalar Field \(in Python by array=\)", "name that with --array"),
    (r"give it a scalar field first",
     "give it a scalar field first, or of a mesh --array x, y or z"),
    (r": choose one as the scalar field", ": name one with --array"),
    (r"this filter works on", "this command works on"),
    (r"cut out a part without them with Extract Subset, or give them a value and drop that array "
     r"\(Pass Arrays\) first", "cut out a part without them, or give them a value, first"),
    (r": apply Resample To Image \(in VTK vtkResampleToImage\) or Tetrahedralize "
     r"\(in VTK vtkDataSetTriangleFilter\) first",
     ": make one of them first (vtkResampleToImage, vtkDataSetTriangleFilter)"),
    (r"raise the persistence threshold; Graph has all of them",
     "raise --persistence; --port graph has all of them"),
)  # fmt: skip


def in_the_words_of_the_shell(sentence: str) -> str:
    """The sentence with options where it names settings of ParaView or Python."""
    for pattern, words in SENTENCES:
        sentence = re.sub(pattern, words, sentence)
    sentence = BEGINS.sub(r"--\1\2 must be ", sentence)
    for name, option in OPTION_OF.items():
        sentence = re.sub(rf"(?<![-\w/.]){name}={NUMBER}", rf"{option} \1", sentence)
        sentence = re.sub(rf"(?<![-\w/.]){name}\b(?!\.\w)", option, sentence)
    return re.sub(r"\w+ \(0x[0-9a-f]+\): ", "", sentence)  # the class and address of an object


LONGEST = 2000  # characters of a sentence; words from a damaged file can be of any length


def printable(sentence: str) -> str:
    """The sentence in one line, of characters that do nothing to a terminal.

    Names and words from files stand in it, and may hold escape sequences or half a character.
    """
    if len(sentence) > LONGEST:
        sentence = f"{sentence[: LONGEST - 500]} [...] {sentence[-400:]}"
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in sentence
    )
