"""Readers and writers of volumes, grids, meshes, points, distances, and molecules.

>>> from separatrix_vtk import io
>>> image = io.read("sample_data/terrain.vti")
>>> io.write("terrain.csv", separatrix_vtk.critical_points(image))  # doctest: +SKIP

`read` takes the formats of `formats.FORMATS` (docs/files.md), and `write` these:

| suffix | data |
| --- | --- |
| .vti, .vtu | vtkImageData, vtkUnstructuredGrid |
| .vtp | vtkPolyData, or lines of a vtkUnstructuredGrid |
| .csv | vtkTable, points, or a persistence diagram |
| .vtm | datasets by name, or the outputs of a function of this package |
| .npz | arrays by name |

`read_distances` reads the points or distances of Ripser's formats for `separatrix.rips_barcodes`.
PyVista's `pyvista.wrap` turns any of these datasets into PyVista's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["read", "read_distances", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    points: bool = False,
    array: str | None = None,
    atoms: str = "",
    columns: Sequence[str] = (),
    dimensions: tuple[int, int, int] | None = None,
    dtype: str | None = None,
    byte_order: str = "little",
    spacing: tuple[float, ...] | None = None,
    origin: tuple[float, ...] | None = None,
) -> Any:
    """Read a dataset, by the suffix of the file.

    Parameters
    ----------
    path
        Name of the file, or of a folder of slices; docs/files.md lists the formats. "-" is standard
        input, whose format is detected from its content.
    points
        Read the array of a .npy file as points (n, 3) or (n, 2), not as the values of an image.
    array
        Name of the variable of a file with several. For meshes, "x", "y" or "z" adds that
        coordinate as a point array of this name.
    atoms
        For molecules: what to read, such as "hetatm,model=2"; by default ATOM records except water.
    columns
        Of a .csv file: the columns of x, y, and possibly z, by their names or numbers from 1. They
        become x, y, and z of the table.
    dimensions, dtype, byte_order
        For .raw files: number of points along x, y and z, type of the values, "little" or "big".
    spacing, origin
        Of images without them (.raw, .npy, .png, .tif): distance of the points along x, y and z,
        and the first point.

    Returns
    -------
    vtkImageData, vtkRectilinearGrid, vtkStructuredGrid, vtkUnstructuredGrid, vtkPolyData, or
    vtkTable

    Raises
    ------
    separatrix.InputError
        If the file cannot be read; the message begins with its path.

    Examples
    --------
    >>> read("sample_data/terrain.vti").GetDimensions()
    (241, 193, 1)
    >>> read("sample_data/torus.csv").GetNumberOfRows()
    360
    """
    from separatrix_vtk.io.formats import OF_FIELDS, OF_POINTS, suffix_of
    from separatrix_vtk.io.point_files import read_points
    from separatrix_vtk.io.streams import named_file
    from separatrix_vtk.io.volumes import read_volume

    with named_file(Path(path).expanduser()) as file:
        suffix = suffix_of(file)
        is_field = suffix in OF_FIELDS and not points
        if not is_field and suffix in OF_POINTS:
            return read_points(file, atoms, columns)[0]
        return read_volume(
            file,
            array=array,
            dimensions=dimensions,
            dtype=dtype,
            byte_order=byte_order,
            spacing=spacing,
            origin=origin,
        )


def read_distances(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    contains: str = "",
    columns: Sequence[str] = (),
) -> dict[str, Any]:
    """Read the points or distances for `separatrix.rips_barcodes`, as its keyword arguments.

    Parameters
    ----------
    path
        Name of the file. Its format follows from the name, as in a.lower_distance or a.csv.gz.
    format
        point-cloud, distance, lower-distance, upper-distance, sparse, dipha, binary, npy or csv.
    contains
        "points" or "distances", for the array of a .npy or .csv file. By default a square array
        with a diagonal of zeros contains distances.
    columns
        The columns of a .csv file to read, by their names or numbers from 1; by default all.

    Returns
    -------
    dict with one of the keys points, distances and sparse

    Raises
    ------
    separatrix.InputError
        If the file cannot be read; the message begins with its path.

    Examples
    --------
    >>> read_distances("sample_data/torus.csv")["points"].shape
    (360, 3)
    """
    import warnings

    from separatrix_vtk.io.errors import FileWarning
    from separatrix_vtk.io.rips_files import read_rips

    given, warning = read_rips(Path(path).expanduser(), format, contains, columns)
    if warning:
        warnings.warn(warning, FileWarning, stacklevel=2)
    return given


def write(path: str | os.PathLike[str], data: Any) -> None:
    """Write datasets or arrays, by the suffix of the file; a partial file never remains.

    Parameters
    ----------
    path
        Name of the file: .vti, .vtp, .vtu, .csv, .vtm or .npz.
    data
        A VTK dataset or table. For .vtm files a dictionary of datasets, or the outputs of a
        function of this package; for .npz files a dictionary of arrays.

    Raises
    ------
    separatrix.InputError
        If the file cannot be written; the message begins with its path.
    """
    from separatrix_vtk.io import writers
    from separatrix_vtk.io.errors import FileError, check_writable, unwritable

    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if hasattr(data, "_asdict"):  # the outputs of a function
        data = {name.replace("_", " "): dataset for name, dataset in data._asdict().items()}
    if suffix not in writers.SUFFIXES:
        raise unwritable(path, writers.SUFFIXES)
    if isinstance(data, Mapping) != (suffix in (".vtm", ".npz")):
        expected = "a dictionary" if suffix in (".vtm", ".npz") else "one dataset"
        raise FileError(f"{suffix} files contain {expected}; got {type(data).__name__}.", path)
    check_writable(path)
    if suffix == ".vtm":
        writers.write_blocks(path, list(data.items()))
    elif suffix == ".npz":
        writers.write_arrays(path, dict(data))
    else:
        writers.write_dataset(path, data)
