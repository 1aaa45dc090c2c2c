"""A server on this machine, and a client whose Python knows nothing of the packages."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paraview_app.conftest import end, need

pytestmark = [pytest.mark.paraview, pytest.mark.long]

REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS = 40  # until the server answers

CLIENT = """
from paraview import servermanager, simple
simple.Connect("127.0.0.1", int(sys.argv[1]))
simple.LoadPlugin(sys.argv[2], remote=False, ns=globals())
try:
    import separatrix_vtk
    client = True
except ImportError:
    client = False
image = simple.XMLImageDataReader(FileName=[sys.argv[3]])
image.UpdatePipeline()
complex = SeparatrixMorseSmaleComplex(image, Device="CPU")
complex.ScalarField = ["POINTS", "potential"]
complex.UpdatePipeline()
points = servermanager.Fetch(complex["Critical Points"])
labels = complex["Segmentation"].GetPointDataInformation().GetArray("MorseSmaleManifold")
complex.ScalarField = ["POINTS", "nothing"]
complex.UpdatePipeline()
left = complex["Critical Points"].GetDataInformation().GetNumberOfPoints()
complex.ScalarField = ["POINTS", "potential"]
view = simple.CreateView("RenderView", ViewSize=[200, 150])
simple.Show(complex["1-Separatrices"], view)
simple.Render(view)
again = complex["Critical Points"].GetDataInformation().GetNumberOfPoints()
report(remote=bool(servermanager.ActiveConnection.IsRemote()), client_has_packages=client,
       points=points.GetNumberOfPoints(), labels=labels.GetRange()[1], left=left, again=again)
"""


@pytest.fixture
def server(environment: dict[str, str], tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The port of a server that has the packages, and where it writes."""
    need("pvserver")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "server.txt"
    command = ["pvserver", "--hostname=127.0.0.1"]
    command += [f"--server-port={port}", "--force-offscreen-rendering"]
    with log.open("w") as file:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            until = time.monotonic() + SECONDS
            while "Accepting connection" not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)
            yield port, log
        finally:
            end(process)


def test_a_client_without_the_packages_sees_what_the_server_computes(pvpython, server, sample_data):
    port, log = server
    xml = REPOSITORY / "xml" / "morse_smale_complex.xml"
    run = pvpython(
        CLIENT, port, xml, sample_data / "two_centers.vti", PYTHONPATH=None, PV_PLUGIN_PATH=None
    )
    found = run.report
    assert found["remote"]
    assert not found["client_has_packages"]
    assert found["labels"] > 0
    assert (found["points"], found["left"], found["again"]) == (15, 0, 15)
    sentence = "The point array 'nothing' was not found"
    printed = log.read_text()
    assert printed.count(sentence) == 1
    assert run.text.count(f"): {sentence}") == 1  # the client's own window has it too
    assert "Traceback" not in printed + run.text
