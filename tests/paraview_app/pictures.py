"""Contents of pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

from separatrix.plotting import palette


def pixels_of(path: Path) -> np.ndarray:
    """The picture as (rows, columns, 3) in 0..1."""
    reader = vtkPNGReader()
    reader.SetFileName(str(path))
    reader.Update()
    width, height, _ = reader.GetOutput().GetDimensions()
    values = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    return np.asarray(values.reshape(height, width, -1)[..., :3] / 255)


def shows(pixels: np.ndarray, color: palette.Color, n_pixels: int = 200) -> bool:
    """Whether something is drawn in this color, with any brightness."""
    brightness = pixels.max(axis=2)
    hue = pixels / np.maximum(brightness, 0.01)[:, :, None]
    near = np.abs(hue - np.array(color) / max(color)).max(axis=2) < 0.08
    return bool((near & (brightness > 0.25)).sum() > n_pixels)
