"""State that must not survive a run: data, tracebacks, reports, partial time series."""

import gc
import json
import pickle
import weakref
from collections import deque
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.vtkCommonCore import vtkInformation, vtkStringArray
from vtkmodules.vtkCommonDataModel import (
    vtkImageData,
    vtkMultiBlockDataSet,
    vtkPolyData,
)

import separatrix as sx
import separatrix_vtk
from filters.images import failed, image_with, message_window, noise, updated
from filters.meshes import named
from filters.point_sets import cloud, polydata_of, table_of
from filters.test_blocks_and_pieces import pieces_of
from separatrix_vtk.base import pieces
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.datasets import Block
from separatrix_vtk.base.errors import FilterError, without_tracebacks
from separatrix_vtk.base.join import joined
from separatrix_vtk.base.processes import Processes


class Large:
    """Stands for device memory in a frame of the engine."""


def test_the_errors_behind_an_error_hold_no_data(monkeypatch):
    kept = []

    def inner():
        data = Large()
        kept.append(weakref.ref(data))
        raise ValueError("of the library below")

    def fails(*_, **__):
        try:
            inner()
        except ValueError as error:
            raise sx.DeviceMemoryError("no room") from error

    monkeypatch.setattr(sx, "morse_smale", fails)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    failed(filter, image_with(noise(4, 4, 4)))
    assert filter.last_error == "no room"
    assert kept[0]() is None


def test_an_error_that_is_its_own_cause_ends():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert without_tracebacks(one) is one


def test_a_failed_call_leaves_no_reference_cycle_with_the_filter():
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    gc.collect()
    gc.disable()
    try:
        data = Large()
        ref = weakref.ref(data)

        def stop(*_, kept=data):
            raise sx.Canceled("enough")

        with pytest.raises(sx.Canceled):
            filter.run(image_with(noise(4, 4, 4)), stop)
        del data, stop
        assert ref() is None
    finally:
        gc.enable()


def test_blocks_of_an_earlier_input_are_released():
    blocks = vtkMultiBlockDataSet()
    blocks.SetBlock(0, image_with(noise(4, 4, 4)))
    ref = weakref.ref(blocks.GetBlock(0))
    filter = updated(separatrix_vtk.CriticalPoints(device="cpu"), blocks)
    assert [block.pieces for block in filter._blocks] == [()]
    del blocks
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    filter.Update()
    gc.collect()
    assert ref() is None


def test_joined_pieces_have_the_field_data_of_the_pieces_they_are_now():
    points = cloud(20)
    parts = [polydata_of(points[:10]), polydata_of(points[10:])]
    filter = separatrix_vtk.NeighborStatistics(device="cpu", number_of_neighbors=3)
    filter.SetInputDataObject(pieces_of(*parts))
    for time in (1.0, 2.0):
        fresh = []
        for part in parts:  # as a reader does: another data set around the same arrays
            fresh.append(vtkPolyData())
            fresh[-1].ShallowCopy(part)
            fresh[-1].GetFieldData().AddArray(named(np.array([time]), "Time"))
        filter.SetInputDataObject(pieces_of(*fresh))
        filter.Update()
        output = filter.GetOutput().GetPartition(0)
        assert from_vtk(output.GetFieldData().GetArray("Time")).tolist() == [time]


def test_incompatible_columns_are_omitted_from_joined_tables():
    x = np.arange(4.0)
    one = table_of(x=x, y=x, mixed=x, texts=x)
    other = table_of(x=x, y=x, mixed=np.ones((4, 2)))
    column = vtkStringArray()
    column.SetName("texts")
    for text in "abcd":
        column.InsertNextValue(text)
    other.AddColumn(column)
    made = joined([one, other], True)[0]
    assert [made.GetColumnName(i) for i in range(made.GetNumberOfColumns())] == ["x", "y"]
    assert made.GetNumberOfRows() == 8


def test_a_pickled_filter_is_as_collective_as_it_was():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.COLLECTIVE = False
    assert pickle.loads(pickle.dumps(filter)).COLLECTIVE is False


def test_a_file_that_was_not_there_is_read_when_it_is(tmp_path):
    path = tmp_path / "late.xyz"
    reader = separatrix_vtk.MoleculeReader(file_name=str(path))
    with message_window():
        reader.Update()
    assert reader.last_error
    path.write_text("1\n\nC 0 0 0\n", encoding="utf-8")
    reader.Update()
    assert reader.last_error == ""
    assert reader.GetOutput().GetNumberOfPoints() == 1


def test_ctrl_c_during_a_time_series_leaves_no_partial_table(monkeypatch):
    real = sx.alpha_complexes

    def interrupted(*_, **__):
        monkeypatch.setattr(sx, "alpha_complexes", real)
        raise KeyboardInterrupt

    filter = separatrix_vtk.AlphaTimeSeries(device="cpu", radius_source="constant")
    filter.SetInputDataObject(polydata_of(cloud(20)))
    monkeypatch.setattr(sx, "alpha_complexes", interrupted)
    with message_window():
        filter.Update()
    assert filter.last_error.startswith("Stopped by Ctrl-C")
    assert filter._frames == filter._rows == []
    filter.Update()
    assert filter.last_error == ""
    assert filter.GetOutput().GetNumberOfRows() == 1


class Wire:
    """A controller of two processes in one: what is sent waits until it is received."""

    def __init__(self, rank: int, waiting: deque[Any]) -> None:
        self.rank, self.waiting = rank, waiting

    def GetLocalProcessId(self) -> int:
        return self.rank

    def GetNumberOfProcesses(self) -> int:
        return 2

    def Send(self, array: Any, target: int, tag: int) -> None:
        self.waiting.append(array)

    def Receive(self, array: Any, source: int, tag: int) -> None:
        array.DeepCopy(self.waiting.popleft())


def test_a_piece_that_cannot_be_unpacked_leaves_no_pending_message(monkeypatch):
    waiting = deque()
    mine, others = Processes(Wire(0, waiting), "F"), Processes(Wire(1, waiting), "F")
    parts = (polydata_of(cloud(5)), polydata_of(cloud(6)))
    others.gathered([Block((), (), parts)])
    real, n_calls = separatrix_vtk.base.processes.unpacked, [0]

    def once_wrong(*arguments):
        n_calls[0] += 1
        if n_calls[0] == 1:
            raise MemoryError
        return real(*arguments)

    monkeypatch.setattr(separatrix_vtk.base.processes, "unpacked", once_wrong)
    with pytest.raises(FilterError, match="process 1: MemoryError"):
        mine.gathered([Block((), (), ())])
    assert not waiting
    others.gathered([Block((), (), parts)])
    [block] = mine.gathered([])
    assert [piece.GetNumberOfPoints() for piece in block.pieces] == [5, 6]
    assert json.dumps(block.path) == "[]"


def test_an_image_part_that_cannot_be_sent_leaves_no_process_waiting():
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    whole = [0, 2, 0, 2, 0, 2]
    sent = []

    class First(Processes):
        """One of three processes that all request the whole."""

        def exchange(self, stage, said):
            return [[whole, whole]] * 3

        def send(self, make, target):
            sent.append(target)
            if target == 1:
                raise MemoryError("no room for the part")

    with pytest.raises(MemoryError, match="no room for the part"):
        pieces._share_image(image, tuple(whole), vtkInformation(), First(Wire(0, deque()), "F"))
    assert sent == [1, 2]
