"""Files of other libraries (make_foreign.py): values, order of axes, spacing, origin, direction."""

import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import meshio
import numpy as np
import pytest
import pyvista
import zarr
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.util.vtkConstants import VTK_TETRA
from vtkmodules.vtkIOParallelXML import vtkXMLPImageDataWriter

from separatrix_vtk import io
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.io.errors import FileError, FileWarning
from separatrix_vtk.io.volumes import read_volume

FOREIGN = Path(__file__).with_name("foreign")
VALUES = np.arange(120.0).reshape(4, 5, 6)
VALUES = (VALUES * np.sqrt(VALUES)).astype(np.float32)  # the same on every processor
WHOLE = VALUES.astype(np.uint16)
SPACING, ORIGIN, ONES, ZEROS = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (1.0,) * 3, (0.0,) * 3


def values_of(image: Any, name: str | None = None) -> np.ndarray:
    data = image.GetPointData()
    array = data.GetArray(name) if name else data.GetArray(0)
    return vtk_to_numpy(array).reshape(image.GetDimensions()[::-1])


@pytest.mark.parametrize(
    ("name", "values", "spacing", "origin"),
    [
        ("plain.nii.gz", VALUES, SPACING, ORIGIN),
        ("scaled.nii", WHOLE * 0.5 + 10, SPACING, ORIGIN),
        ("plain.mrc", VALUES, SPACING, ORIGIN),
        ("turned.mrc", VALUES, SPACING, ORIGIN),
        ("imagej.tif", VALUES, SPACING, ZEROS),
        ("microscope.ome.tif", VALUES, SPACING, ZEROS),
        ("dicom", WHOLE.astype(np.int16) - 1000, SPACING, ORIGIN),
        ("png", WHOLE[:, ::-1], ONES, ZEROS),  # the last row is y = 0, as in ParaView
        ("plain.nc", VALUES, SPACING, ORIGIN),
        ("turned.nc", VALUES, SPACING, ORIGIN),
        ("attributes.h5", VALUES, SPACING, ZEROS),
        ("scales.h5", VALUES, SPACING, ORIGIN),
        ("labeled.zarr", VALUES, SPACING, ORIGIN),
        ("microscope.zarr", VALUES, SPACING, ORIGIN),
    ],
)
def test_an_image_has_values_spacing_and_origin(name, values, spacing, origin):
    image = io.read(FOREIGN / name)
    np.testing.assert_array_equal(values_of(image), values)
    assert image.GetSpacing() == pytest.approx(spacing)
    assert image.GetOrigin() == pytest.approx(origin)
    np.testing.assert_array_equal(direction_of(image), np.eye(3))


def test_a_rotated_nifti_has_its_direction():
    image = io.read(FOREIGN / "turned.nii.gz")
    np.testing.assert_array_equal(values_of(image), VALUES)
    assert (image.GetSpacing(), image.GetOrigin()) == (SPACING, ORIGIN)
    np.testing.assert_array_equal(direction_of(image), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_variables_of_netcdf_are_named_and_missing_values_are_nan():
    both = io.read(FOREIGN / "plain.nc", array="other")
    np.testing.assert_array_equal(values_of(both, "other"), -VALUES)
    for name in ("times.nc", "times4.nc"):
        first = values_of(io.read(FOREIGN / name))[0]
        assert np.argwhere(np.isnan(first)).tolist() == [[1, 2]], name
        np.testing.assert_allclose(first, np.where(np.isnan(first), first, VALUES[0]), atol=0.25)
    with pytest.raises(FileError, match=r"no variable 'b'; its variables: density, other\."):
        io.read(FOREIGN / "plain.nc", array="b")


def test_arrays_in_groups_are_named_and_chosen(tmp_path):
    both = io.read(FOREIGN / "microscope.zarr")
    np.testing.assert_array_equal(values_of(both, "dna"), -values_of(both, "actin"))
    unnamed = zarr.open_group(str(tmp_path / "axes.zarr"), mode="w")
    unnamed.create_array("a", shape=VALUES.shape, dtype=VALUES.dtype)[:] = VALUES
    np.testing.assert_array_equal(values_of(io.read(tmp_path / "axes.zarr")), VALUES)


def test_the_first_of_several_time_steps_of_a_single_voxel_is_read(tmp_path):
    root = zarr.open_group(tmp_path / "times.zarr", mode="w", zarr_format=2)
    place = [{"type": "scale", "scale": [1.0, 1.0, 1.0]}]
    levels = [{"path": "0", "coordinateTransformations": place}]
    axes = [{"name": name} for name in "tyx"]
    root.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": levels}]
    root.create_array("0", data=np.array([7, 8, 9], np.float32).reshape(3, 1, 1))
    with pytest.warns(FileWarning, match="the first of 3 time steps"):
        image = read_volume(tmp_path / "times.zarr")
    np.testing.assert_array_equal(values_of(image).reshape(-1), [7])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"], file["b/c"] = VALUES, VALUES[0]
        file["text"] = np.array([b"x"])
    np.testing.assert_array_equal(values_of(io.read(tmp_path / "a.h5")), VALUES)
    np.testing.assert_array_equal(values_of(io.read(tmp_path / "a.h5", array="b/c"))[0], VALUES[0])
    for shape in ((4, 5, 6, 1), (1, 4, 5, 6), (1, 4, 5, 6, 1)):
        with h5py.File(tmp_path / "ones.h5", "w") as file:
            file["a"] = VALUES.reshape(shape)
        np.testing.assert_array_equal(values_of(io.read(tmp_path / "ones.h5")), VALUES)
    with pytest.raises(FileError, match=r"a\.h5: contains no array 'd'; its arrays: a, b/c\."):
        io.read(tmp_path / "a.h5", array="d")
    with h5py.File(tmp_path / "a.h5", "a") as file:
        file["d"] = VALUES[1:]
        file.create_dataset("giant", (1 << 20, 1 << 20, 1 << 20), "f8", chunks=(64, 64, 64))
    with pytest.raises(FileError, match=r"several shapes\. Choose .* among a, b/c, d, g"):
        io.read(tmp_path / "a.h5")
    with pytest.raises(FileError, match=r"declares shape .* but contains only .*\. Choose another"):
        io.read(tmp_path / "a.h5", array="giant")


def test_large_arrays_are_copied_to_a_scratch_folder_layer_by_layer(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix_vtk.io.stored_arrays.MANY", 10)
    monkeypatch.setattr("separatrix_vtk.io.stored_arrays.READ_BYTES", 50)
    for path in (FOREIGN / "scales.h5", FOREIGN / "microscope.zarr", FOREIGN / "labeled.zarr"):
        whole, copied = (read_volume(path, scratch=folder) for folder in (None, str(tmp_path)))
        assert copied.GetBounds() == whole.GetBounds()
        data = whole.GetPointData()
        for name in map(data.GetArrayName, range(data.GetNumberOfArrays())):
            expected, found = values_of(whole, name), values_of(copied, name)
            np.testing.assert_array_equal(found, expected)
            base = found
            while isinstance(base, np.ndarray):
                base = base.base
            assert not isinstance(base, np.ndarray)
        assert not any(tmp_path.iterdir())  # the files have no names


@pytest.mark.parametrize("name", ["two.msh", "two.mesh", "two.inp"])
def test_meshes_of_other_programs_are_read(name):
    mesh = io.read(FOREIGN / name, array="z")
    assert mesh.IsA("vtkUnstructuredGrid")
    assert [mesh.GetCellType(i) for i in range(mesh.GetNumberOfCells())] == [VTK_TETRA] * 2
    points = vtk_to_numpy(mesh.GetPoints().GetData())
    np.testing.assert_array_equal(points[4], [1, 2, 3])
    ids = mesh.GetCell(1).GetPointIds()
    assert [ids.GetId(i) for i in range(4)] == [1, 2, 3, 4]
    assert mesh.GetPointData().GetArray("z").GetValue(3) == 3
    height = mesh.GetPointData().GetArray("height")
    assert name != "two.msh" or vtk_to_numpy(height).tolist() == [0, 1, 0, 3, 4]


def test_a_cell_type_that_cannot_be_converted_is_named(tmp_path):
    cubic = meshio.Mesh(np.random.default_rng(0).random((20, 3)), [("tetra20", [range(20)])])
    cubic.write(tmp_path / "cubic.msh", file_format="gmsh")
    with pytest.raises(FileError, match="contains cells of type tetra20, which cannot be conv"):
        io.read(tmp_path / "cubic.msh")


@pytest.mark.parametrize(
    ("name", "path"), [("h5py", "scales.h5"), ("zarr", "labeled.zarr"), ("meshio", "two.inp")]
)
def test_a_missing_library_is_named_with_its_installation(monkeypatch, name, path):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "separatrix_vtk.paraview", raising=False)
    message = f"requires {name}, which is not installed. Run `pip install 'separatrix[files]'`."
    with pytest.raises(FileError, match=re.escape(message)):
        io.read(FOREIGN / path)
    monkeypatch.setitem(sys.modules, "separatrix_vtk.paraview", ModuleType("paraview"))
    with pytest.raises(FileError, match=rf"requires {name}, .* Run `.*{name}` and start again\."):
        io.read(FOREIGN / path)


def test_a_library_that_another_one_in_the_process_breaks_is_a_sentence(monkeypatch):
    def import_module(name):
        if name == "h5py":
            raise ValueError("Not a datatype (not a datatype)")
        return __import__(name, fromlist=["_"])

    monkeypatch.setattr("importlib.import_module", import_module)
    with pytest.raises(FileError, match=r"h5py cannot be used in this program \(Not a datatype"):
        io.read(FOREIGN / "scales.h5")
    assert io.read(FOREIGN / "times4.nc").GetNumberOfPoints()  # which VTK reads


def test_grids_pieces_and_vtkhdf_are_read_as_vtk_writes_them(tmp_path):
    image = pyvista.ImageData(dimensions=(6, 5, 4), spacing=SPACING, origin=ORIGIN)
    image["density"] = VALUES.ravel()
    writer = vtkXMLPImageDataWriter()
    writer.SetInputData(image)
    writer.SetFileName(str(tmp_path / "a.pvti"))
    writer.SetNumberOfPieces(2)
    writer.SetEndPiece(1)
    writer.Write()
    image.cast_to_rectilinear_grid().save(tmp_path / "a.vtr")
    image.cast_to_structured_grid().save(tmp_path / "a.vts")
    with h5py.File(tmp_path / "a.vtkhdf", "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"], root.attrs["Type"] = (1, 0), np.bytes_("ImageData")
        root.attrs["WholeExtent"], root.attrs["Direction"] = (0, 5, 0, 4, 0, 3), np.eye(3).ravel()
        root.attrs["Spacing"], root.attrs["Origin"] = SPACING, ORIGIN
        root.create_group("PointData")["density"] = VALUES
    for suffix in ("pvti", "vtr", "vts", "vtkhdf"):
        grid = io.read(tmp_path / f"a.{suffix}")
        assert grid.GetBounds() == pytest.approx(image.bounds), suffix
        np.testing.assert_array_equal(
            vtk_to_numpy(grid.GetPointData().GetArray("density")), VALUES.ravel()
        )
    index = (tmp_path / "a.pvti").read_text()
    (tmp_path / "b.pvti").write_text(re.sub('Source="[^"]*"', 'Source="../a_0.vti"', index))
    with pytest.raises(FileError, match=r"its data file \.\./a_0\.vti is outside of its folder"):
        io.read(tmp_path / "b.pvti")
    next(tmp_path.rglob("a_0.vti")).unlink()
    with pytest.raises(FileError, match="was not found"):
        io.read(tmp_path / "a.pvti")


def test_uneven_coordinates_give_a_rectilinear_grid():
    grid = io.read(FOREIGN / "uneven.nc")
    assert grid.IsA("vtkRectilinearGrid")
    x = vtk_to_numpy(grid.GetXCoordinates())
    np.testing.assert_array_equal(x, (4 + np.arange(6.0)) ** 2)


def test_a_stack_is_placed_by_options_and_other_files_are_not():
    image = io.read(FOREIGN / "png", spacing=SPACING, origin=ORIGIN)
    assert (image.GetSpacing(), image.GetOrigin()) == (SPACING, ORIGIN)
    with pytest.raises(FileError, match=r"\.mrc files contain spacing and origin\. Omit"):
        io.read(FOREIGN / "plain.mrc", spacing=SPACING)
    with pytest.raises(FileError, match="contains 4 channels besides a volume"):
        io.read(FOREIGN / "channels.tif")


def test_slices_of_two_series_are_not_one_volume(tmp_path):
    for i in range(4):
        shutil.copy(FOREIGN / "dicom" / f"{i}.dcm", tmp_path)
    shutil.copy(tmp_path / "0.dcm", tmp_path / "again.dcm")
    with pytest.raises(FileError, match="between its 5 slices are from 0 to 3; expected equal"):
        io.read(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="contains no slices: no DICOM files, and none of"):
        io.read(tmp_path / "empty")


def test_slices_need_no_suffix_and_compressed_ones_are_named(tmp_path):
    for file in (FOREIGN / "dicom").iterdir():
        shutil.copy(file, tmp_path / file.stem)
    np.testing.assert_array_equal(values_of(io.read(tmp_path)), WHOLE.astype(np.int16) - 1000)
    content = (tmp_path / "2").read_bytes()
    plain, jpeg = b"1.2.840.10008.1.2.1\0", b"1.2.840.10008.1.2.4."
    assert content.count(plain) == 1
    (tmp_path / "2").write_bytes(content.replace(plain, jpeg))
    with pytest.raises(FileError, match=r"/2: contains compressed pixels, which VTK does not"):
        io.read(tmp_path)


@pytest.mark.parametrize(
    "name", ["plain.nii.gz", "scaled.nii", "plain.mrc", "imagej.tif", "plain.nc", "scales.h5",
     "two.inp"],
)  # fmt: skip
@pytest.mark.parametrize("kept", [0, 3, 100, 0.5, 0.97])
def test_a_truncated_file_is_one_sentence(tmp_path, name, kept):
    content = (FOREIGN / name).read_bytes()
    (tmp_path / name).write_bytes(content[: int(kept if kept > 1 else kept * len(content))])
    with pytest.raises(FileError) as reported:
        io.read(tmp_path / name)
    text = str(reported.value)
    assert text.startswith(f"{tmp_path / name}: ")
    assert "\n" not in text
    assert len(text) < 400


@pytest.mark.parametrize(
    ("name", "library"), [("a.czi", "bioio"), ("a.mgz", "nibabel"), ("a.FITS", "astropy")]
)
def test_an_unknown_format_names_the_library_that_reads_it(name, library):
    with pytest.raises(FileError, match=rf"Read it with {library} \(pip install {library}\)"):
        io.read(name)
