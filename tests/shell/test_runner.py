"""What a command writes is what the filter computes, array by array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from separatrix_vtk.cli import main
from separatrix_vtk.cli.arrays import arrays_of
from separatrix_vtk.cli.command import COMMANDS
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.vtk_files import read_mesh
from shell.command import noise, read

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "morse-smale": (
        "field.npy --persistence 10% --surfaces --regions ascending",
        "MorseSmaleComplex",
        {
            "persistence": 0.1,
            "relative": True,
            "compute_ascending_separatrices_2": True,
            "compute_descending_separatrices_2": True,
            "region_table": "ascending",
        },
    ),
    "persistence-diagram": (
        "field.npy --dimensions 0,2 --zero-persistence",
        "PersistenceDiagram",
        {"compute_dimension_1": False, "show_zero_persistence": True},
    ),
    "critical-points": ("field.npy", "CriticalPoints", {}),
    "discrete-gradient": ("field.npy --stride 2", "DiscreteGradient", {"stride": 2}),
    "relations": (
        "ring.vtu",
        "MeshRelations",
        {"compute_edges": True, "compute_triangles": True},
    ),
    "rips": ("points.npy --max-dimension 2", "RipsBarcodes", {"max_dimension": 2}),
    "alpha": (
        "1crn.pdb --probe 1.4 --pockets --diagram",
        "AlphaComplex",
        {"probe": 1.4, "compute_pockets": True, "compute_diagram": True},
    ),
    "density": ("points.npy --sigma 0.4 --gradient", "PointDensity", {
        "sigma": 0.4, "compute_gradient": True,
    }),
    "neighbors": ("points.npy -k 3 --radius 0.5", "NeighborStatistics", {
        "number_of_neighbors": 3, "radius": 0.5,
    }),
}  # fmt: skip


def dataset_of(name: str) -> Any:
    """The dataset that the filter gets."""
    if name == "field.npy":
        return read_volume(Path(name))
    return read_mesh(Path(name)) if name == "ring.vtu" else read_points(Path(name))[0]


@pytest.mark.parametrize("command", RUNS)
def test_a_file_of_arrays_contains_the_outputs_of_the_filter(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    monkeypatch.chdir(tmp_path)
    np.save("field.npy", noise(5, 6, 7))
    np.save("points.npy", np.random.default_rng(3).random((25, 3)))
    for sample in ("ring.vtu", "1crn.pdb"):
        (tmp_path / sample).symlink_to(SAMPLES / sample)
    line, filter_name, options = RUNS[command]
    input, *words = line.split()
    filter = getattr(separatrix_vtk, filter_name)(**options)
    outputs = filter.run(dataset_of(input))
    if command in ("relations", "density", "neighbors"):
        compare_arrays(command, [input, *words], outputs)
        return
    assert main([command, input, "all.npz", *words]) == 0, capsys.readouterr().err
    ports = COMMANDS[command].ports
    expected = arrays_of({name: outputs[port.number] for name, port in ports.items()})
    if not ports:  # of a filter with a single output
        expected = arrays_of({"": outputs[0]})
    with np.load("all.npz") as arrays:
        check_equal(arrays, expected)
    assert main([command, input, "all.vtm", *words]) == 0, capsys.readouterr().err
    check_blocks(filter, outputs)


def compare_arrays(command: str, words: list[str], outputs: list[Any]) -> None:
    """Compare a command with a file for each port."""
    if command == "relations":
        assert main([command, words[0], "all.vtm", *words[1:]]) == 0
        check_blocks(separatrix_vtk.MeshRelations(), outputs)
        return
    assert main([command, words[0], "one.npz", *words[1:]]) == 0
    with np.load("one.npz") as arrays:
        check_equal(arrays, arrays_of({"": outputs[0]}))


def check_blocks(filter: Any, outputs: list[Any]) -> None:
    """Compare the blocks of all.vtm with the outputs, except tables, which are no blocks."""
    blocks = read(Path("all.vtm"))
    for number, ((name, _), output) in enumerate(zip(filter.OUTPUTS, outputs, strict=True)):
        if output.IsA("vtkTable"):
            continue
        assert blocks.GetMetaData(number).Get(blocks.NAME()) == name
        found = arrays_of({"": blocks.GetBlock(number)})
        check_equal(found, arrays_of({"": output}))


def check_equal(found: Any, expected: dict[str, np.ndarray]) -> None:
    """The same names and the same arrays."""
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
        assert found[name].dtype == values.dtype, name
