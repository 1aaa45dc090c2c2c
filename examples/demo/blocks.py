"""Picture of a block-sparse sum: a gaussian of every point at every other one within a radius.

Left the points in the color of their sum. Right the pattern: rows and columns are the points,
sorted by the cells of a grid, and what is bright is computed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper, vtkImageActor

import separatrix as sx
from examples.demo.prepare import array_of, named, points_of, polydata
from examples.demo.scene import FAINT_COLOR, Picture, aim, shaded
from separatrix.plotting.palette import Color

N_POINTS, SIGMA, RADIUS = 20_000, 0.1, 0.4
STOPS: tuple[Color, ...] = (  # from few neighbors to many
    (0.13, 0.20, 0.42), (0.16, 0.42, 0.58), (0.25, 0.65, 0.56), (0.68, 0.82, 0.36),
    (0.99, 0.91, 0.45),
)  # fmt: skip
TILE_COLOR = np.array([0.99, 0.80, 0.36])
PIXELS = 560  # a side of the pattern


def knot() -> np.ndarray:
    """Points around a trefoil knot (n, 3) float32, denser on one side."""
    random = np.random.default_rng(8)
    u = 2 * np.pi * random.random(N_POINTS)
    t = u + 0.4 * np.sin(u)
    curve = np.stack(
        [np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=1
    )
    return np.asarray(curve + 0.16 * random.standard_normal((N_POINTS, 3)), dtype=np.float32)


def sums_of(points: np.ndarray, device: str = "auto") -> tuple[np.ndarray, sx.BlockPattern]:
    """The sum of gaussians at each point (n,), and the pattern of the pairs in reach."""
    pattern = sx.BlockPattern.from_cells(points, points, RADIUS, device=device)
    weights = np.ones(len(points), np.float32)
    sums = sx.reduce(
        "gaussian", points, points, weights, pattern=pattern, radius=RADIUS, sigma=SIGMA,
        device=device,
    )  # fmt: skip
    return sx.to_host(sums), pattern


def with_sums(points: np.ndarray, sums: np.ndarray) -> vtkPolyData:
    """The points as a dataset with the array GaussianSum."""
    data = polydata(points.astype(np.float64), np.arange(len(points) + 1), "verts")
    data.GetPointData().SetScalars(named(sums, "GaussianSum"))
    return data


def draw_sums(data: vtkPolyData, pattern: sx.BlockPattern, path: Path) -> None:
    """The picture of sums that are there."""
    picture = Picture()
    half, sums = picture.size[0] / 2, array_of(data.GetPointData(), "GaussianSum")
    space = picture.panel((0.0, 0.0, 0.5, 1.0))
    add_colored_points(space, data, (0.70, 0.68))
    add_tiles(picture.panel((0.5, 0.0, 1.0, 1.0)), pattern)

    picture.heading(
        f"A gaussian sum over {len(sums):,} points", f"sigma {SIGMA:g}, radius {RADIUS:g}",
        room=half - 60,
    )  # fmt: skip
    words = f"{pattern.n_pairs / 1e6:.0f} million pairs: {pattern.fill:.1%} of all"
    picture.heading("The tiles that are computed", words, half + 10)
    picture.text("rows and columns: points by grid cell", (half + 10, 66), 13, FAINT_COLOR)
    left, wide, n = 50.0, 250.0, 64
    for i, color in enumerate(ramp(np.linspace(0.0, 1.0, n))):
        corners = np.array([[0.0, -6.0], [1.0, -6.0], [1.0, 6.0], [0.0, 6.0]]) * [wide / n + 0.4, 1]
        picture.polygon((left + i * wide / n, 58), corners, (color[0], color[1], color[2]))
    picture.text("few neighbors", (left, 34), 14)
    picture.text("many", (left + wide - 36, 34), 14)
    picture.write(path)


def add_colored_points(space: Any, data: vtkPolyData, room: tuple[float, float]) -> None:
    """Points as small spheres in the color of their sum."""
    sums = array_of(data.GetPointData(), "GaussianSum")
    rank = (sums - sums.min()) / (np.ptp(sums) or 1.0)
    shown = vtkPolyData()
    shown.ShallowCopy(data)
    shown.GetPointData().SetScalars(named((255 * ramp(rank)).astype(np.uint8), "color"))
    sphere = vtkSphereSource()
    sphere.SetRadius(0.028)
    sphere.SetThetaResolution(10)
    sphere.SetPhiResolution(8)
    mapper = vtkGlyph3DMapper()
    mapper.SetInputData(shown)
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.ScalingOff()
    space.AddActor(shaded(vtkActor(), mapper, specular=0.1))
    aim(space, points_of(data), np.array([0.1, -0.5, 1.0]), np.array([0.0, 1.0, 0.0]), room)


def ramp(part: np.ndarray) -> np.ndarray:
    """Colors (n, 3) in 0..1 of parts (n,) in 0..1."""
    at = np.linspace(0.0, 1.0, len(STOPS))
    return np.stack([np.interp(part, at, channel) for channel in np.array(STOPS).T], axis=1)


def add_tiles(renderer: Any, pattern: sx.BlockPattern) -> None:
    """The pattern as a square; brightness is the part of a pixel's pairs that is computed."""
    cover = coverage(pattern)
    dark = np.array([0.11, 0.14, 0.20])
    part = np.sqrt(np.clip(cover, 0.0, 1.0))[:, :, None]
    colors = (255 * (dark + part * (TILE_COLOR - dark))).astype(np.uint8)
    image = vtkImageData()
    image.SetDimensions(PIXELS, PIXELS, 1)
    image.GetPointData().SetScalars(named(colors[::-1].reshape(-1, 3), "colors"))
    actor = vtkImageActor()
    actor.SetInputData(image)
    actor.InterpolateOff()
    renderer.AddActor(actor)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    middle = 0.5 * (PIXELS - 1)
    camera.SetFocalPoint(middle, middle, 0.0)
    camera.SetPosition(middle, middle, 1.0)
    renderer.ResetCamera()
    camera.SetParallelScale(0.5 * PIXELS / 0.66)
    renderer.ResetCameraClippingRange()


def coverage(pattern: sx.BlockPattern) -> np.ndarray:
    """Fraction of the pairs of each pixel that the pattern contains: (PIXELS, PIXELS) in 0..1."""
    blocks, offsets, columns = (
        sx.to_host(array) for array in (pattern.blocks, pattern.offsets, pattern.intervals)
    )
    rows = np.repeat(blocks, np.diff(offsets), axis=0) * (PIXELS / pattern.n_rows)
    columns = columns * (PIXELS / pattern.n_columns)
    # The second difference of a rectangle's area is four corners, each spread over four pixels.
    corners = np.zeros((PIXELS + 2, PIXELS + 2))
    for i, j, sign in ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)):
        y, x = rows[:, i], columns[:, j]
        v, u = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
        for dv, weight_y in ((0, 1 - (y - v)), (1, y - v)):
            for du, weight_x in ((0, 1 - (x - u)), (1, x - u)):
                np.add.at(corners, (v + dv, u + du), sign * weight_y * weight_x)
    return np.asarray(corners.cumsum(axis=0).cumsum(axis=1)[:PIXELS, :PIXELS])
