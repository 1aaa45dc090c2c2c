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
    "radius_array": "--radii",
    "include_self": "--include-self",
    "smoothing_iterations": "--smooth",
}
NAMES = "epsilon|field|threshold|resolution|probe|sigma|cutoff|spacing"
BEGINS = re.compile(rf"^({NAMES})(,[^,]*,)? must be ")
SENTENCES = (  # pattern -> what the shell says; the first that fits a place takes it
    (r"Or set radius_source='constant' and constant_radius\.", "Or specify --constant-radius."),
    (r"set (?:radii|radius_overrides)='X=1\.7'", "specify --atoms X=1.7"),
    (r"set fallback='gudhi'", "use --gudhi"),
    (r"(C|c)hoose a smaller alpha or probe", r"\1hoose a smaller --alpha or --probe"),
    (r"weights cannot be combined with epsilon or an edge collapse\.",
     "--dtm cannot be combined with --epsilon or --collapse."),
    (r"(L|l)ower max_dimension or threshold", r"\1ower --max-dimension or --threshold"),
    (r"lower threshold or max_dimension, or omit keep_zero",
     "lower --threshold or --max-dimension"),
    (r"(L|l)ower threshold or use fewer points", r"\1ower --threshold or use fewer points"),
    (r"\bdimensions must be at most\b", "--dimension must be at most"),
    (r"device='cpu'", "--device cpu"),
    (r"on_duplicates='drop'", "--on-duplicates drop"),
    (r"ask for a larger spacing", "give a larger --spacing"),
    (r"Set use_hetatm=True\.", "Include them."),
    (r"replace them, for example with numpy\.nan_to_num", "give them a value first"),
    (r"switch on Tetrahedralize \(in Python tetrahedralize=True, in the shell --tetrahedralize\)",
     "give --tetrahedralize"),
    (r"apply the filter Tetrahedralize \(in VTK vtkDataSetTriangleFilter\) first",
     "cut them up first (vtkDataSetTriangleFilter)"),
    (r"greater than alpha \(", "greater than --alpha ("),
    (r"steps of Resolution \(", "steps of --resolution ("),
    (r"Set Resolution to", "Set --resolution to"),
    (r"Set Model to another one, or to -1 to use all\.",
     "Use the molecule's own file, with --atoms model=N or model=all."),
    (r"Read the file with Separatrix Molecule Reader, which selects one\.",
     "Use the .pdb or .cif file itself, from which one is selected."),
    (r"switch Flat off", "leave --flat out"),
    (r"lower the number of neighbors", "lower -k"),
    (r'set order to "index"', "leave --order out"),
    (r'order "plateau"', "--order plateau"),
    (r"Include at least one of these\.", "Include at least one of these with --atoms."),
    (r"\bset sigma\b", "give --sigma"),
    (r"give a larger spacing", "give a larger --spacing"),
    (r"apply Cell Data to Point Data \(in VTK vtkCellDataToPointData\) first",
     "convert it to point data first (vtkCellDataToPointData)"),
    (r"Reduce it with the Calculator filter\.", "Reduce it with ParaView's or VTK's calculator."),
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
