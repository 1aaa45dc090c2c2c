"""Samples become topology: files, pictures, a table, and a page that shows them.

    python -m examples.demo OUTPUT_DIR [--input FILE] [--array NAME] [--device auto]

Without --input each capability is shown on a sample: complexes of a volume, a terrain and a mesh,
a persistence diagram, densities, alpha complexes and pockets of molecules, barcodes of points, a
block-sparse sum. OUTPUT_DIR/index.html shows all of it. With --input the Morse-Smale complex of
that file is computed and drawn. Needs VTK 9.4 or newer to draw where there is no display.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER, USER_ERRORS
from examples.demo.scene import SIZE, Picture
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.base.report import device_of
from separatrix_vtk.filters.scalar_field.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.writers import write_blocks
from separatrix_vtk.shell.summary import print_summary, summary_of

LINE = 118  # letters of the table, where nothing else is known


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0, or 1 after a sentence on stderr."""
    summary, _, description = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo",
        description=summary,
        epilog=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for the results")
    parser.add_argument(
        "--input", type=Path, help="an image or mesh: .vti .mhd .nrrd .npy .raw .vtu"
    )
    parser.add_argument("--array", help="scalar field, point data (default: the active scalars)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    parser.add_argument(
        "--width", type=int, default=1350, help="of a picture in pixels (default: 1350)"
    )
    options = parser.parse_args(arguments)
    Picture.pixels = options.width / SIZE[0]
    if options.input is None and not SAMPLE_FOLDER.is_dir():
        parser.error("the samples are in the source repository only: give --input FILE")
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"{options.output} is a file; name a folder for the results")
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        if options.input:
            demonstrate(options.input, options.array, options.device, options.output)
        else:
            show_all(options.output, options.device)
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


def show_all(folder: Path, device: str) -> None:
    """Do every job, then write the page and print the table."""
    from rich.console import Console

    from examples.demo.page import write_page
    from examples.demo.tour import JOBS

    begun = time.perf_counter()
    name = device_of({"device": device})
    done = []
    for number, job in enumerate(JOBS, 1):
        print(f"{number}/{len(JOBS)}  {job.title}", file=sys.stderr, flush=True)
        done.append((job, job.run(folder, device)))
    write_page(folder / "index.html", done, name, time.perf_counter() - begun)
    console = Console()
    if not console.is_terminal:
        console = Console(width=LINE)
    console.print(table_of(done, name))
    print(f"{folder / 'index.html'} shows it all")


def table_of(done: list[Any], device: str) -> Any:
    """What was done, what it found, and how long it took."""
    from rich.table import Table

    from examples.demo.page import told

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("job", "input", "found"):
        table.add_column(heading, overflow="fold")
    table.add_column("seconds", justify="right")
    table.add_column("device")
    for job, found in done:
        table.add_row(job.title, found.input, told(found), f"{found.seconds:.2f}", device)
    return table


def demonstrate(path: Path, array: str | None, device: str, folder: Path) -> None:
    """One image: compute, write the .vtm, print the table, draw the .png."""
    begin = time.perf_counter()
    volume = read_volume(path, array=array)
    is_mesh = not volume.dimensions
    complex = MorseSmaleComplex(device=device, **(OF_MESHES if is_mesh else {}))
    if array:
        complex.SetInputArrayToProcess(0, 0, 0, POINTS, array)
    outputs = complex.run(volume.as_image())
    files = folder / f"{path.stem}.vtm"
    write_blocks(files, [(name, outputs[i]) for i, (name, _) in enumerate(complex.OUTPUTS)])
    print_summary(summary_of(path, files, None, complex.report, time.perf_counter() - begin))

    field = complex.input_array(volume.as_image())
    picture = folder / f"{path.stem}.png"
    if field.association != POINTS:
        print(
            f"no picture: '{field.name}' is cell data, and pictures are made of point data only\n"
        )
    elif draw(outputs, field.name, picture):
        print(f"picture               {picture}\n")
    else:
        print(
            "no picture: they are made of volumes, of 2D images with one point along z, and of "
            "tetrahedra\n"
        )


def draw(outputs: list[Any], array: str, path: Path) -> bool:
    """A picture, if there is a kind for such an image."""
    from examples.demo.mesh import picture_of_mesh
    from examples.demo.terrain import picture_of_terrain
    from examples.demo.volume import picture_of_volume
    from separatrix_vtk.function_outputs import MorseSmaleOutputs

    if outputs[3].IsA("vtkUnstructuredGrid") and has_surfaces(outputs):
        picture_of_mesh(MorseSmaleOutputs(*outputs), array, path)
        return True
    if not outputs[3].IsA("vtkImageData"):
        return False
    long_axes = [n > 1 for n in outputs[3].GetDimensions()]
    if long_axes == [True, True, True]:
        picture_of_volume(MorseSmaleOutputs(*outputs), array, path)
    elif long_axes == [True, True, False]:
        picture_of_terrain(MorseSmaleOutputs(*outputs), array, path)
    else:
        return False
    return True


def has_surfaces(outputs: list[Any]) -> bool:
    """Whether a mesh is of tetrahedra, whose complex has connectors and surfaces."""
    dimension = outputs[0].GetFieldData().GetArray("MeshDimension")
    return dimension is not None and int(dimension.GetTuple1(0)) == 3


if __name__ == "__main__":
    sys.exit(main())
