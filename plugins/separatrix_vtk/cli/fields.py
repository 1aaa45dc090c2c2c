"""Shared by the commands on scalar fields: reading an image or a mesh, running a filter."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from separatrix.errors import InputError, Words
from separatrix.options import MorseSmaleOptions, Options, option, options_of
from separatrix_vtk.cli.command import Argument, Given
from separatrix_vtk.cli.ports import Ports, settings_for
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.cli.summary import print_summary
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.formats import OF_FIELDS

INPUT = Argument(
    f"Image, grid, or mesh ({', '.join(OF_FIELDS)}), where a folder contains slices; see "
    "docs/files.md."
)
SIZE = {
    "dimensions": "points of the image along x, y and z",
    "points": "number of points of the mesh",
    "tetrahedra": "number of tetrahedra of the mesh",
    "triangles": "number of triangles of the mesh",
    "mesh": "how a mesh of tetrahedra was processed: as a whole or in packets",
    "memory_bytes": "its estimated memory in addition to the mesh",
}
CRITICAL = {
    "critical_cells": "number of critical cells by dimension",
    "euler_characteristic": "their alternating sum",
}
PAIRS = {
    "pairs": "number of persistence pairs of different values by dimension, or null",
    "zero_persistence_points": "critical points in pairs of equal values",
    "suggested_persistence": "a threshold in the clearest gap of the persistence curve, or 0",
}


class ImageFileOptions(Options):
    """Image files."""

    dims: tuple[int, ...] = option(
        default=(),
        group="Input",
        summary="Number of points of a .raw file along x, y, and z: 64,64,64 or 512x512.",
    )
    dtype: str = option(
        default="", group="Input", summary="Type of a .raw file: uint8, int16, float32, ..."
    )
    byte_order: Literal["little", "big"] = option(
        default="little", group="Input", summary="Byte order of a .raw file."
    )
    spacing: tuple[float, ...] = option(
        default=(),
        group="Input",
        summary="Distance between points along x, y and z (.raw, .npy, .png, .tif); by default "
        "that of the file, or 1.",
    )
    origin: tuple[float, ...] = option(
        default=(),
        group="Input",
        summary="Position of the first point (.raw, .npy, .png, .tif); by default 0.",
    )


def read_sizes(text: str, name: str = "dims") -> dict[str, Any]:
    """The numbers of points in a text such as 64,64,64 or 512x512."""
    words = re.split("[,xX]", text)
    if len(words) not in (2, 3) or not all(re.fullmatch(r"0*[1-9]\d{0,17}", w) for w in words):
        expected = "two or three positive integers, as 64,64,64 or 512x512"
        raise InputError(name, expected, text)
    return {name: tuple(map(int, words))}


READS = {"dims": read_sizes}


def read_persistence(text: str) -> dict[str, Any]:
    """The threshold in a text; with a percent sign it is relative."""
    declared = options_of(MorseSmaleOptions)["persistence"]
    try:
        value = declared.parse(text.removesuffix("%"))
    except InputError:
        raise InputError("persistence", "a non-negative number or a percentage", text) from None
    if "%" not in text:
        return {"persistence": value}
    if value > 100:
        raise InputError("persistence", "0% to 100%", Words(text))
    return {"persistence": value / 100, "relative": True}


def run_on_field(
    filter_name: str,
    ports: Ports,
    input: Path,
    output: Path | None,
    port: str | None,
    given: Given,
    in_summary: tuple[str, ...] = (),
    others: Mapping[int, Any] = MappingProxyType({}),
) -> None:
    """Run a filter on the image or mesh of a file, with the datasets of its other input ports."""
    run = Run(ports, input, output, port, given)
    dataset = read_field(input, given)
    if "separatrices-2" in ports:
        check_surfaces(dataset, run.port, given)
    filter = make_filter(filter_name, settings_for(run.ports, output, run.port, given, in_summary))
    for number, other in others.items():
        filter.SetInputDataObject(number, other)
    run.execute(filter, dataset)
    summary = run.summary(filter.report)
    reporter.result(summary, lambda: print_summary(summary))


def read_field(input: Path, given: Given) -> Any:
    """The image or mesh in a file."""
    from separatrix_vtk.io.volumes import read_volume

    place = given.of(ImageFileOptions)
    nx, ny, nz = (*place.dims, 1)[:3] if place.dims else (0, 0, 0)
    array = given.get("array")
    dataset = read_volume(
        input,
        array=array,
        dimensions=(nx, ny, nz) if nx else None,
        dtype=place.dtype or None,
        byte_order=place.byte_order,
        spacing=_vector("spacing", place.spacing),
        origin=_vector("origin", place.origin),
        scratch=given.get("scratch") or None,
    )
    data = (dataset.GetPointData(), dataset.GetCellData())
    if not array and not any(one.GetNumberOfArrays() for one in data):
        raise FileError("contains no scalar field. Of a mesh, use {array=x}, y, or z.", input)
    return dataset


def _vector(name: str, numbers: tuple[float, ...]) -> tuple[float, ...] | None:
    if numbers and (len(numbers) not in (2, 3) or not math.isfinite(sum(numbers))):
        given = ",".join(f"{number:g}" for number in numbers)
        raise InputError(name, "three finite numbers, or two for an image of two axes", given)
    return numbers or None


def check_surfaces(dataset: Any, port: str | None, given: Given) -> None:
    """Raise FileError if surfaces of an image or mesh of two dimensions are requested."""
    asked = [name for name in given if name.endswith("separatrices_2") and given[name]]
    size = dataset.GetDimensions() if dataset.IsA("vtkImageData") else ()
    is_volume = sum(n > 1 for n in size) == 3 if size else not dataset.IsA("vtkPolyData")
    if (port != "separatrices-2" and not asked) or is_volume:
        return
    option_name = reporter.spell(asked[0]) if asked else f"--port {port}"
    what = f"is an image of {' x '.join(map(str, size))} points" if size else "is a surface itself"
    raise FileError(f"{option_name} requires a volume, but the input {what}. Omit it.")
