"""Remedies in errors name filters and arrays that exist."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData

import separatrix_vtk
from filters.images import image_with, message_window, noise
from oracles.molecule_files import PEPTIDE, write, xyz_text
from separatrix_vtk.base.arrays import to_vtk


@pytest.mark.parametrize("function", ["alpha_complex", "rips_barcodes", "neighbor_statistics"])
def test_an_image_in_place_of_points_is_reported_with_a_filter_that_converts_it(function):
    pyvista = pytest.importorskip("pyvista")
    image = pyvista.ImageData(dimensions=(3, 3, 3))
    image["height"] = np.arange(27.0)
    for given, reported in (
        (image, r"Extract some of its points with Threshold \(in PyVista mesh\.threshold"),
        (image, r"in PyVista mesh\.cast_to_pointset\(\)"),
        (plain(image), r"in VTK vtkImageDataToPointSet\)"),
    ):
        with pytest.raises(separatrix_vtk.FilterError, match=reported):
            getattr(separatrix_vtk, function)(given)
    options = {"radius": 0.5} if function == "alpha_complex" else {}
    assert getattr(separatrix_vtk, function)(image.cast_to_pointset(), **options)
    assert getattr(separatrix_vtk, function)(image.threshold(9.0), **options)


def plain(dataset: Any) -> vtkImageData:
    made = vtkImageData()
    made.ShallowCopy(dataset)
    return made


def test_scalars_next_to_vectors_are_suggested_with_the_setting():
    image = image_with(noise(4, 5, 6))
    name = image.GetPointData().GetScalars().GetName()
    image.GetPointData().AddArray(to_vtk(np.ones((120, 3)), "rgb"))
    image.GetPointData().SetActiveScalars("rgb")
    with pytest.raises(separatrix_vtk.FilterError) as reported:
        separatrix_vtk.critical_points(image)
    assert f"Choose '{name}' as array, or reduce it with" in str(reported.value)
    assert separatrix_vtk.critical_points(image, array=name).GetNumberOfPoints()


def test_the_advice_about_overlapping_atoms_depends_on_the_reader_and_on_the_models(tmp_path):
    moved = [replace(atom, x=atom.x + 0.1) for atom in PEPTIDE]
    path = write(tmp_path / "twice.xyz", xyz_text([*PEPTIDE, *moved]))
    atoms = separatrix_vtk.read_molecule(path)
    for text in (
        "although all are of one model. Check Alternate Locations and Assembly of the reader",
        "several models or alternate locations are merged. Read the file",
    ):
        filter = separatrix_vtk.AlphaComplex(device="cpu")
        filter.SetInputDataObject(atoms)
        with message_window() as reported:
            filter.Update()
        assert text in reported.GetOutput()
        atoms.GetPointData().RemoveArray("assembly_copy")
