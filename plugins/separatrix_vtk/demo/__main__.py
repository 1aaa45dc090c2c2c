"""A volume becomes a Morse-Smale complex, points a barcode: files, a short table, and pictures.

    python -m separatrix_vtk.demo OUTPUT_DIR [--input FILE] [--array NAME] [--device auto]

Without --input samples are taken: the wave function of an atom, a terrain, a mesh, which is
simplified at 5 % of its range, and the points of a torus, which become a barcode. Each makes a .vtm
file for ParaView and a .png. Needs VTK 9.4 or newer to draw where there is no display.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import separatrix as sx
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.grid.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.shell.read import FileProblem, read_volume
from separatrix_vtk.shell.summary import print_rows, print_summary
from separatrix_vtk.shell.write import write_blocks

SAMPLES = ("atomic_orbital.vti", "terrain.vti", "ring.vtu")
OF_MESHES = {"persistence_threshold": 0.05, "threshold_mode": "relative"}  # else too much to see
POINTS_SAMPLE = "torus.csv"
SAMPLE_FOLDER = Path(__file__).resolve().parents[3] / "sample_data"
USER_ERRORS = (
    FileProblem, FilterError, sx.InputError, sx.DeviceUnavailable, sx.DeviceMemoryError
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0, or 1 after a sentence on stderr."""
    summary, _, description = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m separatrix_vtk.demo",
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
    options = parser.parse_args(arguments)

    inputs = [options.input] if options.input else [SAMPLE_FOLDER / name for name in SAMPLES]
    if options.input is None and not SAMPLE_FOLDER.is_dir():
        parser.error("the samples are in the source repository only: give --input FILE")
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        for path in inputs:
            demonstrate(path, options.array, options.device, options.output)
        if options.input is None:
            demonstrate_points(SAMPLE_FOLDER / POINTS_SAMPLE, options.device, options.output)
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


def demonstrate(path: Path, array: str | None, device: str, folder: Path) -> None:
    """One image: compute, write the .vtm, print the table, draw the .png."""
    volume = read_volume(path, array=array)
    is_mesh = not volume.dimensions
    complex = MorseSmaleComplex(device=device, **(OF_MESHES if is_mesh else {}))
    if array:
        complex.SetInputArrayToProcess(0, 0, 0, POINTS, array)
    outputs = complex.run(volume.as_image())
    files = folder / f"{path.stem}.vtm"
    write_blocks(files, [(name, outputs[i]) for i, (name, _) in enumerate(complex.OUTPUTS)])
    print_summary({**complex.report, "input": str(path), "output": str(files)})

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


def demonstrate_points(path: Path, device: str, folder: Path) -> None:
    """A point set: its barcode as .vtm, and the .png."""
    from separatrix_vtk.demo.rips import SHORTENING, picture_of_barcode
    from separatrix_vtk.rips.rips_barcodes import RipsBarcodes
    from separatrix_vtk.shell.point_files import read_points

    points, _ = read_points(path)
    barcodes = RipsBarcodes(device=device, max_dimension=2, shortening=SHORTENING)
    outputs = barcodes.run(points)
    files, picture = folder / f"{path.stem}.vtm", folder / f"{path.stem}.png"
    write_blocks(files, [(name, outputs[i]) for i, (name, _) in enumerate(barcodes.OUTPUTS)])
    rows: list[tuple[str, Any]] = [("input", f"{path}, {points.GetNumberOfRows()} points")]
    rows.append(("device", barcodes.report["device"]))
    rows += [(f"bars of dimension {d}", n) for d, n in enumerate(barcodes.report["bars"])]
    rows.append(("computed in", f"{barcodes.report['seconds']['in all']:.2f} s"))
    rows.append(("written", files))
    print_rows(rows)
    picture_of_barcode(points, path.stem, picture, device)
    print(f"picture               {picture}\n")


def draw(outputs: list[Any], array: str, path: Path) -> bool:
    """A picture, if there is a kind for such an image."""
    from separatrix_vtk.demo.mesh import picture_of_mesh
    from separatrix_vtk.demo.scene import SIZE
    from separatrix_vtk.demo.terrain import picture_of_terrain
    from separatrix_vtk.demo.volume import picture_of_volume
    from separatrix_vtk.functions import MorseSmaleOutputs

    if outputs[3].IsA("vtkUnstructuredGrid") and has_surfaces(outputs):
        picture_of_mesh(MorseSmaleOutputs(*outputs), array, path, SIZE)
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
