"""PDB and mmCIF by gemmi (M. Wojdyr, JOSS 7, 2022), with additional checks.

gemmi accepts numbers with trailing characters and a truncated last line, so the columns of
coordinates are validated first. Missing element columns are added.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from separatrix_vtk.io.errors import FileError, install_command, plain, wrong_line
from separatrix_vtk.io.molecules.atoms import Atoms, Generator, Molecule, atoms_of
from separatrix_vtk.io.molecules.elements import NUMBER_OF, SYMBOLS, by_columns
from separatrix_vtk.io.numbers import is_number

RECORDS = (b"ATOM", b"HETATM")
CELL_COLUMNS = (6, 15, 24, 33, 40, 47, 54)  # of the six numbers of a CRYST1 record
SHORTEST = 54  # columns of a record, up to its coordinates
SYMBOLS_IN_FILES = frozenset(symbol.encode() for symbol in NUMBER_OF)


def gemmi_module() -> Any:
    """Return gemmi. Raises FileError with the command that installs it for this Python."""
    try:
        import gemmi
    except ModuleNotFoundError:
        raise FileError(
            "reading PDB and mmCIF files requires gemmi, which is not installed for this Python. "
            f"Run `{install_command('gemmi')}` and start again."
        ) from None
    if not hasattr(gemmi, "FlatStructure"):
        raise FileError(
            f"reading PDB and mmCIF files requires gemmi 0.7.5 or newer; got {gemmi.__version__} "
            f"({gemmi.__file__}). Run `{install_command('gemmi')}` and start again."
        )
    return gemmi


def read_pdb(content: bytes) -> Molecule:
    """Read the atoms of a PDB file."""
    gemmi = gemmi_module()
    lines = content.splitlines(keepends=True)
    # gemmi also accepts record names in lower case.
    atoms = [i for i, line in enumerate(lines) if line[:6].upper().startswith(RECORDS)]
    if atoms:
        _check_end(lines, atoms)
        _check_numbers(lines, atoms)
        _add_elements(lines, atoms)
        lines = _with_models(lines, atoms)
    try:
        structure = gemmi.read_pdb_string(b"".join(lines))
    except (RuntimeError, ValueError) as error:
        raise FileError(f"not a readable PDB file ({plain(error) or 'it is empty'}).") from None
    return replace(_molecule_of(gemmi, structure), cells=_cells_of_models(gemmi, lines))


def read_mmcif(content: bytes) -> Molecule:
    """Read the atoms of the first block of an mmCIF file that contains any."""
    gemmi = gemmi_module()
    try:
        blocks = list(gemmi.cif.read_string(content))
        found = [block for block in blocks if len(block.find_values("_atom_site.Cartn_x"))]
        structure = gemmi.make_structure_from_block(found[0]) if found else None
    except (RuntimeError, ValueError, IndexError) as error:
        text = re.sub("^(string|data):", "", plain(error) or "it is empty")
        raise FileError(f"not a readable mmCIF file, or truncated ({text}).") from None
    if structure is None:
        raise FileError("contains no atoms (no _atom_site.Cartn_x).")
    return _molecule_of(gemmi, structure)


# === checks of PDB files


def _check_end(lines: list[bytes], atoms: list[int]) -> None:
    last, final = atoms[-1], lines[-1]
    width = len(lines[last].rstrip())
    before = len(lines[atoms[-2]].rstrip()) if len(atoms) > 1 else SHORTEST
    is_cut = last == len(lines) - 1 and not final.endswith(b"\n") and len(final.rstrip()) < before
    if is_cut or width < SHORTEST:
        raise FileError(f"truncated: line {last + 1} ends within an atom, at column {width}.")
    if not final.endswith(b"\n") and any(r.startswith(final) and r != final for r in RECORDS):
        raise FileError(f"truncated: line {len(lines)} ends within a word, {final.decode()!r}.")
    begins = [i for i, line in enumerate(lines) if line.startswith(b"MODEL ")]
    ends = [i for i, line in enumerate(lines) if line.startswith(b"ENDMDL")]
    if len(begins) > 1 and begins[-1] > max(ends, default=-1):
        n, size = np.diff(np.searchsorted(atoms, [*begins[-2:], len(lines)]))
        if size < n:
            raise FileError(
                f"truncated: it ends within its model {len(begins)}, after {size} of {n} atoms."
            )


def _with_models(lines: list[bytes], atoms: list[int]) -> list[bytes]:
    """Convert frames separated by END records, as VMD writes them, to models.

    gemmi stops at END.
    """
    ends = {i for i in range(atoms[0], atoms[-1]) if lines[i].rstrip() == b"END"}
    if not ends:
        return lines
    kept = [lines[: atoms[0]]]
    has_models = any(line.startswith(b"MODEL ") for line in kept[0])
    bounds = [atoms[0], *sorted(ends), len(lines)]
    frames = (lines[a:b] for a, b in pairwise(bounds))
    for number, frame in enumerate(frames, start=1):
        rest = [line for line in frame if line.rstrip() != b"END"]
        if has_models:
            kept.append(rest)
        else:
            kept.append([b"MODEL %8d\n" % number, *rest, b"ENDMDL\n"])
    return [line for part in kept for line in part]


def _cells_of_models(gemmi: Any, lines: list[bytes]) -> dict[int, tuple[float, ...] | None]:
    """Return the cells of models, in or before which a trajectory has a CRYST1 record each.

    gemmi reads only one. A record without a cell also applies to the models that follow.
    """
    records = [line for line in lines if line.startswith((b"MODEL ", b"ENDMDL", b"CRYST1"))]
    cells: dict[int, tuple[float, ...] | None] = {}
    if sum(line.startswith(b"CRYST1") for line in records) < 2:
        return cells
    model, cell = None, None
    for line in records:
        if line.startswith(b"CRYST1"):
            words = [line[a:b].strip() for a, b in pairwise(CELL_COLUMNS)]
            numbers = [float(word) for word in words if is_number(word.decode("latin-1"))]
            has_cell = len(numbers) == len(words) and _is_cell(gemmi.UnitCell(*numbers))
            cell = tuple(numbers) if has_cell else None
        else:
            number = line[6:].strip()
            model = int(number) if line.startswith(b"MODEL ") and number.isdigit() else None
        if model is not None:
            cells[model] = cell
    return cells


def _is_cell(cell: Any) -> bool:
    """Return whether a cell of gemmi is that of a crystal, or of a box that has a size."""
    return bool(cell.is_crystal()) and min(cell.parameters[:3]) > 0


def _check_numbers(lines: list[bytes], atoms: list[int]) -> None:
    """Raise FileError for coordinates that are not numbers, which gemmi would read in part."""
    words = np.array([lines[i][30:54] for i in atoms], dtype="S24").view("S8")
    try:
        if b"_" in words.tobytes():  # 1_0 is 10 in NumPy and 1 in gemmi
            raise ValueError
        words.astype(np.float64)
    except ValueError:
        for i in atoms:
            for axis, start in zip("xyz", (30, 38, 46), strict=True):
                text = lines[i][start : start + 8].decode("latin-1")
                if not is_number(text):
                    expected = (
                        f"an atom with a number for {axis} in columns {start + 1} to {start + 8}"
                    )
                    raise wrong_line(i + 1, expected, text.strip()) from None


def _add_elements(lines: list[bytes], atoms: list[int]) -> None:
    """Write the element to columns 77-78 of lines without one."""
    for i in atoms:
        line = lines[i]
        if line[76:78].strip().upper() in SYMBOLS_IN_FILES:
            continue
        text = line.rstrip(b"\r\n").decode("latin-1").ljust(80)
        number = by_columns(text[12:16], text[17:20], text[:6].upper() == "HETATM")
        lines[i] = f"{text[:76]}{SYMBOLS[number].upper():>2}{text[78:80]}\n".encode("latin-1")


# === conversion of gemmi's structures


def _molecule_of(gemmi: Any, structure: Any) -> Molecule:
    try:
        assemblies = {
            one.name: tuple(map(_generator_of, one.generators)) for one in structure.assemblies
        }
        cell = structure.cell.parameters if _is_cell(structure.cell) else None
        return Molecule(_atoms_of(gemmi.FlatStructure(structure)), assemblies, cell)
    except UnicodeDecodeError:
        raise FileError("contains names that are not text in UTF-8, or is damaged.") from None
    except RuntimeError as error:  # names are too long for gemmi
        raise FileError(f"cannot be read ({plain(error)}).") from None


def _atoms_of(flat: Any) -> Atoms:
    """Return the columns of gemmi's atoms, in the order of the file if serial numbers show it."""
    regrouped = atoms_of(
        len(flat.pos),
        positions=np.asarray(flat.pos, np.float64).reshape(-1, 3),
        elements=np.where(flat.elements < len(SYMBOLS), flat.elements, 1).astype(np.uint8),
        names=_texts(flat.atom_names),
        residues=flat.resnums,
        residue_names=_texts(flat.residue_names),
        chains=_texts(flat.chain_ids),
        subchains=_texts(flat.subchains),
        insertions=_codes(flat.icodes),
        altlocs=_codes(flat.altlocs),
        is_hetatm=flat.het_flags == ord("H"),
        occupancy=flat.occ,
        b_factor=flat.b_iso,
        models=flat.model_num,
    )
    # gemmi joins the parts of a chain. Distinct serial numbers of a model restore their order.
    model = np.cumsum(np.diff(regrouped.models, prepend=regrouped.models[:1]) != 0)
    order = np.lexsort((flat.serials, model))
    keys = np.stack([model, flat.serials])[:, order]
    are_distinct = bool((np.diff(keys, axis=1) != 0).any(axis=0).all())
    return regrouped[order] if are_distinct else regrouped


def _texts(characters: np.ndarray) -> np.ndarray:
    """Convert rows (n, 8) of characters to texts (n,) S8, which end at the first 0."""
    codes = np.ascontiguousarray(characters).view(np.uint8)
    is_text = np.logical_and.accumulate(codes != 0, axis=1)
    return np.ascontiguousarray(np.where(is_text, codes, 0).astype(np.uint8)).view("S8")[:, 0]


def _codes(characters: np.ndarray) -> np.ndarray:
    """Return characters (n,) as uint8, with 0 for blanks."""
    codes = np.ascontiguousarray(characters).view(np.uint8)
    return np.where(codes == ord(" "), 0, codes).astype(np.uint8)


def _generator_of(part: Any) -> Generator:
    names = list(part.subchains) or list(part.chains)
    operators = [
        np.column_stack([op.transform.mat.tolist(), op.transform.vec.tolist()])
        for op in part.operators
    ]
    return Generator(
        tuple(name.encode() for name in names),
        bool(list(part.subchains)),
        np.array(operators, np.float64).reshape(-1, 3, 4),
    )
