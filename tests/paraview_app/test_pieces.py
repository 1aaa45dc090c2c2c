"""Processes that divide an image: together, their outputs are those of a filter that works alone.

An output of all processes is put together by CellIds and extents, and compared bit by bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData

import separatrix_vtk as sv
from oracles.fields import any_order
from paraview_app.conftest import REPOSITORY
from separatrix_vtk import io
from separatrix_vtk.base.arrays import add, from_vtk, to_vtk

pytestmark = pytest.mark.paraview

SCRIPT = Path(__file__).with_name("pieces_run.py")
SIDES = 22, 24, 26  # of more points than VTK gives to every process
EXTENT = (-2, 23, 3, 26, 5, 26)
PORTS = ("critical", "lines", "surfaces", "labels", "graph", "regions")
WITHOUT_LINES = {
    f"compute_{kind}": False
    for kind in (
        "descending_separatrices_1",
        "ascending_separatrices_1",
        "saddle_connectors",
    )
}
Arrays = dict[str, np.ndarray]


def volume(dtype: str) -> vtkImageData:
    """A volume full of ties, with another point array and a cell array."""
    image = vtkImageData()
    image.SetExtent(EXTENT)
    image.SetOrigin(1.0, 2.0, 3.0)
    image.SetSpacing(0.5, 1.0, 2.0)
    values = np.random.default_rng(7).integers(0, 60, SIDES).astype(dtype)
    for axis in (0, 1, 2, 0, 1, 2):
        values += np.roll(values, 1, axis)
    add(image.GetPointData(), to_vtk(values.reshape(-1), "f"), active="f")
    add(image.GetPointData(), to_vtk(np.arange(values.size, dtype=np.float64), "other"))
    n_cells = np.prod(np.array(SIDES) - 1)
    add(image.GetCellData(), to_vtk(np.arange(n_cells, dtype=np.int32), "cell"))
    return image


def with_nan(values: np.ndarray) -> np.ndarray:
    """Values of which a third are NaN, in whole layers and elsewhere."""
    changed = values.reshape(SIDES).copy()
    changed[np.random.default_rng(5).random(SIDES) < 0.3] = np.nan
    changed[:2] = np.nan
    return changed.reshape(-1)


def with_hidden_points(image: vtkImageData, values: np.ndarray) -> vtkImageData:
    """The image with its points hidden where `with_nan` has NaN."""
    made = vtkImageData()
    made.DeepCopy(image)
    add(made.GetPointData(), to_vtk(values.copy(), "f"), active="f")
    marks = 2 * np.isnan(with_nan(values)).astype(np.uint8)
    add(made.GetPointData(), to_vtk(marks, "vtkGhostType"))
    return made


def with_ranks(image: vtkImageData, values: np.ndarray) -> vtkImageData:
    """The image with ranks of its points, which order equal values at random."""
    made = vtkImageData()
    made.DeepCopy(image)
    add(made.GetPointData(), to_vtk(values.copy(), "f"), active="f")
    ranks = any_order(values, np.random.default_rng(6)).astype(np.int32)
    add(made.GetPointData(), to_vtk(ranks, "f_Order"))
    return made


@pytest.fixture
def in_pieces(together, tmp_path) -> Callable[..., tuple[list[Arrays], list[dict[str, Any]], str]]:
    """Run the script in several processes: their arrays, what they saw, and what was printed."""

    def run(image: vtkImageData, n: int, *words: str) -> Any:
        io.write(tmp_path / "image.vti", image)
        values = from_vtk(image.GetPointData().GetScalars())
        bad = values.copy()
        bad[-1] = np.nan  # which only the last process reads
        add(image.GetPointData(), to_vtk(bad, "f"))
        io.write(tmp_path / "bad.vti", image)
        add(image.GetPointData(), to_vtk(with_nan(values), "f"), active="f")
        io.write(tmp_path / "masked.vti", image)
        io.write(tmp_path / "hidden.vti", with_hidden_points(image, values))
        io.write(tmp_path / "ordered.vti", with_ranks(image, values))
        add(image.GetPointData(), to_vtk(values.copy(), "f"), active="f")
        text, code = together(n, SCRIPT, tmp_path / "image.vti", tmp_path, *words)
        assert code == 0, text
        arrays = [dict(np.load(tmp_path / f"{rank}.npz")) for rank in range(n)]
        seen = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(n)]
        return arrays, seen, text

    return run


def columns(data: Any, name: str) -> Arrays:
    """The arrays of an output, as the script names them."""
    if data.IsA("vtkTable"):
        names = map(data.GetColumnName, range(data.GetNumberOfColumns()))
        return {f"{name} {column}": from_vtk(data.GetColumnByName(column)) for column in names}
    places = (("points", data.GetPointData()), ("cells", data.GetCellData()))
    found = {
        f"{name} {place} {attributes.GetArrayName(i)}": from_vtk(attributes.GetArray(i))
        for place, attributes in places
        for i in range(attributes.GetNumberOfArrays())
    }
    if not data.IsA("vtkImageData") and data.GetNumberOfPoints():
        found[f"{name} points"] = from_vtk(data.GetPoints().GetData())
    return found


def table_of(data: Arrays, name: str, place: str, *, keep: np.ndarray | None = None) -> Arrays:
    """The columns of points or cells, in the order of all of them: rows in canonical order."""
    begin = f"{name} {place} "
    found = {key[len(begin) :]: array for key, array in data.items() if key.startswith(begin)}
    if place == "points":
        for axis, along in enumerate(data[f"{name} points"].T):
            found[f"position {axis}"] = along
    found = {k: a for k, a in found.items() if k not in ("vtkGhostType", "PairIdentifier")}
    if keep is not None:
        found = {key: array[keep] for key, array in found.items()}
    flat = {
        f"{key} {i}": part
        for key, array in found.items()
        for i, part in enumerate(array.reshape(len(array), -1).T)
    }
    order = np.lexsort([flat[key] for key in sorted(flat)])
    return {key: array[order] for key, array in flat.items()}


def assert_same_tables(parts: list[Arrays], whole: Arrays, name: str, place: str) -> None:
    expected = table_of(whole, name, place)
    begin = f"{name} {place} "
    joined: Arrays = {}
    for key in {key for part in parts for key in part if key.startswith(name)}:
        filled = [part[key] for part in parts if key in part]
        joined[key] = np.concatenate(filled)
    ghosts = joined.get(f"{begin}vtkGhostType")
    found = table_of(joined, name, place, keep=None if ghosts is None else ghosts == 0)
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        assert (found[key].dtype, found[key].shape) == (array.dtype, array.shape), key
        assert found[key].tobytes() == array.tobytes(), key


def assert_is_part(arrays: Arrays, extent: list[int], whole: Arrays) -> None:
    """The labels of a process are those of its extent, and so are the arrays of the input."""
    ends = np.array(extent).reshape(3, 2) - np.array(EXTENT).reshape(3, 2)[:, :1]
    for key, values in whole.items():
        last = 1 if " points " in key else 0
        place = tuple(slice(begin, end + last) for begin, end in ends[::-1])
        shape = np.array(SIDES) - (1 - last)
        assert arrays[key].tobytes() == values.reshape(shape)[place].tobytes(), key


def assert_same_as_applied(
    image: vtkImageData, parts: list[Arrays], seen: list[dict[str, Any]]
) -> None:
    """The default outputs, and all others, of a threshold are those of a filter that works alone.

    Except labels, they are on the first process.
    """
    filter = sv.MorseSmaleComplex(device="cpu", automatic_threshold=True, rematch_saddles=True)
    filter.compute_descending_separatrices_2 = filter.compute_ascending_separatrices_2 = True
    filter.compute_top_cell_labels = filter.compute_simplified_field = True
    filter.region_table = "morse_smale"
    filter.SetInputData(image)
    assert all(one["applied divided"] for one in seen)
    assert (
        "were gathered on process 0, which alone rematches saddles"
        in seen[0]["warnings of apply"][0]
    )
    assert [one["warnings again"] for one in seen] == [[]] * len(seen)
    for name, threshold in (("applied", 0.0), ("again", 40.0)):
        filter.persistence = threshold
        filter.Update()
        expected: Arrays = {}
        for port, kind in enumerate(PORTS):
            expected |= columns(filter.GetOutput(port), f"{name} {kind}")
        assert expected[f"{name} lines points"].size
        of_labels = {key: expected.pop(key) for key in [*expected] if f"{name} labels" in key}
        for key, array in expected.items():
            found = parts[0].pop(key)
            assert found.tobytes() == array.tobytes(), key
            assert not any(part.get(key, array[:0]).size for part in parts[1:]), key
        for arrays, one in zip(parts, seen, strict=True):
            assert_is_part(arrays, one[f"{name} labels extent"], of_labels)


def assert_same_levels(
    image: vtkImageData, parts: list[Arrays], seen: list[dict[str, Any]]
) -> None:
    """A threshold without lines and rematched saddles needs no process that has the whole."""
    filter = sv.MorseSmaleComplex(device="cpu", automatic_threshold=True)
    filter.compute_saddle_connectors = False
    filter.SetInputData(image)
    for name, threshold in (("level", 0.0), ("lower", 400.0)):
        filter.most_line_points = 60 if name == "lower" else None
        filter.persistence, filter.keep_skipped_saddles = threshold, name == "level"
        filter.region_table = "morse_smale" if name == "level" else "ascending"
        filter.Update()
        of_tables = ("critical", "graph", "lines")
        ports = {kind: filter.GetOutput(PORTS.index(kind)) for kind in of_tables}
        expected: Arrays = {}
        for kind, data in ports.items():
            expected |= columns(data, f"{name} {kind}")
        for kind in of_tables:
            for place in ("points",) if kind == "critical" else ("points", "cells"):
                assert_same_tables(parts, expected, f"{name} {kind}", place)
        assert bool(filter.report["saddles_without_lines"]) == (name == "lower")
        regions = columns(filter.GetOutput(5), f"{name} regions")
        order = np.argsort(np.concatenate([part[next(iter(regions))] for part in parts]))
        for key, column in regions.items():
            found = np.concatenate([part[key] for part in parts])[order]
            assert found.tobytes() == column.tobytes(), key
        labels = columns(filter.GetOutput(3), f"{name} labels")
        for arrays, one in zip(parts, seen, strict=True):
            assert one[f"{name} error"] == ""
            assert arrays[f"{name} critical points CellId"].size
            assert_is_part(arrays, one[f"{name} labels extent"], labels)
        numbers = ports["critical"].GetFieldData()
        for i in range(numbers.GetNumberOfArrays()):
            key, value = numbers.GetArrayName(i), numbers.GetArray(i).GetTuple1(0)
            assert all(one[f"{name} critical numbers"][key] == value for one in seen), key
        assert filter.report["skipped_pairs"]["several"]


def assert_same_in_one_layer(
    image: vtkImageData, parts: list[Arrays], seen: list[dict[str, Any]]
) -> None:
    """The default outputs of an image of two dimensions stay with all processes."""
    flat = vtkImageData()
    flat.DeepCopy(image)
    flat.Crop((*EXTENT[:5], EXTENT[4]))
    filter = sv.MorseSmaleComplex(device="cpu", automatic_threshold=True, rematch_saddles=True)
    filter.SetInputData(flat)
    filter.Update()
    assert all(one["flat divided"] and not one["flat error"] for one in seen)
    assert all(part["flat lines points"].size for part in parts)
    for kind in ("critical", "lines", "graph"):
        expected = columns(filter.GetOutput(PORTS.index(kind)), f"flat {kind}")
        for place in ("points",) if kind == "critical" else ("points", "cells"):
            assert_same_tables(parts, expected, f"flat {kind}", place)


def assert_same_in_two_layers(
    image: vtkImageData, parts: list[Arrays], seen: list[dict[str, Any]]
) -> None:
    """If there are fewer layers than processes, the first one computes all of them."""
    assert [one["thin divided"] for one in seen] == [len(seen) == 2] * len(seen)
    thin = vtkImageData()
    thin.DeepCopy(image)
    thin.Crop((*EXTENT[:5], EXTENT[4] + 1))
    filter = sv.MorseSmaleComplex(device="cpu", automatic_threshold=True, rematch_saddles=True)
    filter.SetInputData(thin)
    filter.Update()
    for port, kind in enumerate(("critical", "lines")):
        for key, array in columns(filter.GetOutput(port), f"thin {kind}").items():
            assert parts[0].get(key, array[:0]).tobytes() == array.tobytes(), key


def assert_same_in_other_domains(
    image: vtkImageData, parts: list[Arrays], seen: list[dict[str, Any]]
) -> None:
    """Images with periods, NaN, or ranks have the results of a filter that works alone."""
    values = from_vtk(image.GetPointData().GetScalars())
    masked = vtkImageData()
    masked.DeepCopy(image)
    add(masked.GetPointData(), to_vtk(with_nan(values), "f"), active="f")
    for name, source, options in (
        ("periodic", image, {"periodic": "xyz"}),
        ("masked", masked, {"nan": "mask"}),
        ("hidden", with_hidden_points(image, values), {}),
        ("hidden and periodic", with_hidden_points(image, values), {"periodic": "xyz"}),
        ("ordered", with_ranks(image, values), {"order": "array"}),
        ("ordered and periodic", with_ranks(image, values), {"order": "array", "periodic": "xyz"}),
    ):
        has_divided = name in ("masked", "ordered and periodic")
        for kind in ("level", "raw", "diagram", "divided")[: 3 + has_divided]:
            assert all(one[f"{name} {kind} divided"] for one in seen), name
        filter = sv.MorseSmaleComplex(
            device="cpu", automatic_threshold=True, rematch_saddles=True, **options
        )
        filter.SetInputData(source)
        filter.Update()
        for port in (0, 1, 4):
            for key, array in columns(
                filter.GetOutput(port), f"{name} level {PORTS[port]}"
            ).items():
                assert parts[0].get(key, array[:0]).tobytes() == array.tobytes(), key
        levels = columns(filter.GetOutput(3), f"{name} level labels")
        raw = sv.morse_smale_complex(source, device="cpu", **WITHOUT_LINES, **options)
        labels = columns(raw.segmentation, f"{name} raw labels")
        expected = columns(raw.critical_points, f"{name} raw critical")
        expected |= columns(raw.graph, f"{name} raw graph")
        filter.rematch_saddles, filter.compute_saddle_connectors = False, False
        filter.compute_ascending_separatrices_1 = filter.compute_descending_separatrices_1 = False
        filter.Update()
        expected |= columns(filter.GetOutput(0), f"{name} divided critical")
        expected |= columns(filter.GetOutput(4), f"{name} divided graph")
        diagram = sv.persistence_diagram(source, device="cpu", **options)
        expected |= columns(diagram.diagram, f"{name} diagram")
        for output, place in (
            ("raw critical", "points"),
            ("raw graph", "cells"),
            ("diagram", "points"),
            ("diagram", "cells"),
            ("divided critical", "points"),
            ("divided graph", "cells"),
        )[: 4 + 2 * has_divided]:
            assert_same_tables(parts, expected, f"{name} {output}", place)
        for arrays, one in zip(parts, seen, strict=True):
            assert_is_part(arrays, one[f"{name} level labels extent"], levels)
            assert_is_part(arrays, one[f"{name} raw labels extent"], labels)


@pytest.mark.parametrize(
    ("n", "words"), [(2, ()), pytest.param(3, ("CONTROLLER",), marks=pytest.mark.long)]
)
def test_processes_that_divide_an_image_give_the_results_of_one(in_pieces, n, words):
    image = volume("float32")
    parts, seen, text = in_pieces(image, n, *words)
    parts[0]["applied critical before failures"] = parts[0]["applied critical points CellId"]
    whole = sv.morse_smale_complex(image, device="cpu", **WITHOUT_LINES)
    diagram = sv.persistence_diagram(image, device="cpu")
    expected = columns(whole.critical_points, "critical") | columns(whole.graph, "graph")
    expected |= columns(diagram.diagram, "diagram")
    assert all(one["complex error"] == one["diagram error"] == "" for one in seen), text
    assert all(one["complex divided"] and one["diagram divided"] for one in seen)
    assert not any(one["gathered divided"] for one in seen)
    assert "To divide images among the processes, set Order to Index." in text

    # Each process read its layers, one before and two after them; a block before a Calculator.
    layers = [one["read"][5] - one["read"][4] + 1 for one in seen]
    assert sum(layers) == SIDES[0] + 3 * (n - 1)
    assert len({tuple(one["blocks"]) for one in seen}) == n

    for name, place in (
        ("critical", "points"),
        ("graph", "points"),
        ("graph", "cells"),
        ("diagram", "points"),
        ("diagram", "cells"),
    ):
        assert_same_tables(parts, expected, name, place)
    labels = columns(whole.segmentation, "labels")
    for arrays, one in zip(parts, seen, strict=True):
        assert_is_part(arrays, one["labels extent"], labels)

    assert_same_levels(image, parts, seen)
    assert_same_in_one_layer(image, parts, seen)
    assert_same_as_applied(image, parts, seen)
    assert_same_in_other_domains(image, parts, seen)

    # What goes wrong in the last process alone ends all of them, with its sentence.
    assert all("NaN" in one["nan error"] for one in seen), seen[0]["nan error"]
    expected_ranks = "Order Array must be an array of integers"
    assert all(expected_ranks in one["ranks error"] for one in seen), seen[0]["ranks error"]
    for name in ("failure", "failure of labels", "failure of the first"):
        assert all("list index out of range" in one[f"{name} error"] for one in seen), name
    assert [one["after failures error"] for one in seen] == [""] * n
    applied = parts[0]["applied critical before failures"]
    assert parts[0]["after failures points CellId"].tobytes() == applied.tobytes()
    assert_same_in_two_layers(image, parts, seen)
    assert [one["points after abort"] for one in seen] == [0] * n
    assert [one["abort error"] for one in seen] == [""] * n
    assert all(one["points after all"] for one in seen)
    assert [one["errors shown"] > 0 for one in seen] == [True] + [False] * (n - 1)


@pytest.mark.long
@pytest.mark.parametrize("level", ["1", "3"])  # funneled, multiple
def test_mpi_may_support_threads(in_pieces, environment, monkeypatch, level):
    monkeypatch.setitem(environment, "OMPI_MPI_THREAD_LEVEL", level)
    image = volume("float32")
    parts, seen, text = in_pieces(image, 2)
    assert all(one["complex divided"] and one["complex error"] == "" for one in seen), text
    whole = sv.morse_smale_complex(image, device="cpu", **WITHOUT_LINES)
    assert_same_tables(parts, columns(whole.critical_points, "critical"), "critical", "points")
    assert_same_as_applied(image, parts, seen)


@pytest.mark.long
def test_processes_draw_their_parts_of_one_picture(together, tmp_path):
    script = REPOSITORY / "examples" / "paraview" / "divided.py"
    text, code = together(2, script, tmp_path / "divided.png")
    assert code == 0, text
    assert (tmp_path / "divided.png").stat().st_size > 50_000
