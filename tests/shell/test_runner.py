"""Commands write the outputs of the filter, array by array, to every kind of file."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from filters.meshes import boxes, grid_of
from separatrix_vtk.cli import main
from separatrix_vtk.cli.arrays import arrays_of
from separatrix_vtk.cli.commands import COMMANDS
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.tables import as_polydata, columns_of
from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.vtk_files import read_mesh
from separatrix_vtk.io.writers import VTK_FILES, write_dataset
from shell.command import noise, read

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
COMPLEX, ALPHA = "MorseSmaleComplex", "AlphaComplex"
SURFACES = {"compute_ascending_separatrices_2": True, "compute_descending_separatrices_2": True}
NO_LINES = {"compute_ascending_separatrices_1": False, "compute_descending_separatrices_1": False}
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("morse-smale field.npy", COMPLEX, {}),
    (
        "morse-smale field.npy --persistence 10% --surfaces --regions ascending",
        COMPLEX,
        {"persistence": 0.1, "relative": True, "region_table": "ascending", **SURFACES},
    ),
    (
        "morse-smale field.npy --persistence 20 --simplified-field --smooth 3 --top-cell-labels",
        COMPLEX,
        {
            "persistence": 20.0,
            "compute_simplified_field": True,
            "smoothing_iterations": 3,
            "compute_top_cell_labels": True,
        },
    ),
    (
        "morse-smale field.npy --no-connectors --no-critical-points",
        COMPLEX,
        {"compute_saddle_connectors": False, "compute_critical_points": False},
    ),
    ("morse-smale field.npy --no-separatrices --connectors", COMPLEX, NO_LINES),
    ("morse-smale box.vtu --surfaces", COMPLEX, SURFACES),
    (
        "persistence-diagram field.npy --dimensions 0,2 --zero-persistence",
        "PersistenceDiagram",
        {"compute_dimension_1": False, "show_zero_persistence": True},
    ),
    (
        "persistence-diagram field.npy --inside-domain",
        "PersistenceDiagram",
        {"show_inside_domain": True},
    ),
    ("critical-points field.npy", "CriticalPoints", {}),
    ("critical-points field.npy --periodic xyz", "CriticalPoints", {"periodic": "xyz"}),
    ("critical-points box.vtu", "CriticalPoints", {}),
    ("discrete-gradient field.npy --stride 2", "DiscreteGradient", {"stride": 2}),
    (
        "simplify field.npy --persistence 5%",
        "TopologicalSimplification",
        {"persistence": 0.05, "relative": True},
    ),
    ("relations ring.vtu", "MeshRelations", {"compute_edges": True, "compute_triangles": True}),
    ("rips points.npy --max-dimension 2", "RipsBarcodes", {"max_dimension": 2}),
    (
        "alpha 1crn.pdb --probe 1.4 --pockets --diagram",
        ALPHA,
        {"probe": 1.4, "compute_pockets": True, "compute_diagram": True},
    ),
    (
        "density 1crn.pdb --sigma 1.2 --spacing 0.6 --weights atom_type --gradient",
        "PointDensity",
        {"sigma": 1.2, "spacing": 0.6, "weights": "atom_type", "compute_gradient": True},
    ),
    (
        "neighbors points.npy -k 3 --radius 0.5 --all-neighbors",
        "NeighborStatistics",
        {"number_of_neighbors": 3, "radius": 0.5, "all_neighbors": True},
    ),
    ("delaunay 1crn.pdb --weights b_factor", "Delaunay", {"weights": "b_factor"}),
]
ALONE: dict[str, tuple[str, dict[str, Any]]] = {
    "morse-smale field.npy": (COMPLEX, {"region_table": "morse_smale", **SURFACES}),
    "morse-smale box.vtu": (COMPLEX, {"region_table": "morse_smale", **SURFACES}),
    "persistence-diagram field.npy": ("PersistenceDiagram", {}),
    "critical-points box.vtu": ("CriticalPoints", {}),
    "discrete-gradient field.npy": ("DiscreteGradient", {}),
    "simplify field.npy": ("TopologicalSimplification", {}),
    "relations ring.vtu": ("MeshRelations", {"compute_edges": True, "compute_triangles": True}),
    "rips points.npy": ("RipsBarcodes", {"number_of_representatives": 10}),
    "alpha 1crn.pdb": (ALPHA, {}),
    "density 1crn.pdb": ("PointDensity", {}),
    "neighbors points.npy": ("NeighborStatistics", {}),
    "delaunay points.npy": ("Delaunay", {}),
}
"""Commands, and the filter with all ports: --port alone enables a port."""
OTHERS = (
    *("relations relations", "relations mesh"),
    *("alpha pockets", "alpha diagram", "alpha barcode"),
)
"""Ports with files of a layout of their own, and ports that add numbers to the field data."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("field.npy", noise(5, 6, 7))
    np.save("points.npy", np.random.default_rng(3).random((25, 3)))
    write_dataset(tmp_path / "box.vtu", grid_of(*boxes(3)))
    for sample in ("ring.vtu", "1crn.pdb"):
        (tmp_path / sample).symlink_to(SAMPLES / sample)
    return tmp_path


def dataset_of(name: str) -> Any:
    """The dataset that the filter gets."""
    if name == "field.npy":
        return read_volume(Path(name))
    return read_mesh(Path(name)) if name.endswith(".vtu") else read_points(Path(name))[0]


@pytest.mark.parametrize(("line", "name", "options"), RUNS, ids=[line for line, *_ in RUNS])
def test_every_file_of_a_command_contains_the_outputs_of_the_filter(
    line, name, options, folder, capsys
):
    command, input, *words = line.split()
    filter = getattr(separatrix_vtk, name)(**options)
    outputs = filter.run(dataset_of(input))
    ports = COMMANDS[command].ports

    def write(*output):
        assert main([command, input, *output, *words]) == 0, capsys.readouterr().err

    if command != "relations":  # which writes relations as a .npz file of another layout
        write("all.npz")
        expected = {port: outputs[one.number] for port, one in ports.items()}
        with np.load("all.npz") as arrays:
            check_equal(arrays, arrays_of(expected if len(expected) > 1 else {"": outputs[0]}))
    if len(filter.OUTPUTS) > 1:
        write("all.vtm")
        check_blocks(filter, outputs)


@pytest.mark.parametrize("line", ALONE)
def test_a_file_of_one_port_contains_the_output_of_the_filter(line, folder, capsys):
    (command, input), (name, options) = line.split(), ALONE[line]
    outputs = getattr(separatrix_vtk, name)(**options).run(dataset_of(input))
    for port, one in COMMANDS[command].ports.items():
        for suffix in one.suffixes:
            dataset, kind = outputs[one.number], VTK_FILES.get(suffix, ("vtkDataObject",))[0]
            fits = suffix == ".vtp" or dataset.IsA(kind)  # diagrams are polydata in .vtp files
            if fits and f"{command} {port}" not in OTHERS:
                arguments = [command, input, f"one{suffix}", "--port", port]
                assert main(arguments) == 0, capsys.readouterr().err
                check_file(Path(f"one{suffix}"), dataset)


def check_file(path: Path, dataset: Any) -> None:
    """Compare a file of one port with its dataset."""
    if path.suffix == ".vtp" and not dataset.IsA("vtkPolyData"):
        dataset = as_polydata(dataset)
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        expected = columns_of(dataset)
        columns = zip(rows[0], zip(*rows[1:], strict=True), strict=True)
        check_equal({k: np.array(v).astype(expected[k].dtype) for k, v in columns}, expected)
    elif path.suffix == ".npz":
        with np.load(path) as arrays:
            check_equal(arrays, arrays_of({"": dataset}))
    else:
        check_equal(arrays_of({"": read(path)}), arrays_of({"": dataset}))


def check_blocks(filter: Any, outputs: list[Any]) -> None:
    """Compare the blocks of all.vtm with the outputs, except tables, which are not blocks."""
    blocks = read(Path("all.vtm"))
    for number, ((name, _), output) in enumerate(zip(filter.OUTPUTS, outputs, strict=True)):
        if output.IsA("vtkTable"):
            continue
        assert blocks.GetMetaData(number).Get(blocks.NAME()) == name
        check_equal(arrays_of({"": blocks.GetBlock(number)}), arrays_of({"": output}))


def check_equal(found: Any, expected: dict[str, np.ndarray]) -> None:
    """Assert that names and arrays are equal."""
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        if (found[name] == -1).all() and name == "ManifoldSize":  # of labels, another port
            continue
        np.testing.assert_array_equal(found[name], values, err_msg=name)
        assert found[name].dtype == values.dtype, name
