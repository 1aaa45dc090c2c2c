"""Every filter is aborted at its progress events: empty outputs, no error, a right next run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix_vtk
from filters.images import image_with, is_empty, message_window, noise
from filters.meshes import boxes, grid_of
from filters.point_sets import cloud, molecule_of, polydata_of

FAST = 6  # events at which each filter is aborted in the first tier


def image() -> Any:
    return image_with(noise(9, 8, 7))


def mesh() -> Any:
    points, tets, values = boxes()
    return grid_of(points, tets, values)


def atoms() -> Any:
    return molecule_of(6.0 * cloud(60), np.full(60, 6))


def points() -> Any:
    return polydata_of(cloud(80))


CASES: dict[str, tuple[str, Callable[[], Any], dict[str, Any]]] = {
    "complex of an image": (
        "MorseSmaleComplex",
        image,
        {"persistence": 5.0, "compute_ascending_separatrices_2": True},
    ),
    "critical points of an image": ("CriticalPoints", image, {}),
    "gradient of an image": ("DiscreteGradient", image, {}),
    "diagram of an image": ("PersistenceDiagram", image, {}),
    "complex of a mesh": ("MorseSmaleComplex", mesh, {}),
    "critical points of a mesh": ("CriticalPoints", mesh, {}),
    "gradient of a mesh": ("DiscreteGradient", mesh, {}),
    "diagram of a mesh": ("PersistenceDiagram", mesh, {}),
    "relations": ("MeshRelations", mesh, {}),
    "alpha complex": (
        "AlphaComplex",
        atoms,
        {"compute_pockets": True, "compute_diagram": True, "compute_voids": True},
    ),
    "time series": ("AlphaTimeSeries", atoms, {}),
    "density": ("PointDensity", points, {}),
    "neighbors": ("NeighborStatistics", points, {}),
    "barcodes": ("RipsBarcodes", points, {}),
}


def filter_of(name: str) -> Any:
    kind, make, settings = CASES[name]
    filter = getattr(separatrix_vtk, kind)(device="cpu", **settings)
    filter.SetInputDataObject(make())
    return filter


def arrays_of(filter: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays of points, cells, rows and fields of all outputs."""
    found = []
    for port in range(len(filter.OUTPUTS)):
        dataset = filter.GetOutput(port)
        for kind in range(7):
            attributes = dataset.GetAttributes(kind)
            for k in range(attributes.GetNumberOfArrays() if attributes else 0):
                array = attributes.GetAbstractArray(k)
                if array.IsNumeric():
                    found.append(vtk_to_numpy(array).copy())
    return found


def aborted_everywhere(name: str, most: int) -> None:
    seen: list[float] = []
    whole = filter_of(name)
    whole.AddObserver("ProgressEvent", lambda *_: seen.append(whole.GetProgress()))
    whole.Update()
    expected, filter = arrays_of(whole), filter_of(name)
    assert expected, whole.last_error
    steps = sum(part < 1.0 for part in seen)  # after them all is done
    for k in sorted({int(at) for at in np.linspace(1, steps, min(steps, most)).round()}):
        left = [k]

        def count(*_: Any, left: list[int] = left) -> None:
            left[0] -= filter.GetProgress() < 1.0  # what is kept of the last run has fewer steps
            if left[0] == 0:
                filter.SetAbortExecute(1)

        observer = filter.AddObserver("ProgressEvent", count)
        filter.Modified()
        with message_window() as window:
            filter.Update()
        filter.RemoveObserver(observer)
        assert filter.last_error == ""
        assert "ERR" not in window.GetOutput()
        if left[0] <= 0:
            assert all(is_empty(filter.GetOutput(port)) for port in range(len(filter.OUTPUTS))), k
        filter.SetAbortExecute(0)
        filter.Update()
        again = arrays_of(filter)
        assert len(again) == len(expected)
        for one, other in zip(again, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("most", [FAST, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", CASES)
def test_an_aborted_filter_is_empty_and_its_next_run_is_right(name: str, most: int) -> None:
    aborted_everywhere(name, most)


def test_an_aborted_reader_gives_no_atoms_and_reads_again(tmp_path: Path) -> None:
    path = tmp_path / "two.xyz"
    path.write_text("2\n\nC 0 0 0\nO 1.2 0 0\n")
    reader = separatrix_vtk.MoleculeReader(file_name=str(path))
    observer = reader.AddObserver("ProgressEvent", lambda *_: reader.SetAbortExecute(1))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 0
    reader.RemoveObserver(observer)
    reader.SetAbortExecute(0)
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 2
