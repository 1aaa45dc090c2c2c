"""The options that the commands share, with their help, and what their texts mean."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.shell.molecule_files import WORDS
from separatrix_vtk.shell.read import FileProblem, RawLayout, Vector
from separatrix_vtk.shell.run import Algorithm


class ByteOrder(str, Enum):
    """Byte order of a .raw file."""

    little = "little"
    big = "big"


class Ordering(str, Enum):
    """How equal values are ordered."""

    by_index = "index"
    by_plateau = "plateau"


class RegionsOf(str, Enum):
    """The segmentation whose regions a table lists."""

    descending = "descending"
    ascending = "ascending"
    cells = "cells"


class Method(str, Enum):
    """What a critical point of a mesh is."""

    link = "link"
    gradient = "gradient"


class Duplicates(str, Enum):
    """What is done with cells that are there twice."""

    error = "error"
    drop = "drop"


Input = Annotated[
    Path,
    typer.Argument(
        help="Volume: .vti, .mhd, .mha, .nrrd, .nhdr, .raw or .npy (nz, ny, nx); or mesh: .vtu, "
        ".vtp, .vtk, .stl, .ply or .obj."
    ),
]
Array = Annotated[
    str | None,
    typer.Option(
        "--array", "-a", help="Scalar field; default: the active scalars. Of a mesh: x, y, z too."
    ),
]
Tetrahedralize = Annotated[
    bool, typer.Option("--tetrahedralize", help="Cut other cells of a mesh up, by VTK.")
]
OnDuplicates = Annotated[
    Duplicates, typer.Option(help="Cells that are there twice: refuse the mesh, or drop them.")
]
Device = Annotated[str, typer.Option("--device", "-d", help="auto, cpu, cuda or cuda:N.")]
Threads = Annotated[int, typer.Option("--threads", "-t", min=0, help="CPU threads; 0 takes all.")]
MemoryLimit = Annotated[
    int,
    typer.Option("--memory-limit", min=0, help="GPU memory to keep below, in MiB; 0: no limit."),
]
Dims = Annotated[
    str | None, typer.Option("--dims", help="Size of a .raw file: NX,NY,NZ or NXxNYxNZ, or NX,NY.")
]
DType = Annotated[
    str | None, typer.Option("--dtype", help="Type of a .raw volume: uint8, int16, float32, ...")
]
Ties = Annotated[
    Ordering,
    typer.Option("--order", help="Order of equal values; plateau leaves fewer critical points."),
]
Order = Annotated[ByteOrder, typer.Option("--byte-order", help="Byte order of a .raw volume.")]
Spacing = Annotated[
    str | None, typer.Option("--spacing", help="Distance of voxels, X,Y,Z (.raw and .npy).")
]
Origin = Annotated[
    str | None, typer.Option("--origin", help="Position of the first voxel, X,Y,Z (.raw, .npy).")
]
Atoms = Annotated[
    str,
    typer.Option(
        metavar="WORDS",
        help=f"What of a molecule's file is taken, separated by commas: {WORDS}. "
        "Default: ATOM records but water.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as one line of JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def output_argument(kinds: str) -> Any:
    """The argument OUTPUT of a command that can write these kinds of file."""
    return typer.Argument(help=f"{kinds}, or .npz (NumPy arrays). Default: only print the summary.")


def port_option(algorithm: Algorithm) -> Any:
    """The option --port, which says what of the result a file of one dataset holds."""
    return typer.Option(
        "--port", "-p", help=f"What a file of one dataset holds: {', '.join(algorithm.ports)}."
    )


def layout_of(dims: str | None, dtype: str | None, byte_order: ByteOrder) -> RawLayout:
    """The layout of a .raw file from the texts of --dims, --dtype and --byte-order."""
    if dims is None:
        return RawLayout(None, dtype, byte_order.value)
    try:
        sizes = [int(part) for part in re.split("[,xX]", dims)]
        if len(sizes) not in (2, 3) or min(sizes) < 1:
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"--dims {dims}: two or three whole numbers from 1 up, as 64,64,64 or 512x512"
        ) from None
    nx, ny, nz = (*sizes, 1)[:3]
    return RawLayout((nx, ny, nz), dtype, byte_order.value)


def dimensions_of(texts: list[str] | None) -> tuple[int, ...]:
    """The dimensions that one or several --dimension name; all by default."""
    chosen = [part.strip() for text in texts or ["0,1,2"] for part in text.split(",")]
    if not set(chosen) <= set("012"):
        raise FileProblem(f"--dimension {','.join(chosen)}: some of 0, 1 and 2, as 0 or 0,2")
    return tuple(sorted({int(part) for part in chosen}))


def check_percent(arguments: Sequence[str]) -> None:
    """Complain about a % sign that stands alone, which no argument can be."""
    if "%" in arguments[1:]:
        number = arguments[arguments.index("%", 1) - 1]
        raise FileProblem(f"{number} %: write {number}% without a space")


def mesh_settings(tetrahedralize: bool, on_duplicates: Duplicates) -> dict[str, Any]:
    """The filter's settings of --tetrahedralize and --on-duplicates."""
    return {"tetrahedralize": tetrahedralize, "on_duplicates": on_duplicates.value}


def threshold_of(text: str, relative: bool) -> dict[str, Any]:
    """The filter's settings of --persistence T, T% and --relative."""
    try:
        value = float(text.removesuffix("%"))
        if not value >= 0.0:
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"--persistence {text}: a number from 0 up, in the unit of the values, or with a % sign"
        ) from None
    if text.endswith("%"):
        value, relative = value / 100.0, True
    if relative and value > 1.0:
        raise FileProblem(
            f"--persistence {text}: a fraction of the range is at most 1 (100%); "
            "for a difference of values leave --relative and % out"
        )
    mode = "relative" if relative else "absolute"
    return {"persistence_threshold": value, "threshold_mode": mode}


def vector_of(option: str, text: str | None) -> Vector | None:
    """Three numbers separated by commas."""
    if text is None:
        return None
    try:
        x, y, z = (float(part) for part in text.split(","))
        if not math.isfinite(x + y + z):
            raise ValueError
    except ValueError:
        raise FileProblem(f"{option} {text}: three numbers separated by commas, as 1,1,2") from None
    return x, y, z
