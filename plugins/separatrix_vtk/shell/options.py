"""The options that the commands share, with their help, and what their texts mean."""

from __future__ import annotations

import math
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.shell.read import FileProblem, RawLayout, Vector
from separatrix_vtk.shell.run import Algorithm


class ByteOrder(str, Enum):
    """Byte order of a .raw file."""

    little = "little"
    big = "big"


Input = Annotated[
    Path, typer.Argument(help="Volume: .vti, .mhd, .mha, .nrrd, .nhdr, .raw or .npy (nz, ny, nx).")
]
Array = Annotated[
    str | None, typer.Option("--array", "-a", help="Scalar field; default: the active scalars.")
]
Device = Annotated[str, typer.Option("--device", "-d", help="auto, cpu, cuda or cuda:N.")]
Threads = Annotated[int, typer.Option("--threads", "-t", min=0, help="CPU threads; 0 takes all.")]
MemoryLimit = Annotated[
    int,
    typer.Option("--memory-limit", min=0, help="GPU memory to keep below, in MiB; 0: no limit."),
]
Dims = Annotated[str | None, typer.Option("--dims", help="Size of a .raw volume, NX,NY,NZ.")]
DType = Annotated[
    str | None, typer.Option("--dtype", help="Type of a .raw volume: uint8, int16, float32, ...")
]
Order = Annotated[ByteOrder, typer.Option("--byte-order", help="Byte order of a .raw volume.")]
Spacing = Annotated[
    str | None, typer.Option("--spacing", help="Distance of voxels, X,Y,Z (.raw and .npy).")
]
Origin = Annotated[
    str | None, typer.Option("--origin", help="Position of the first voxel, X,Y,Z (.raw, .npy).")
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as one line of JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def output_argument(kinds: str) -> Any:
    """The argument OUTPUT of a command that can write these kinds of file."""
    return typer.Argument(help=f"{kinds}, or .npz (NumPy arrays). Default: only print the summary.")


def port_option(algorithm: Algorithm) -> Any:
    """The option --port, which says what of the result a file of one dataset holds."""
    return typer.Option(
        "--port", "-p", help=f"Output for a .vtp or .vti file: {', '.join(algorithm.ports)}."
    )


def layout_of(dims: str | None, dtype: str | None, byte_order: ByteOrder) -> RawLayout:
    """The layout of a .raw file from the texts of --dims, --dtype and --byte-order."""
    sizes = vector_of("--dims", dims)
    if sizes is None:
        return RawLayout(None, dtype, byte_order.value)
    nx, ny, nz = (int(size) for size in sizes)
    if (nx, ny, nz) != sizes or min(nx, ny, nz) < 1:
        raise FileProblem(f"--dims {dims}: three whole numbers from 1 up, as 64,64,64")
    return RawLayout((nx, ny, nz), dtype, byte_order.value)


def vector_of(option: str, text: str | None) -> Vector | None:
    """Three numbers separated by commas."""
    if text is None:
        return None
    try:
        x, y, z = (float(part) for part in text.split(","))
        if not math.isfinite(x + y + z):
            raise ValueError
    except ValueError:
        example = "64,64,64" if option == "--dims" else "1,1,2"
        raise FileProblem(
            f"{option} {text}: three numbers separated by commas, as {example}"
        ) from None
    return x, y, z
