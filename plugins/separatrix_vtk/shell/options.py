"""The options that the commands share: the same name, letter and help everywhere.

Options of one kind are groups (see grouping.py). Texts are read here too: sizes, vectors,
thresholds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from separatrix_vtk.io.layout import RawLayout
from separatrix_vtk.io.molecule_files import WORDS
from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.completion import arrays_in, devices_that_may_be
from separatrix_vtk.shell.ends import voice
from separatrix_vtk.shell.grouping import Group
from separatrix_vtk.shell.option_texts import device, main_name, real_number, whole_number, word

MOST_THREADS, MOST_MEBIBYTES = 1024, 1 << 24
BYTE_ORDERS = ("little", "big")
DUPLICATES = ("error", "drop")
ORDERS = ("index", "plateau")
SHORT = 24  # letters of words that stand behind an option themselves
Step = Callable[[float, str], None]

# === kinds of options


def whole(*names: str, low: int, high: int, help: str, metavar: str = "N") -> Any:
    """An option that takes a whole number from low to high."""
    parser = whole_number(main_name(names), low, high)
    return typer.Option(*names, parser=parser, metavar=metavar, help=help)


def real(
    *names: str,
    help: str,
    low: float = -math.inf,
    above: bool = False,
    infinite: bool = False,
    metavar: str = "X",
) -> Any:
    """An option that takes a number from low on; above: larger than low."""
    parser = real_number(main_name(names), low, above=above, infinite=infinite)
    return typer.Option(*names, parser=parser, metavar=metavar, help=help)


def choice(*names: str, words: Sequence[str], help: str) -> Any:
    """An option that takes one of some words."""

    def complete(incomplete: str) -> list[str]:
        return [one for one in words if one.startswith(incomplete)]

    is_short = sum(map(len, words)) <= SHORT
    return typer.Option(
        *names,
        parser=word(main_name(names), words),
        metavar="|".join(words) if is_short else "NAME",
        help=help if is_short else f"{help} One of {', '.join(words)}.",
        autocompletion=complete,
    )


def array_option(*names: str, help: str) -> Any:
    """An option that takes the name of an array of the input."""
    return typer.Option(*names, metavar="NAME", help=help, autocompletion=arrays_in)


def port_option(ports: Sequence[str] | Mapping[str, Any]) -> Any:
    """The option --port, which says what of the result a file of one dataset holds."""
    return choice(
        "--port", "-p", words=list(ports), help="What of the result a file of one dataset holds."
    )


def sizes_option(*names: str, help: str) -> Any:
    """An option that takes the numbers of points of an image along x, y and z."""
    return typer.Option(
        *names, metavar="NX,NY[,NZ]", help=f"{help}: NX,NY,NZ or NXxNYxNZ, or NX,NY."
    )


def output_argument(kinds: str) -> Any:
    """The argument OUTPUT of a command that can write these kinds of file."""
    return typer.Argument(
        metavar="OUTPUT", help=f"{kinds}, or .npz (NumPy arrays). Default: only the summary."
    )


# === options and groups of them

Atoms = Annotated[
    str,
    typer.Option(
        "--atoms",
        metavar="WORDS",
        help=f"What of a molecule's file is taken, separated by commas: {WORDS}. "
        "Default: ATOM records but water.",
    ),
]
Points = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="Points: .vtp, .vtu, .csv (columns x, y, z), .npy (n, 3), or a molecule: .pdb, .cif, "
        ".pqr, .xyz, .crd, each also .gz.",
    ),
]
Ties = Annotated[
    str,
    choice(
        "--order", words=ORDERS, help="Order of equal values; plateau leaves fewer critical points."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object and nothing else, errors too.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


@dataclass(frozen=True)
class Execution(Group):
    """Where to compute. memory_limit in MiB, 0 none; threads 0 all."""

    TITLE: ClassVar[str] = "Where it is computed"

    device: Annotated[
        str,
        typer.Option(
            "--device",
            "-d",
            parser=device("--device"),
            metavar="auto|cpu|cuda[:N]",
            help="The CPU, a GPU, or the first GPU if there is one.",
            autocompletion=devices_that_may_be,
        ),
    ] = "auto"
    threads: Annotated[
        int,
        whole("--threads", "-t", low=0, high=MOST_THREADS, help="CPU threads; 0 takes all."),
    ] = 0
    memory_limit: Annotated[
        int,
        whole(
            "--memory-limit",
            low=0,
            high=MOST_MEBIBYTES,
            metavar="MIB",
            help="Device memory to keep below, in MiB; 0: no limit.",
        ),
    ] = 0

    @property
    def of_engine(self) -> dict[str, Any]:
        """The same as arguments of the engine."""
        return {
            "device": None if self.device == "auto" else self.device,
            "threads": self.threads or None,
            "memory_limit": self.memory_limit * (1 << 20) or None,
        }

    @property
    def of_filter(self) -> dict[str, Any]:
        """The same as settings of a filter."""
        return {
            "device": self.device,
            "threads": self.threads or None,
            "memory_limit": self.memory_limit * (1 << 20) or None,
        }


@dataclass(frozen=True)
class Telling(Group):
    """What is printed: a table, one JSON object, or nothing."""

    TITLE: ClassVar[str] = "What is printed"

    json: Json = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        voice.json, voice.quiet = self.json, self.quiet

    @contextmanager
    def progress(self) -> Iterator[Step]:
        """Progress of a run: a bar on a terminal; Ctrl-C stops it."""
        from separatrix_vtk.shell.progress import progress_bar, stopping_at_ctrl_c

        with progress_bar(not self.quiet) as bar, stopping_at_ctrl_c(bar) as step:
            yield step

    def tell(self, summary: Mapping[str, Any], print_table: Callable[[], None]) -> None:
        """Print a summary; the table is for people."""
        from separatrix_vtk.shell.summary import print_json

        if self.json:
            print_json({**summary, "warnings": voice.warnings})
        elif not self.quiet:
            print_table()


@dataclass(frozen=True)
class MeshCells(Group):
    """How the cells of a mesh are taken."""

    TITLE: ClassVar[str] = "How the input is read"

    tetrahedralize: Annotated[
        bool, typer.Option("--tetrahedralize", help="Cut other cells of a mesh up, by VTK.")
    ] = False
    on_duplicates: Annotated[
        str,
        choice(
            "--on-duplicates",
            words=DUPLICATES,
            help="Cells that are there twice: refuse the mesh, or drop them.",
        ),
    ] = "error"

    @property
    def of_filter(self) -> dict[str, Any]:
        """The same as settings of a filter."""
        return {"tetrahedralize": self.tetrahedralize, "on_duplicates": self.on_duplicates}


@dataclass(frozen=True)
class FieldSource(Group):
    """The scalar field of a file: an image or a mesh."""

    TITLE: ClassVar[str] = "How the input is read"

    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="Volume: .vti, .mhd, .mha, .nrrd, .nhdr, .raw or .npy (nz, ny, nx); or mesh: "
            ".vtu, .vtp, .vtk, .stl, .ply or .obj.",
        ),
    ]
    array: Annotated[
        str | None,
        array_option(
            "--array",
            "-a",
            help="Scalar field; default: the active scalars. Of a mesh: x, y, z too.",
        ),
    ] = None
    dims: Annotated[
        str | None,
        sizes_option("--dims", help="Points of the image (.raw)"),
    ] = None
    dtype: Annotated[
        str | None,
        typer.Option(
            "--dtype", metavar="TYPE", help="Type of a .raw file: uint8, int16, float32, ..."
        ),
    ] = None
    byte_order: Annotated[
        str, choice("--byte-order", words=BYTE_ORDERS, help="Byte order of a .raw file.")
    ] = "little"
    spacing: Annotated[
        str | None,
        typer.Option(
            "--spacing", metavar="X,Y,Z", help="Distance of the points (.raw, .npy); default: 1."
        ),
    ] = None
    origin: Annotated[
        str | None,
        typer.Option("--origin", metavar="X,Y,Z", help="Position of the first point (.raw, .npy)."),
    ] = None

    @property
    def place(self) -> dict[str, Any]:
        """What says how the file is read."""
        return {
            "array": self.array,
            "layout": layout_of(self.dims, self.dtype, self.byte_order),
            "spacing": vector_of("--spacing", self.spacing),
            "origin": vector_of("--origin", self.origin),
        }


# === texts


def layout_of(dims: str | None, dtype: str | None, byte_order: str) -> RawLayout:
    """The layout of a .raw file from the texts of --dims, --dtype and --byte-order."""
    if dims is None:
        return RawLayout(None, dtype, byte_order)
    nx, ny, nz = (*sizes_of(dims), 1)[:3]
    return RawLayout((nx, ny, nz), dtype, byte_order)


def sizes_of(dims: str) -> tuple[int, ...]:
    """The two or three numbers of points of --dims."""
    try:
        sizes = [int(part) for part in re.split("[,xX]", dims)]
        if len(sizes) not in (2, 3) or min(sizes) < 1:
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"--dims {dims}: two or three whole numbers from 1 up, as 64,64,64 or 512x512"
        ) from None
    return tuple(sizes)


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
    return {"persistence": value, "relative": relative}


def vector_of(option: str, text: str | None) -> tuple[float, ...] | None:
    """Two or three numbers separated by commas."""
    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(","))
        if len(numbers) not in (2, 3) or not math.isfinite(sum(numbers)):
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"{option} {text}: three numbers separated by commas, as 1,1,2, or two of an image"
        ) from None
    return numbers
