"""Invalid command lines and input: a one-line error, an exit code, and no partial files."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData

from filters.meshes import boxes, grid_of
from separatrix_vtk.base.arrays import fill_polydata, to_vtk
from separatrix_vtk.cli import main
from separatrix_vtk.io.writers import write_dataset
from shell.command import assert_refused, files_in, refused, separatrix

POINTS = np.random.default_rng(6).random((20, 3))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)
ATOM = "ATOM      1  Q   UNK A   1       1.000   2.000   3.000  1.00  0.00           X\n"
CUBE = (
    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
    "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\n"
    "CELL_TYPES 1\n12\nPOINT_DATA 8\nSCALARS f float\nLOOKUP_TABLE default\n0 1 2 3 4 5 6 7\n"
)
TEXTS = {
    "a.point_cloud": "0 1\n2 3\n",
    "blocks": "a file in the place of the folder",
    "named.csv": "x,y,z,name\n1,2,3,a\n4,5,6,b\n",
    "other.csv": "a,b\n1,2\n",
    "hole.csv": "x,y,z\n1,2,3\n4,5,\n",
    "comma.csv": "x;y;z\n1,5;2;3\n",
    "points.csv.gz": "",
    "unknown.pdb": ATOM,
    "a.pdb": ATOM.replace(" X\n", " C\n"),
    "plain.pdb.gz": ATOM,
}
"""Small files of the folder, by name."""


@pytest.fixture
def many_files(folder):
    """The current folder with images, points, distances, a mesh, and atoms."""
    arrays = {
        "points": POINTS,
        "few": POINTS[:5],
        "one": POINTS[:1],
        "scalar": np.zeros(4),
        "nan": np.array([[0.0, np.nan], [1.0, 2.0]]),
        "matrix": DISTANCES,
        "picture": np.arange(42, dtype=np.int32).reshape(6, 7),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    (folder / "folder.vti").mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    np.savetxt(folder / "a.csv", POINTS, delimiter=",")
    np.savetxt(folder / "distances.csv", DISTANCES, delimiter=",")
    np.savetxt(folder / "balls.csv", np.c_[POINTS, np.full(20, 0.3)], delimiter=",")
    write_dataset(folder / "box.vtu", grid_of(*boxes(3)))
    (folder / "cube.vtk").write_text(CUBE)
    image, atoms = vtkImageData(), vtkPolyData()
    image.SetDimensions(3, 3, 3)
    image.GetPointData().SetScalars(to_vtk(np.ones((27, 3)), "rgb"))
    image.GetPointData().AddArray(to_vtk(np.arange(27.0), "grau wert"))
    write_dataset(folder / "image.vti", image)
    (folder / "a.raw").write_bytes(b"")
    fill_polydata(atoms, 20 * POINTS, vertices=True)
    atoms.GetPointData().AddArray(to_vtk(np.zeros(20, np.int32), "atom_type"))
    write_dataset(folder / "unknown.vtp", atoms)
    return folder


REFUSED = {
    "morse-smale nothing.npy": "nothing.npy: file not found.",
    "morse-smale field.npy o.stl": "o.stl: cannot write '.stl' files; expected one of .csv, .npz, ",
    "morse-smale field.npy .vtp": ".vtp: has no suffix; expected one of .csv, .npz, .vti, ",
    "morse-smale field.npy o.vtm --port graph": "--port and .vtm files cannot be combined",
    "morse-smale field.npy o.vtp --port segmentation": "--port must be one of separatrices-1, "
    "critical-points, separatrices-2, graph for a .vtp file; got 'segmentation'.",
    "morse-smale field.npy --port graph": "--port graph requires an output file.",
    "morse-smale field.npy --surfaces": "--surfaces requires an output file.",
    "morse-smale field.npy no/where/o.vtm": "the folder {folder}/no/where does not exist",
    "morse-smale field.npy --spacing 1": "--spacing must be three finite numbers, or two for an ",
    "morse-smale field.npy --origin 1,2": "field.npy: --origin must be three numbers for a volume;",
    "morse-smale field.npy --spacing 1,0,1": "spacing must be positive",
    "morse-smale a.raw": "a.raw: .raw files do not store their layout. Specify --dims.",
    "morse-smale field.npy --dims 1,2,x": "--dims must be two or three positive integers, as "
    "64,64,64 or 512x512; got '1,2,x'.",
    "morse-smale field.npy --dims 1,2,0": "--dims must be two or three positive integers",
    "morse-smale field.npy --dims 7": "--dims must be two or three positive integers",
    "morse-smale field.npy --persistence x": "--persistence must be a non-negative number or a "
    "percentage; got 'x'.",
    "morse-smale field.npy --persistence=-1": "--persistence must be a non-negative number or a ",
    "morse-smale field.npy --persistence nan": "--persistence must be a non-negative number",
    "morse-smale field.npy --persistence 5 %": "Write 5% without a space",
    "morse-smale field.npy o.vtm --persistence 5 %": "Write 5% without a space",
    "morse-smale field.npy --persistence 120%": "--persistence must be 0% to 100%; got 120%.",
    "morse-smale field.npy --persistence 2 --relative": "--persistence must be a fraction from 0 "
    "to 1 if --relative; got 2.0. For a difference in value, omit --relative.",
    "simplify field.npy s.vti --persistence 500%": "--persistence must be 0% to 100%; got 500%.",
    "simplify field.npy s.vti --keep a.csv": "a.csv: --keep must be a .vtp or .vtu file of "
    "critical points, or of a persistence diagram, that Separatrix wrote.",
    "simplify field.npy s.vti --keep unknown.vtp": "unknown.vtp: --keep must be a .vtp or .vtu ",
    "simplify field.npy s.vti --keep none.vtp": "none.vtp: file not found.",
    "morse-smale field.npy --device gpu": "--device must be 'auto', 'cpu', 'cuda', or 'cuda:N'; ",
    "morse-smale field.npy --threads 2.5": "--threads must be an integer from 1 to 1,024; got ",
    "morse-smale field.npy --order plateaux": "--order must be 'index', 'plateau', or 'array'; got "
    "'plateaux'. Did you mean 'plateau'?",
    "morse-smale field.npy --memory-limit": "Option '--memory-limit' requires an argument. ",
    "morse-smale field.npy --quiet=1": "Option '--quiet' does not take a value. See ",
    "morse-smale field.npy o.vtm more.vtm": "more.vtm). See separatrix morse-smale --help.",
    "morse-smale": "Missing argument 'INPUT'. See separatrix morse-smale --help.",
    "morse-smale field.npy --devise cpu": "No such option: --devise",
    "morse-smale field.npy -z": "No such option: -z. See separatrix morse-smale --",
    "morse-smale field.npy --array x": "field.npy: .npy files contain one array without a name. ",
    "morse-smale field.npy folder.vti": "folder.vti: is a folder.",
    "morse-smale field.npy s.vtp -p separatrices-2 --no-surfaces": "s.vtp would be empty, because "
    "separatrices-2 is disabled.",
    "morse-smale field.npy s.vtp --no-separatrices": "because separatrices-1 is disabled.",
    "morse-smale field.npy s.vti --no-segmentation": "because segmentation is disabled.",
    "morse-smale field.npy s.vtp -p graph --no-graph": "because graph is disabled.",
    "morse-smale field.npy o.csv --simplified-field --persistence 5%": ", but --simplified-field "
    "applies to segmentation. Write it to a separate file (",
    "morse-smale field.npy o.csv --surfaces": ", but --surfaces applies to separatrices-2. Write ",
    "morse-smale field.npy o.vtp -p graph --smooth 3": ", but --smooth applies to separatrices-1.",
    "morse-smale field.npy o.csv --regions morse_smale --surfaces": ", but --surfaces applies to ",
    "morse-smale field.npy o.vtp --top-cell-labels": ", but --top-cell-labels applies to segmenta",
    "morse-smale picture.npy o.vtp -p separatrices-2": "--port separatrices-2 requires a volume, "
    "but the input is an image of 7 x 6 x 1 points. Omit it.",
    "morse-smale picture.npy o.vtm --surfaces": "--surfaces requires a volume, but the input is ",
    "morse-smale picture.npy o.npz --surfaces": "--surfaces requires a volume, but the input is ",
    "morse-smale field.npy blocks.vtm": "blocks: is a file; expected a folder for the pieces of "
    "blocks.vtm. Remove it.",
    "morse-smale nan.npy": "values must be finite; got values[0, 0, 1] = nan (1 invalid value). ",
    "morse-smale nan.npy o.vtm": "values must be finite; got values[0, 0, 1] = nan",
    "morse-smale nan.npy o.npz": "values must be finite; got values[0, 0, 1] = nan",
    "morse-smale box.vtu -a q": "The point or cell array 'q' was not found",
    "morse-smale cube.vtk": "All cells must be tetrahedra; got 1 other cell (1 vtkHexahedron). "
    "Set --tetrahedralize.",
    "morse-smale box.vtu o.vti": "o.vti: .vti files contain images; got vtkUnstructuredGrid. ",
    "critical-points image.vti": "Choose 'grau wert' as --array, or reduce it to one beforehand.",
    "persistence-diagram field.npy o.csv --curves -p diagram": "--curves and --port diagram cannot "
    "be combined. Omit one of them.",
    "persistence-diagram field.npy o.vtu --curves": "--port must be one of diagram for a .vtu ",
    "persistence-diagram field.npy --dimensions 0;2": "must be one or several of 0, 1, "
    "and 2, such as 0,2; got '0;2'.",
    "persistence-diagram field.npy --dimensions 3": "--dimensions must be one or several of 0, 1, ",
    "persistence-diagram field.npy --dimensions 0,,1": "--dimensions must be one or several of 0, ",
    "persistence-diagram picture.npy --dimensions 2": "--dimensions must be at most 1 for an image",
    "relations box.vtu r.npz": "r.npz contains relations. Name some with --relation",
    "relations box.vtu r.npz -r XY": "must be some of VV VE VF VT EV",
    "relations box.vtu r.csv -r VV,VT": "a .csv file contains one relation",
    "relations box.vtu r.csv -r ,": "r.csv contains relations. Name some",
    "relations box.vtu m.vtp": "this mesh requires a .vtu file. Name one, or choose",
    "rips a.csv --format cloud": "--format must be 'auto', 'point-cloud', 'distance', ",
    "rips a.csv --modulus 4": "--modulus must be a prime",
    "rips a.csv a.csv": "a.csv: is the input. Choose another name",
    "rips a.csv --points --distances": "--points and --distances cannot be combined.",
    "rips a.point_cloud --distances": "--distances is for .npy and .csv files",
    "rips a.csv --distances": "a.csv: contains shape (20, 3); expected a square matrix.",
    "rips a.csv b.csv --representatives 3": "--representatives requires a .vtm or .npz file",
    "rips a.csv --representatives 3": "--representatives requires a .vtm or .npz file",
    "rips matrix.npy b.vtp --port representatives": "matrix.npy: distances do not contain positio",
    "rips -": "-: the format is not clear from the name. Set --format to one of",
    "rips a.csv --ratio 0.5": "--ratio must be a number of at least 1",
    "rips a.csv --max-dimension 2 --work-limit 20": "The estimated number of simplices is",
    "rips named.csv": "'a' is not a number in row 1 of column 'name'; every column must be a ",
    "rips image.vti": "contains an image or a mesh; expected points or distances. For persistence "
    "of a field, use persistence-diagram.",
    "alpha balls.csv --alpha x": "one or several squared lengths, such as --alpha 0 1.4; got 'x'",
    "alpha balls.csv --alpha nan": "--alpha must be one or several squared lengths",
    "alpha balls.csv --constant-radius 1 --radii a3": "--constant-radius and --radii cannot be ",
    "alpha balls.csv --radii a3 --weights a3": "--radii and --weights cannot be combined. ",
    "alpha balls.csv --radii r": "The point array 'r' was not found; available: ",
    "alpha balls.csv --radii a3 --box-source cell": "The field data do not contain an array 'Cell' "
    "of six numbers. Use a molecule file that states the cell, or set --box.",
    "alpha balls.csv --radii a3 --box 9,9,9,30,30,100": "--box must be a box with a volume; got ",
    "alpha balls.csv --constant-radius 0": "--constant-radius must be a positive number; got '0'.",
    "alpha balls.csv --radii a3 --method local --work-limit 1": "--work-limit allows 1 test and ",
    "alpha balls.csv o.vtu --port atoms": "--port must be one of complex, diagram, barcode for a",
    "alpha balls.csv o.vtp --pockets --diagram": "contains only pockets, but --diagram applies to",
    "alpha balls.csv --atoms FE=2": "balls.csv: --atoms FE=2 is for molecule files only.",
    "alpha balls.csv --radii a3 --pockets --largest-alpha -1": "--largest-alpha must be greater "
    "than --alpha (0) for pockets; got -1.0.",
    "alpha unknown.pdb": "Exclude these atoms or set --atoms X=1.7 to assign a radius.",
    "alpha unknown.vtp": "Remove these atoms or set --radius-overrides X=1.7 to assign",
    "density points.stl": "points.stl: unsupported file type '.stl'; expected points in one",
    "density points.npy d.vtp": "d.vtp: cannot write '.vtp' files; expected one of .npz, .vti",
    "density points.npy --dimensions 3,0": "--dimensions must be two or three positive integers",
    "density points.npy --dimensions 3x3": "--dimensions must be three positive integers; got",
    "density points.npy --spacing 1e-5": "Increase --spacing",
    "density scalar.npy": "scalar.npy: contains float64 of shape (4,); expected real numbers",
    "density hole.csv": "hole.csv: coordinates must be numbers; got '' in row 2 of column 'z'",
    "density comma.csv": "coordinates must be numbers; got '1,5' in row 1 of column 'x'",
    "density a.pdb --atoms ligands": "--atoms must be a list of hetatm, water, no-hyd",
    "density a.pdb --atoms C=fat": "'fat' is not a number.",
    "density plain.pdb.gz": "plain.pdb.gz: not compressed with gzip, or damaged.",
    "neighbors points.npy --kind maxima": "--kind requires --critical-points-file.",
    "neighbors points.npy n.vtu": "n.vtu: .vtu files contain meshes; got vtkPolyData. Write .vtp.",
    "neighbors distances.csv": "20 columns without names. Add a first line with the names of the "
    "columns, of which x, y, and z are the coordinates, or set --columns.",
    "neighbors other.csv": "available: a, b. Rename columns, or set --columns.",
    "neighbors points.csv.gz": "points.csv.gz: not compressed with gzip, or damaged.",
    "neighbors other.csv --columns a,c": "--columns must be some of a, b, or numbers from 1 to 2; "
    "got 'c'.",
    "neighbors points.npy --columns 1,2": "--columns is for .csv files only.",
    "neighbors few.npy -k 8": "--neighbors must be at most 4, the number of other points; got 8.",
    "neighbors one.npy": "one.npy contains a single point, which has no neighbors",
    "--verison": "No such option: --verison",
}
DONE = (
    "rips distances.csv",
    "neighbors balls.csv",
    "neighbors few.npy",
    "neighbors few.npy -k 4",
    "persistence-diagram picture.npy d.csv --dimensions 1,2",
    "alpha unknown.pdb --atoms X=1.7",
    "alpha unknown.vtp --constant-radius 0.1",
    "alpha balls.csv --radii a3",
    "critical-points picture.npy points.vtm",
)
"""Command lines with what the sentences above suggest."""


@pytest.mark.parametrize("line", REFUSED)
def test_an_invalid_command_line_is_rejected_with_one_sentence(many_files, line):
    assert_refused(line, REFUSED[line], many_files)


@pytest.mark.parametrize("line", DONE)
def test_the_suggested_remedies_work(many_files, line, capsys):
    assert main(line.split()) == 0
    assert capsys.readouterr().err == ""


def test_the_suggested_array_can_be_chosen(many_files, capsys):
    assert main(["critical-points", "image.vti", "--array", "grau wert"]) == 0
    assert capsys.readouterr().err == ""


def test_a_warning_names_no_filter_of_paraview(folder):
    field = np.random.default_rng(1).random((5, 5, 5))
    field[:, :, -1] = field[:, :, 0]
    np.save(folder / "periodic.npy", field)
    done = separatrix("critical-points", "periodic.npy", "--periodic", "x", folder=folder)
    assert done.stderr == (
        "separatrix: warning: The first and the last points along x have equal values: if the last "
        "repeat the first, one period later, remove them from the file.\n"
    )


def test_an_unknown_array_is_rejected_with_the_available_ones(folder):
    assert separatrix("morse-smale", "field.npy", "a.vti", folder=folder).returncode == 0
    sentence = (
        "The point or cell array 'density' was not found; available: point arrays Scalars, "
        "DescendingManifold, AscendingManifold, MorseSmaleManifold; cell arrays none."
    )
    for output in ((), ("b.vtm",)):
        done = separatrix("morse-smale", "a.vti", *output, "-a", "density", folder=folder)
        assert refused(done) == sentence
    assert separatrix("morse-smale", "a.vti", "-a", "Scalars", folder=folder).returncode == 0


def test_a_truncated_file_is_rejected_without_messages_of_vtk(folder):
    separatrix("morse-smale", "field.npy", "a.vti", folder=folder)
    content = (folder / "a.vti").read_bytes()
    (folder / "a.vti").write_bytes(content[:-200])
    reported = refused(separatrix("morse-smale", "a.vti", "b.vtm", folder=folder))
    assert reported.startswith("a.vti: truncated or damaged (")
    assert files_in(folder) == ["a.vti", "field.npy"]


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_cli_extra_the_error_names_the_command_to_install_it(folder, module):
    done = separatrix("morse-smale", "field.npy", folder=folder, without=module)
    if module == "rich" and done.returncode == 0:
        return  # rich only draws the bar on a terminal
    assert refused(done, 3) == (
        f"{module} is not installed; the command line requires it. Run pip install "
        "'separatrix[cli]'."
    )


def test_without_vtk_the_error_names_the_command_to_install_it(folder):
    for arguments in (("field.npy",), ("field.npy", "out.vtm"), ("field.npy", "out.npz")):
        done = separatrix("morse-smale", *arguments, folder=folder, without="vtkmodules")
        assert refused(done, 3) == (
            "VTK is not installed, and every command that computes needs it. Run pip install "
            "'separatrix[vtk]' in an environment that is not ParaView's."
        )
    assert separatrix("devices", folder=folder, without="vtkmodules").returncode == 0
    assert separatrix("cite", "rips", folder=folder, without="vtkmodules").returncode == 0


def test_a_read_only_folder_is_rejected_before_the_computation(folder):
    locked = folder / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    try:
        (locked / "probe").write_text("")
    except OSError:
        done = separatrix("morse-smale", "field.npy", "locked/out.vtm", folder=folder)
        assert "is not writable" in refused(done)
    else:
        pytest.skip("this user may write everywhere")
    finally:
        locked.chmod(0o700)


def test_a_full_standard_output_is_rejected_with_one_sentence(folder):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    code = "import sys; from separatrix_vtk.cli import main; sys.exit(main(sys.argv[1:]))"
    for arguments in (("critical-points", "field.npy"), ("devices",), ("--version",)):
        with full.open("w") as out:
            done = subprocess.run(
                [sys.executable, "-c", code, *arguments],
                cwd=folder,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=100,
            )
        assert done.returncode == 3
        assert done.stderr == "separatrix: standard output: No space left on device\n"


@pytest.mark.parametrize("name", ["data.vti", "link.vti"])
def test_the_input_is_never_the_output(folder, name):
    assert separatrix("morse-smale", "field.npy", "data.vti", folder=folder).returncode == 0
    (folder / "link.vti").symlink_to("data.vti")
    before = (folder / "data.vti").read_bytes()
    reported = refused(separatrix("morse-smale", "data.vti", name, folder=folder))
    assert reported == f"{name}: is the input. Choose another name for the output."
    assert (folder / "data.vti").read_bytes() == before


def test_missing_kernels_are_reported_with_the_command_to_build_them(folder):
    nowhere = {"SEPARATRIX_LIBRARY": "/nonexistent.so"}
    reported = refused(separatrix("morse-smale", "field.npy", folder=folder, **nowhere), 3)
    assert "/nonexistent.so" in reported
    assert "engine/build_kernels.py" in reported
