"""AlphaTimeSeries: one row per time step, in groups of frames, and invalid frames."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

import separatrix as sx
import separatrix_vtk
from filters.images import message_window
from filters.point_sets import polydata_of
from filters.test_alpha_complex import soup
from filters.test_time_steps import Series
from separatrix_vtk.filters.molecules import alpha_time_series


def breathing(i: int) -> Any:
    """Balls at time i, which move apart."""
    centers, radii = soup()
    return polydata_of((centers * (1 + 0.1 * i)).round(3), radius=radii)


def frames(make: Any = breathing) -> Series:
    """Three time steps of these or other balls."""
    return Series(make, "vtkPolyData", [0.0, 1.0, 2.0])


def test_a_time_series_of_weights_has_their_complexes():
    series = separatrix_vtk.AlphaTimeSeries(
        device="cpu", alpha=0.3, radius_source="weights", weight_array="w"
    )
    centers, radii = soup()
    source = frames(lambda i: polydata_of((centers * (1 + 0.1 * i)).round(3), w=radii**2))
    series.SetInputConnection(source.GetOutputPort())
    series.Update()
    assert series.last_error == ""
    volume = series.GetOutput().GetRowData().GetArray("TotalVolume")
    for i in range(3):
        frame = (centers * (1 + 0.1 * i)).round(3)
        expected = sx.alpha_complex(frame, None, 0.3, weights=radii**2, device="cpu")
        assert volume.GetValue(i) == expected.volume()


def test_a_time_series_has_one_row_per_time_step():
    series, source = separatrix_vtk.AlphaTimeSeries(device="cpu", alpha=0.3), frames()
    series.SetInputConnection(source.GetOutputPort())
    for _ in range(2):  # a second run starts from scratch
        series.Modified()
        series.Update()
        assert series.last_error == ""
        table = series.GetOutput()
        assert table.GetNumberOfRows() == 3
    rows = table.GetRowData()
    centers, radii = soup()
    for row, time in enumerate((0.0, 1.0, 2.0)):
        places = (centers * (1 + 0.1 * time)).round(3)
        expected = sx.alpha_complex(places, radii, 0.3, device="cpu")
        numbers = {
            "Time": time,
            "TotalVolume": expected.volume(),
            "TotalArea": expected.area(),
            "NumberOfTetrahedra": len(expected.tets),
            "EulerCharacteristic": expected.euler_characteristic,
            "Betti1": expected.betti[1],
            "VoidVolume": expected.voids().volume.sum(),
        }
        for name, number in numbers.items():
            assert rows.GetArray(name).GetTuple1(row) == number, name
    assert not series.GetOutputInformation(0).Has(vtkStreamingDemandDrivenPipeline.TIME_STEPS())


def in_a_box(i: int, side: float = 8.0) -> Any:
    """Balls at time i in a box that grows."""
    data = breathing(i)
    cell = numpy_to_vtk(np.array([[side + 0.25 * i] * 3 + [90.0, 90.0, 90.0 - i]]), deep=True)
    cell.SetName("Cell")
    data.GetFieldData().AddArray(cell)
    return data


@pytest.mark.parametrize("box_source", ["cell", "custom"])
def test_frames_of_a_box_are_those_of_single_calls(box_source):
    box = (8.0, 8.5, 9.0, 90.0, 90.0, 80.0)
    chosen = {"box_source": "cell"} if box_source == "cell" else {"box": box}
    series = separatrix_vtk.AlphaTimeSeries(device="cpu", alpha=0.9, compute_pockets=True, **chosen)
    source = frames(in_a_box)
    series.SetInputConnection(source.GetOutputPort())
    series.Update()
    assert series.last_error == ""
    rows, pockets = series.GetOutput().GetRowData(), series.GetOutput(1).GetRowData()
    centers, radii = soup()
    repeats = []
    for row, time in enumerate((0.0, 1.0, 2.0)):
        places = (centers * (1 + 0.1 * time)).round(3)
        cell = [8.0 + 0.25 * time] * 3 + [90.0, 90.0, 90.0 - time]
        expected = sx.alpha_complex(
            places, radii, 0.9, box=cell if box_source == "cell" else box, device="cpu"
        )
        numbers = {"TotalVolume": expected.volume(), "VoidVolume": expected.voids().volume.sum()}
        numbers |= {f"Betti{d}": number for d, number in enumerate(expected.betti)}
        assert len(numbers) == 6
        for name, number in numbers.items():
            assert rows.GetArray(name).GetTuple1(row) == number, name
        repeats += expected.pockets().periodicity.tolist()
    assert vtk_to_numpy(pockets.GetArray("Periodicity")).tolist() == repeats


def test_a_frame_without_a_cell_is_named():
    series = separatrix_vtk.AlphaTimeSeries(device="cpu", box_source="cell")
    source = frames(lambda i: breathing(i) if i == 2 else in_a_box(i))
    series.SetInputConnection(source.GetOutputPort())
    with message_window():
        series.Update()
    assert series.last_error.startswith("time 2: The field data do not contain an array 'Cell'")


def test_a_cell_that_is_no_box_is_named_with_its_time():
    series = separatrix_vtk.AlphaTimeSeries(device="cpu", box_source="cell")
    source = frames(lambda i: in_a_box(i, 8.0 if i < 2 else -0.5))
    series.SetInputConnection(source.GetOutputPort())
    with message_window():
        series.Update()
    assert series.last_error == (
        "time 2: The array 'Cell' of the field data must contain three positive lengths and three "
        "angles of a box; got 0, 0, 0, 90, 90, 88."
    )


def test_pockets_have_one_row_per_time_step_and_the_same_number_at_all():
    series = separatrix_vtk.AlphaTimeSeries(device="cpu", compute_pockets=True)
    source = frames()
    series.SetInputConnection(source.GetOutputPort())
    series.Update()
    columns = series.GetOutput(1).GetRowData()
    found = {
        columns.GetArrayName(i): vtk_to_numpy(columns.GetArray(i)).tolist()
        for i in range(columns.GetNumberOfArrays())
    }
    centers, radii = soup()
    tracks, names = sx.PocketTracks(), ("Time", "PocketId", "Volume", "MouthArea")
    expected = {name: [] for name in names}
    for time in (0.0, 1.0, 2.0):
        places = (centers * (1 + 0.1 * time)).round(3)
        pockets = sx.alpha_complex(places, radii, device="cpu").pockets()
        expected["Time"] += [time] * len(pockets)
        expected["PocketId"] += tracks.add(pockets).tolist()
        expected["Volume"] += pockets.volume.tolist()
        areas = (pockets.mouths.area[pockets.mouths.pocket == p] for p in range(len(pockets)))
        expected["MouthArea"] += [area.sum() for area in areas]
    assert expected.items() <= found.items()
    assert set(found) - set(expected) == {"Area", "Depth", "NumberOfMouths", "NumberOfAtoms"}
    assert len(set(found["PocketId"])) < len(found["PocketId"])


def test_input_without_time_is_one_row_and_errors_name_the_time():
    series = separatrix_vtk.AlphaTimeSeries(device="cpu", compute_topology=False)
    table, _ = series.run(polydata_of(np.eye(4, 3) * 2, radius=np.full(4, 1.7)))
    assert table.GetNumberOfRows() == 1
    assert not table.GetRowData().HasArray("Betti0")
    moving, source = separatrix_vtk.AlphaTimeSeries(device="cpu", model=7), frames()
    moving.SetInputConnection(source.GetOutputPort())
    with message_window():
        moving.Update()
    assert moving.last_error.startswith(
        "time 0: model must be a number of the array 'model' (none); got 7."
    )
    assert moving.GetOutput().GetNumberOfRows() == 0


def with_an_atom_nowhere(i: int) -> Any:
    """The same, but with an atom that is nowhere at time 1."""
    made = breathing(i)
    if i == 1:
        vtk_to_numpy(made.GetPoints().GetData())[5, 1] = np.nan
    return made


def columns(series: Any) -> dict[str, list[float]]:
    rows = series.GetOutput().GetRowData()
    arrays = (rows.GetArray(i) for i in range(rows.GetNumberOfArrays()))
    return {array.GetName(): vtk_to_numpy(array).tolist() for array in arrays}


def test_frames_are_released_in_batches(monkeypatch):
    series, source = separatrix_vtk.AlphaTimeSeries(device="cpu"), frames()
    series.SetInputConnection(source.GetOutputPort())
    series.Update()
    together = columns(series)
    sizes = []
    engine = sx.alpha_complexes

    def counted(frames, *arguments, **options):
        sizes.append(len(frames))
        return engine(frames, *arguments, **options)

    monkeypatch.setattr(sx, "alpha_complexes", counted)
    for most, expected in ((1, [1, 1, 1]), (61, [2, 1]), (1000, [3])):
        monkeypatch.setattr(alpha_time_series, "MOST_GATHERED", most)
        sizes.clear()
        series.Modified()
        series.Update()
        assert series.last_error == ""
        assert sizes == expected
        assert columns(series) == together


@pytest.mark.parametrize("most", [1, 1000])
def test_an_invalid_frame_is_reported_with_its_time(monkeypatch, most):
    monkeypatch.setattr(alpha_time_series, "MOST_GATHERED", most)
    series, source = separatrix_vtk.AlphaTimeSeries(device="cpu"), frames(with_an_atom_nowhere)
    series.SetInputConnection(source.GetOutputPort())
    with message_window():
        series.Update()
    assert series.last_error.startswith("time 1: positions must be finite; got positions[5] = (")
    assert series.GetOutput().GetNumberOfRows() == 0
    series.alpha, series.work_limit, series.method = 0.5, 1.0, "local"
    series.SetInputDataObject(polydata_of(np.eye(3), radius=np.ones(3)))
    with message_window():
        series.Update()
    assert "work_limit allows 1 test" in series.last_error
    series.work_limit = 1e9
    series.Update()
    assert series.last_error == ""
    assert columns(series)["Time"] == [0.0]
