"""ParaView after Open and Apply, for a file of each kind: one picture of eight views.

The clicks are those of a user, done by ParaView's own test player in a window on a virtual screen.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOImage import vtkPNGReader

from examples.demo.prepare import array_of, named, points_of
from examples.demo.samples import SAMPLE_FOLDER
from examples.demo.window import environment_of, need, running, virtual_screen, wait_for, write_png
from separatrix_vtk.io import read, write

SIZE = (960, 600)  # pixels of a view, drawn at half of it
COLUMNS = 2
N_FRAMES = 12
CSV, OTHER = 2, 1  # rows of the reader in "Open Data With"; none if there is only one reader
KINDS: dict[str, tuple[str, int | None]] = {  # file -> filter, row of its reader
    "atomic_orbital.vti": ("MorseSmaleComplex", None),
    "noisy_8_bit.vti": ("MorseSmaleComplex", None),
    "terrain.vti": ("MorseSmaleComplex", None),
    "ring.vtu": ("MorseSmaleComplex", None),
    "molecule.xyz": ("AlphaComplex", OTHER),
    "trajectory.xyz": ("AlphaTimeSeries", OTHER),
    "linked_circles.csv": ("RipsBarcodes", CSV),
    "circles.lower_distance_matrix": ("RipsBarcodes", None),
}
APPLY = ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", "")
MENU = "pqClientMainWindow/menubar"
READERS = "pqClientMainWindow/pqSelectReaderDialog"
LOOK = """
from paraview.simple import *
SaveScreenshot("{picture}", GetLayout(), ImageResolution={size}, SeparatorWidth=2)
open("{ready}", "w").close()
"""


def picture_of_first_apply(path: Path) -> None:
    """Open each file in a new window, apply its filter, and write the views as one PNG."""
    need("paraview", "Xvfb", "openbox")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_samples(folder)
        display = stack.enter_context(virtual_screen())
        views = [view_of(folder, name, display) for name in KINDS]
    rows = [np.hstack(views[i : i + COLUMNS]) for i in range(0, len(views), COLUMNS)]
    write_png(np.vstack(rows), path)


def make_samples(folder: Path) -> None:
    """Copies of samples, and files of the kinds of which there is none."""
    for name in KINDS:
        if (SAMPLE_FOLDER / name).exists():
            (folder / name).symlink_to(SAMPLE_FOLDER / name)
    noisy = read(SAMPLE_FOLDER / "noisy_field.vti")
    values = array_of(noisy.GetPointData(), noisy.GetPointData().GetArrayName(0))
    image = vtkImageData()
    image.CopyStructure(noisy)
    share = (values - values.min()) / np.ptp(values)
    image.GetPointData().SetScalars(named((255 * share).astype(np.uint8), "density"))
    write(folder / "noisy_8_bit.vti", image)
    atoms = read(SAMPLE_FOLDER / "1crn.pdb")
    places, numbers = points_of(atoms), array_of(atoms.GetPointData(), "atom_type")
    symbols = {6: "C", 7: "N", 8: "O", 16: "S"}
    for name, n_frames in (("molecule.xyz", 1), ("trajectory.xyz", N_FRAMES)):
        with (folder / name).open("w", encoding="ascii") as file:
            for frame in range(n_frames):  # the molecule grows along x
                file.write(f"{len(places)}\n\n")
                for number, (x, y, z) in zip(numbers, places, strict=True):
                    file.write(f"{symbols[number]} {x * (1 + 0.03 * frame):.3f} {y} {z}\n")
    points = np.loadtxt(SAMPLE_FOLDER / "linked_circles.csv", delimiter=",", skiprows=1)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    lines = [" ".join(f"{d:.6g}" for d in row[:i]) for i, row in enumerate(distances)]
    (folder / "circles.lower_distance_matrix").write_text("\n".join(lines[1:]) + "\n")


def events_of(clicks: list[tuple[str, str, str]]) -> str:
    """A script of ParaView's test player: object, command, and arguments of each click."""
    lines = [
        f"<pqevent object={quoteattr(o)} command={quoteattr(c)} arguments={quoteattr(a)}/>"
        for o, c, a in clicks
    ]
    return f'<?xml version="1.0"?><pqevents>{"".join(lines)}</pqevents>'


def view_of(folder: Path, name: str, display: str) -> np.ndarray:
    """The layout of ParaView's window (rows, columns, 3) uint8 after Open, Apply, and Apply."""
    home = folder / f"home_{name}"
    environment = {**os.environ, **environment_of(home, display)}
    picture, ready, events = home / "view.png", home / "ready", home / "events.xml"
    macros = Path(environment["HOME"], ".config", "ParaView", "Macros")
    macros.mkdir()
    look = LOOK.format(picture=picture, ready=ready, size=list(SIZE))
    (macros / "look.py").write_text(look, encoding="utf-8")
    filter, row = KINDS[name]
    clicks = [
        (f"{MENU}/menu_File", "activate", "actionFileOpen"),
        ("pqClientMainWindow/FileOpenDialog", "filesSelected", str(folder / name)),
    ]
    if row is not None:
        place = f"66,8,/{row}:0"
        clicks += [
            (f"{READERS}/listWidget", "mousePress", f"1,1,0,{place}"),
            (f"{READERS}/listWidget", "mouseRelease", f"1,0,0,{place}"),
            (f"{READERS}/okButton", "activate", ""),
        ]
    clicks += [
        APPLY,
        (MENU, "activate", "menuFilters"),
        (f"{MENU}/menuFilters", "activate", "Separatrix"),
        (f"{MENU}/menuFilters/Separatrix", "activate", f"Separatrix{filter}"),
        APPLY,
        (f"{MENU}/menu_Macros", "activate", "look"),
    ]
    events.write_text(events_of(clicks))
    with running(["openbox"], environment):
        command = ["paraview", f"--test-script={events}"]
        with running(command, environment) as window:
            wait_for(ready, window)
    reader = vtkPNGReader()
    reader.SetFileName(str(picture))
    reader.Update()
    width, height, _ = reader.GetOutput().GetDimensions()
    pixels = array_of(reader.GetOutput().GetPointData(), "PNGImage")
    pixels = pixels.reshape(height, width, 3)[::-1][: height // 2 * 2, : width // 2 * 2]
    halves = pixels.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))
    return halves.astype(np.uint8)
