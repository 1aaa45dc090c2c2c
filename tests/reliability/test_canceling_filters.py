"""Every filter is aborted at its progress events: empty outputs, no error, a right next run."""

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

import separatrix_vtk
from filters.images import is_empty, message_window
from reliability.filter_runs import FILTERS, bits_of, configure, make, update

FAST = 6  # events at which each filter is aborted in the first tier


CASES = [(name, k) for name in FILTERS if not name.endswith("Reader") for k in (1, 2)]


@pytest.mark.parametrize("most", [FAST, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize(("name", "k"), CASES)
def test_an_aborted_filter_is_empty_and_its_next_run_is_right(name, k, most):
    seen = []
    whole, filter = make(name), make(name)
    whole.AddObserver("ProgressEvent", lambda *_: seen.append(whole.GetProgress()))
    expected = bits_of(update(whole, k))
    configure(filter, k)
    steps = sum(part < 1.0 for part in seen)  # later events follow the work
    assert steps
    for event in sorted({int(at) for at in np.linspace(1, steps, min(steps, most)).round()}):
        left = [event]

        def count(*_, left=left):
            left[0] -= filter.GetProgress() < 1.0  # what is kept of the last run has fewer steps
            if left[0] == 0:
                filter.SetAbortExecute(1)

        observer = filter.AddObserver("ProgressEvent", count)
        filter.Modified()
        with message_window() as window:
            filter.Update()
        filter.RemoveObserver(observer)
        assert filter.last_error == ""
        assert "ERR" not in window.GetOutput()
        if left[0] <= 0:
            ports = range(len(filter.OUTPUTS))
            assert all(is_empty(filter.GetOutput(port)) for port in ports), event
        filter.SetAbortExecute(0)
        filter.Update()
        assert bits_of(filter) == expected


def test_an_aborted_reader_returns_no_atoms_and_can_read_again(tmp_path):
    path = tmp_path / "two.xyz"
    path.write_text("2\n\nC 0 0 0\nO 1.2 0 0\n")
    reader = separatrix_vtk.MoleculeReader(file_name=str(path))
    observer = reader.AddObserver("ProgressEvent", lambda *_: reader.SetAbortExecute(1))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 0
    reader.RemoveObserver(observer)
    reader.SetAbortExecute(0)
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 2
