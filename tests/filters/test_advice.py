"""What a refusal advises is there by that name, and no number that was given is left unused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData

import separatrix as sx
import separatrix_vtk
from filters.images import image_with, noise
from filters.point_sets import polydata_of
from separatrix_vtk.base.arrays import to_vtk

CENTERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def test_a_radius_is_a_number_an_array_or_the_name_of_one() -> None:
    atoms = polydata_of(CENTERS, radius=np.full(4, 0.8), small=np.full(4, 0.2))
    for radius in (0.2, "small", np.full(4, 0.2)):
        found = separatrix_vtk.alpha_complex(atoms, radius=radius)
        assert found.complex.GetNumberOfCells() == 4
    assert separatrix_vtk.alpha_complex(atoms).complex.GetNumberOfCells() > 4


def test_unknown_elements_get_a_radius_as_the_sentence_says() -> None:
    atoms = polydata_of(CENTERS, atom_type=np.array([6, 0, 0, 6]))
    with pytest.raises(sx.InputError, match=r"set radius_overrides='X=1\.7'"):
        separatrix_vtk.alpha_complex(atoms)
    found = separatrix_vtk.alpha_complex(atoms, radius_overrides="X=1.7")
    assert found.complex.GetNumberOfCells() == 15


@pytest.mark.parametrize("function", ["alpha_complex", "rips_barcodes", "neighbor_statistics"])
def test_an_image_where_points_are_due_is_told_with_what_makes_points_of_it(function: str) -> None:
    pyvista = pytest.importorskip("pyvista")
    image = pyvista.ImageData(dimensions=(3, 3, 3))
    image["height"] = np.arange(27.0)
    for given, told in (
        (image, r"Extract some of its points with Threshold \(in PyVista mesh\.threshold"),
        (image, r"in PyVista mesh\.cast_to_pointset\(\)"),
        (plain(image), r"in VTK vtkImageDataToPointSet\)"),
    ):
        with pytest.raises(separatrix_vtk.FilterError, match=told):
            getattr(separatrix_vtk, function)(given)
    options = {"radius": 0.5} if function == "alpha_complex" else {}
    assert getattr(separatrix_vtk, function)(image.cast_to_pointset(), **options)
    assert getattr(separatrix_vtk, function)(image.threshold(9.0), **options)


def plain(dataset: Any) -> vtkImageData:
    made = vtkImageData()
    made.ShallowCopy(dataset)
    return made


def test_scalars_beside_vectors_are_named_with_the_setting() -> None:
    image = image_with(noise(4, 5, 6))
    name = image.GetPointData().GetScalars().GetName()
    image.GetPointData().AddArray(to_vtk(np.ones((120, 3)), "rgb"))
    image.GetPointData().SetActiveScalars("rgb")
    with pytest.raises(separatrix_vtk.FilterError) as told:
        separatrix_vtk.critical_points(image)
    assert f"Choose '{name}' as array, or reduce it with" in str(told.value)
    assert separatrix_vtk.critical_points(image, array=name).GetNumberOfPoints()
