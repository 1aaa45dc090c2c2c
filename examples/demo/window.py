"""Picture of ParaView's window with a complex in it, taken on a virtual screen of its own.

Where Qt's plugin for SVG is not installed, ParaView's icons would be blank squares: such buttons
are hidden then.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOImage import vtkPNGWriter

from examples.demo.prepare import named
from examples.demo.samples import SAMPLE_FOLDER
from separatrix_vtk.io.writers import write_picture

SCREEN = (1350, 840)  # pixels
PATIENCE = 120  # seconds
SETTLED = 3.0  # seconds after the last rendering
SVG_PLUGINS = ("**/imageformats/libqsvg.so", "**/iconengines/libqsvgicon.so")
NO_BLANK_BUTTONS = """
QToolBar, QToolButton, QPushButton { max-width: 0px; max-height: 0px; min-width: 0px;
    border: none; margin: 0px; padding: 0px; }
QPushButton#Accept, QPushButton#Reset, QPushButton#Delete { max-width: 300px; max-height: 26px;
    min-height: 22px; border: 1px solid #b4b4b4; border-radius: 3px; padding: 1px 6px; }
"""
SCRIPT = """
from paraview.simple import *
image = XMLImageDataReader(registrationName="atomic_orbital.vti", FileName=["{sample}"])
image.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 0
Show(image, view).SetRepresentationType("Outline")
complex = SeparatrixMorseSmaleComplex(registrationName="Morse-Smale Complex", Input=image)
complex.UpdatePipeline()
for port in (0, 1):
    Show(OutputPort(complex, port), view).SetScalarBarVisibility(view, True)
complex.UpdatePropertyInformation()
SetActiveSource(complex)
ResetCamera(view)
GetActiveCamera().Elevation(-65)
GetActiveCamera().Azimuth(35)
ResetCamera(view)
Render(view)
open("{ready}", "w").close()
"""


def picture_of_window(path: Path) -> None:
    """Start ParaView, let it compute and color a complex, and write its window as a PNG."""
    need("paraview", "Xvfb", "openbox", "xwd")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        display = stack.enter_context(virtual_screen())
        environment = {**os.environ, **environment_of(folder, display)}
        stack.enter_context(running(["openbox"], environment))
        ready = folder / "ready"
        script, style = folder / "script.py", folder / "style.qss"
        sample = SAMPLE_FOLDER / "atomic_orbital.vti"
        script.write_text(SCRIPT.format(sample=sample, ready=ready), encoding="utf-8")
        style.write_text("" if has_icons() else NO_BLANK_BUTTONS, encoding="utf-8")
        command = ["paraview", "-stylesheet", str(style), f"--script={script}"]
        window = stack.enter_context(running(command, environment))
        wait_for(ready, window)
        time.sleep(SETTLED)
        dump = folder / "screen.xwd"
        with dump.open("wb") as file:
            subprocess.run(
                ["xwd", "-root", "-silent"], env=environment, stdout=file, check=True, timeout=60
            )
        write_png(pixels_of(dump), path)


def need(*programs: str) -> None:
    """Raise RuntimeError if programs are not installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        raise RuntimeError(
            f"no picture of ParaView's window: {', '.join(missing)} not found; on Debian and "
            "Ubuntu: sudo apt-get install paraview xvfb openbox x11-apps"
        )


def wait_for(ready: Path, window: subprocess.Popen[bytes]) -> None:
    """Wait until a script in ParaView's window has written a file."""
    end = time.monotonic() + PATIENCE
    while not ready.exists():
        if window.poll() is not None or time.monotonic() > end:
            raise RuntimeError("no picture of ParaView's window: it did not draw its result")
        time.sleep(0.5)


def environment_of(folder: Path, display: str) -> dict[str, str]:
    """A fresh home whose ParaView fills the screen and greets nobody; where our files are."""
    home, root = folder / "home", Path(__file__).resolve().parents[2]
    printed = subprocess.run(
        ["paraview", "--version"],
        env={**os.environ, "DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=60,
    )
    version = (printed.stdout + printed.stderr).split("version")[-1].split()[0]
    settings = home / ".config" / "ParaView"
    settings.mkdir(parents=True)
    for name in (version, f"{version}+dfsg", ""):  # ParaView 6.1 has one file for all versions
        text = "[General]\nGeneralSettings.ShowWelcomeDialog=0\n"
        (settings / f"ParaView{name}.ini").write_text(text, encoding="utf-8")
    (home / ".config" / "openbox").mkdir()
    (home / ".config" / "openbox" / "rc.xml").write_text(
        '<openbox_config xmlns="http://openbox.org/3.4/rc"><applications><application class="*" '
        'type="normal"><maximized>yes</maximized><decor>no</decor></application></applications>'
        "</openbox_config>",
        encoding="utf-8",
    )
    sources = os.pathsep.join(str(root / name) for name in ("engine", "plugins"))
    xml = str(root / "xml")
    kept = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "DISPLAY": display}
    return {**kept, "PYTHONPATH": sources, "PV_PLUGIN_PATH": xml, "LC_ALL": "C.UTF-8"}


def has_icons() -> bool:
    """Whether Qt can read ParaView's icons."""
    places = [*Path("/usr/lib").glob("*/qt5/plugins"), *Path("/usr/lib").glob("*/qt6/plugins")]
    return any(next(place.glob(name), None) for place in places for name in SVG_PLUGINS)


@contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[Any]:
    """A program that runs as long as this lasts."""
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, **quiet)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def virtual_screen() -> Iterator[str]:
    """The DISPLAY of a screen whose number its server chooses."""
    reader, writer = os.pipe()
    size = f"{SCREEN[0]}x{SCREEN[1]}x24"
    command = ["Xvfb", "-screen", "0", size, "-nolisten", "tcp", "-noreset", "-displayfd"]
    server = subprocess.Popen([*command, str(writer)], pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as reported:
            number = reported.readline().strip()
        if not number:
            raise RuntimeError("no picture of ParaView's window: Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


def pixels_of(dump: Path) -> np.ndarray:
    """A window dump, blue first, as (rows, columns, 3) uint8; XWDFile.h defines its format."""
    content = dump.read_bytes()
    header = struct.unpack(">25I", content[:100])
    size, width, height, n_bits, line, n_colors = (header[i] for i in (0, 4, 5, 11, 12, 19))
    rows = np.frombuffer(content, np.uint8, height * line, offset=size + 12 * n_colors)
    n_bytes = n_bits // 8
    pixels = rows.reshape(height, line)[:, : width * n_bytes].reshape(height, width, n_bytes)
    return pixels[:, :, 2::-1]


def write_png(pixels: np.ndarray, path: Path) -> None:
    """Pixels (rows, columns, 3) uint8 as a file."""
    image = vtkImageData()
    image.SetDimensions(pixels.shape[1], pixels.shape[0], 1)
    image.GetPointData().SetScalars(named(pixels[::-1].reshape(-1, 3), "pixels"))
    writer = vtkPNGWriter()
    writer.SetCompressionLevel(9)
    writer.SetInputData(image)
    write_picture(path, writer)
