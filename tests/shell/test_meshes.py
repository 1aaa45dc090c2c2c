"""Meshes in the shell: files of each kind, `relations`, and errors."""

import json

import numpy as np
import pytest
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkIOGeometry import vtkOBJWriter, vtkSTLWriter
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter
from vtkmodules.vtkIOPLY import vtkPLYWriter
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

import separatrix as sx
from filters.meshes import boxes, grid_of, named
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.vtk_files import read_mesh
from separatrix_vtk.io.writers import write_dataset
from shell.command import refused, separatrix

POINTS, TETS, VALUES = boxes(3)
SURFACES = {
    ".vtp": vtkXMLPolyDataWriter, ".stl": vtkSTLWriter, ".ply": vtkPLYWriter, ".obj": vtkOBJWriter
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    write_dataset(tmp_path / "box.vtu", grid_of(POINTS, TETS, VALUES))
    writer = vtkUnstructuredGridWriter()
    writer.SetFileName(str(tmp_path / "box.vtk"))
    writer.SetInputData(grid_of(POINTS, TETS, VALUES))
    writer.Write()
    return tmp_path


@pytest.mark.parametrize("suffix", SURFACES)
def test_surfaces_are_read_from_each_kind_of_file(suffix, tmp_path):
    source = vtkSphereSource()
    source.Update()
    path = tmp_path / f"ball{suffix}"
    writer = SURFACES[suffix]()
    writer.SetFileName(str(path))
    writer.SetInputData(source.GetOutput())
    writer.Write()
    mesh = read_mesh(path, "z")
    assert mesh.GetNumberOfCells() == 96
    assert mesh.GetPointData().HasArray("z")


def test_a_file_without_a_mesh_is_rejected(tmp_path):
    with pytest.raises(FileError, match=r"unsupported file type '\.what'; expected one of \.vtu"):
        read_mesh(tmp_path / "a.what")
    with pytest.raises(FileError, match="file not found"):
        read_mesh(tmp_path / "a.vtu")
    (tmp_path / "a.vtk").write_text("no mesh")
    with pytest.raises(FileError, match=r"a\.vtk: "):
        read_mesh(tmp_path / "a.vtk")


def test_relations_are_written_and_counted(folder):
    done = separatrix("relations", "box.vtu", "r.npz", "-r", "VV,FT", "--json", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["tetrahedra"] == len(TETS)
    with np.load(folder / "r.npz") as arrays:
        rows = sx.TetMesh(POINTS, TETS, device="cpu").relation("VV").to_csr()
        np.testing.assert_array_equal(arrays["VV_Offsets"], rows.offsets)
        np.testing.assert_array_equal(arrays["VV_Items"], rows.items)
        assert len(arrays["FT_Items"]) == 4 * len(TETS)


def test_the_size_of_a_mesh_and_its_degenerate_points_are_printed(folder):
    done = separatrix("morse-smale", "box.vtk", folder=folder)
    assert f"64 points, {len(TETS)} tetrahedra" in done.stdout
    done = separatrix("critical-points", "box.vtu", "--method", "link", folder=folder)
    assert "degenerate" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("relations", "ghost.vtu"),
        ("morse-smale", "ghost.vtu"),
        ("critical-points", "ghost.vtu", "p.csv"),
    ],
)
def test_omitted_cells_issue_one_warning(folder, arguments):
    grid = grid_of(POINTS, TETS, VALUES)
    ghosts = np.zeros(len(TETS), np.uint8)
    ghosts[3] = 1
    grid.GetCellData().AddArray(named(ghosts, "vtkGhostType"))
    write_dataset(folder / "ghost.vtu", grid)
    done = separatrix(*arguments, "--json", folder=folder)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "separatrix: warning: 1 ghost cells were ignored, because another "
    )
    [warning] = json.loads(done.stdout)["warnings"]
    assert f"separatrix: warning: {warning}\n" == done.stderr
    done = separatrix(*arguments, "--quiet", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_groups_of_an_obj_file_are_not_a_field(tmp_path):
    text = "g one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\ng two\nf 2 4 3\n"
    (tmp_path / "a.obj").write_text(text)
    mesh = read_mesh(tmp_path / "a.obj")
    assert mesh.GetCellData().GetNumberOfArrays() == 0
    reported = refused(separatrix("critical-points", "a.obj", folder=tmp_path))
    assert reported == "a.obj: contains no scalar field. Of a mesh, use --array x, y, or z."
