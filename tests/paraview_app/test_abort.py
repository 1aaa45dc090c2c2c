"""Aborting in ParaView: a filter stops at its next step, shows nothing, and runs again later.

ParaView 5.11 has an abort button and connects it to nothing; what stops an algorithm there is
SetAbortExecute, from an observer of its progress.
"""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.paraview

SCRIPT = """
from paraview.simple import *
volume = Wavelet(WholeExtent=[-30, 30] * 3)
volume.UpdatePipeline()
complex = SeparatrixMorseSmaleComplex(volume, Device="CPU")
made, seen = complex.GetClientSideObject(), []

def stop(*_):
    if made.GetAbortExecute():
        return
    seen.append(made.GetProgress())
    if made.GetProgress() > 0.3:
        made.SetAbortExecute(1)

def counts():
    ports = [OutputPort(complex, port).GetDataInformation() for port in range(5)]
    return [data.GetNumberOfCells() if port != 3 else len(OutputPort(complex, 3).PointData)
            for port, data in enumerate(ports)]

observer = made.AddObserver("ProgressEvent", stop)
complex.UpdatePipeline()
aborted, text = counts(), made.last_error
made.RemoveObserver(observer)
made.SetAbortExecute(0)
complex.PersistenceThreshold = 1e-9
complex.UpdatePipeline()
other = SeparatrixMorseSmaleComplex(volume, Device="CPU", PersistenceThreshold=1e-9)
again = counts()
complex = other
complex.UpdatePipeline()
report(seen=seen, aborted=aborted, error=text, again=again, never=counts())
"""


def test_an_aborted_filter_stops_with_empty_outputs_and_can_run_again(pvpython: Any) -> None:
    run = pvpython(SCRIPT)
    assert 0.3 < run.report["seen"][-1] < 0.6  # not one step more
    assert run.report["aborted"] == [0, 0, 0, 0, 0]
    assert run.report["error"] == ""
    assert "ERR|" not in run.text
    assert run.report["again"] == run.report["never"]
    assert min(run.report["again"][:2]) > 0
