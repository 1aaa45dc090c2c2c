"""ParaView's window on the virtual screen, and clicks in it by ParaView's own test player."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from paraview_app.conftest import end, need

PATIENCE = 80.0  # seconds; on two cores most windows take about ten
PANEL = (
    "pqClientMainWindow/propertiesDock/propertiesPanel/scrollArea/qt_scrollarea_viewport/"
    "scrollAreaWidgetContents/PropertiesFrame/ProxyPanel"
)
MENU = "pqClientMainWindow/menubar"

Click = tuple[str, str, str]  # object, command, arguments; for "check" a property=its value
APPLY: Click = ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", "")


def from_menu(name: str) -> list[Click]:
    """The clicks that make one of our filters from the menu."""
    return [
        (MENU, "activate", "menuFilters"),  # ParaView 5.13 fills the menu when it opens
        (f"{MENU}/menuFilters", "activate", "Separatrix"),
        (f"{MENU}/menuFilters/Separatrix", "activate", f"Separatrix{name}"),
    ]


def run_macro(macro: Path) -> Click:
    """The click on a macro of the window's."""
    return (f"{MENU}/menu_Macros", "activate", macro.stem)


@dataclass(frozen=True)
class Window:
    """A running ParaView, which does its clicks one after the other."""

    process: subprocess.Popen[bytes]
    environment: dict[str, str]
    log: Path

    @property
    def text(self) -> str:
        """All that it has printed, also after its end."""
        return self.log.read_text(errors="replace")

    def wait_until(self, is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
        """Wait until a condition holds; fail if the window closes, or after `patience` seconds."""
        last = time.monotonic() + patience
        while not is_so():
            assert self.process.poll() is None, f"ParaView ended:\n{self.text}"
            assert time.monotonic() < last, f"the condition was not met in time:\n{self.text}"
            time.sleep(0.5)

    def wait_until_played(self) -> None:
        """Wait until the player has done all clicks; fail if it could not."""
        self.wait_until(lambda: "Success = " in self.text)
        assert "Success =  true" in self.text, self.text

    def pixels(self) -> np.ndarray:
        """The whole screen, (rows, columns, 3) in 0..1."""
        image = self.log.with_name("screen.xwd")
        command = ["xwd", "-root", "-silent", "-out", str(image)]
        subprocess.run(command, env=self.environment, check=True, timeout=30)
        return read_xwd(image)


@contextmanager
def paraview_window(
    environment: dict[str, str],
    folder: Path,
    script: str,
    clicks: Sequence[Click],
    macro: Path | None = None,
) -> Iterator[Window]:
    """ParaView with a script run at its start, then the clicks; ended with the block.

    Afterwards nothing may have gone wrong in what it printed. Its HOME is a fresh one; a macro is
    imported if the test has one.
    """
    need("paraview", "openbox", "xwd")
    _prepare_home(environment, macro)
    start, events, log = (folder / name for name in ("start.py", "events.xml", "log.txt"))
    start.write_text(script)
    events.write_text(_events(clicks))
    how: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True}
    with log.open("wb") as file:
        how |= {"stdout": file, "stderr": file, "env": environment}
        manager = subprocess.Popen(["openbox"], **how)
        command = ["paraview", f"--script={start}", f"--test-script={events}"]
        window = Window(subprocess.Popen(command, **how), environment, log)
        try:
            yield window
        finally:
            end(window.process)
            end(manager)
    wrong = ("ERR|", "ERROR: In separatrix", "Traceback")
    assert [line for line in window.text.splitlines() if any(word in line for word in wrong)] == []


def version(environment: dict[str, str]) -> tuple[int, ...]:
    """The version of ParaView, such as (5, 11, 0)."""
    printed = subprocess.run(
        ["paraview", "--version"], env=environment, capture_output=True, text=True, timeout=60
    )
    found = re.search(r"version (\d+)\.(\d+)\.(\d+)", printed.stdout + printed.stderr)
    assert found, printed
    return tuple(map(int, found.groups()))


def _prepare_home(environment: dict[str, str], macro: Path | None) -> None:
    """Omit the Welcome dialog, which nothing could click away, and import the macro."""
    number = ".".join(map(str, version(environment)))
    settings = Path(environment["HOME"]) / ".config" / "ParaView"
    (settings / "Macros").mkdir(parents=True)
    for name in (number, f"{number}+dfsg", ""):  # ParaView 6.1 has one file for all versions
        path = settings / f"ParaView{name}.ini"
        path.write_text("[General]\nGeneralSettings.ShowWelcomeDialog=0\n")
    if macro is not None:
        shutil.copy(macro, settings / "Macros")


def _events(clicks: Sequence[Click]) -> str:
    lines = []
    for target, command, arguments in clicks:
        about = {"object": target, "command": command, "arguments": arguments}
        if command == "check":
            about["property"], _, about["arguments"] = about.pop("arguments").partition("=")
            del about["command"]
        written = " ".join(f"{name}={quoteattr(value)}" for name, value in about.items())
        lines.append(f"<{'pqcheck' if command == 'check' else 'pqevent'} {written}/>")
    return f'<?xml version="1.0"?><pqevents>{"".join(lines)}</pqevents>'


def flat(pixels: np.ndarray, color: Sequence[float]) -> int:
    """Number of pixels with exactly this color, as in a legend."""
    return int((np.abs(pixels - np.array(color)).max(axis=2) < 0.02).sum())


def shaded(pixels: np.ndarray, color: Sequence[float], darkest: float, brightest: float) -> int:
    """Number of pixels with the hue of a color between two brightnesses, as on lit surfaces."""
    brightness = pixels.max(axis=2)
    hue = pixels / np.maximum(brightness, 0.01)[:, :, None]
    is_hue = np.abs(hue - np.array(color) / max(color)).max(axis=2) < 0.06
    return int((is_hue & (brightness > darkest) & (brightness < brightest)).sum())


def read_xwd(path: Path) -> np.ndarray:
    """A window dump in true color as (rows, columns, 3) in 0..1; its layout is XWDFile.h's."""
    content = path.read_bytes()
    header = struct.unpack(">25I", content[:100])
    size, width, height, lowest_first = header[0], header[4], header[5], header[7] == 0
    n_bytes, line, masks, n_colors = header[11] // 8, header[12], header[14:17], header[19]
    rows = np.frombuffer(content, np.uint8, height * line, offset=size + 12 * n_colors)
    parts = rows.reshape(height, line)[:, : width * n_bytes].reshape(height, width, n_bytes)
    places = range(n_bytes) if lowest_first else reversed(range(n_bytes))
    pixels = sum(parts[:, :, k].astype(np.uint32) << (8 * i) for i, k in enumerate(places))
    shifts = [(mask & -mask).bit_length() - 1 for mask in masks]
    return np.stack([(pixels & m) >> s for m, s in zip(masks, shifts, strict=True)], axis=2) / 255
