"""A plane through a volume: where to lay it, and how the regions look that it cuts.

Positions are (n, 3) in the units of the image; pixels are (rows, columns) over a square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData

from examples.demo.prepare import (
    array_of,
    named,
    points_of,
    polydata,
)
from separatrix.plotting.palette import label_colors

PIXELS = 1200  # a side
FLAT = 0.6  # extrema lie in a plane if they stray from it by less than this part of their spread


@dataclass(frozen=True)
class Plane:
    """A square round `center` spanned by the unit vectors `along` and `across`.

    `depth` is how far from it things still belong to it, `name` says where it lies.
    """

    center: np.ndarray
    along: np.ndarray
    across: np.ndarray
    normal: np.ndarray
    half_width: float
    depth: float
    name: str

    def positions(self) -> np.ndarray:
        """Positions of the pixels (PIXELS * PIXELS, 3), along fastest."""
        at = np.linspace(-self.half_width, self.half_width, PIXELS)
        v, u = np.meshgrid(at, at, indexing="ij")
        flat = u.reshape(-1, 1) * self.along + v.reshape(-1, 1) * self.across
        return np.asarray(self.center + flat)

    def image_of(self, pixels: np.ndarray, name: str) -> vtkImageData:
        """The square as an image in the plane z = 0. pixels: (PIXELS * PIXELS, ...)."""
        image = vtkImageData()
        image.SetDimensions(PIXELS, PIXELS, 1)
        step = 2 * self.half_width / (PIXELS - 1)
        image.SetSpacing(step, step, 1.0)
        image.SetOrigin(-self.half_width, -self.half_width, 0.0)
        image.GetPointData().SetScalars(named(pixels, name))
        return image

    def flatten(self, points: vtkPolyData, within: float, image: vtkImageData) -> None:
        """Lay the points that are near the plane into z = 0; drop what falls off the picture.

        A point can fall outside the part of the square that the image covers, for it moves along
        the normal.
        """
        offset = points_of(points) - self.center
        flat = np.stack([offset @ self.along, offset @ self.across, np.zeros(len(offset))], axis=1)
        foot = self.center + flat[:, :1] * self.along + flat[:, 1:2] * self.across
        near = np.abs(offset @ self.normal) <= within
        near &= np.all(np.abs(flat) <= self.half_width, axis=1) & is_inside(image, foot)
        index = array_of(points.GetPointData(), "CellDimension")
        kept = polydata(flat[near], np.arange(near.sum() + 1), "verts")
        kept.GetPointData().AddArray(named(index[near], "CellDimension"))
        points.ShallowCopy(kept)


def plane_of_extrema(outputs: Any, array: str) -> Plane:
    """The plane nearest to the strongest inner extrema; if there is none, across the third axis."""
    image, data = outputs.segmentation, outputs.critical_points.GetPointData()
    bounds = np.array(image.GetBounds()).reshape(3, 2)
    half_width = 0.5 * float(np.max(bounds[:, 1] - bounds[:, 0]))
    center = np.array(image.GetCenter())
    index, inner = array_of(data, "CellDimension"), array_of(data, "IsOnBoundary") == 0
    values = array_of(data, array).astype(np.float64)
    extremum = inner & ((index == 0) | (index == 3))
    if extremum.sum() >= 4:
        positions = points_of(outputs.critical_points)[extremum]
        weight = (values[extremum] - np.median(values)) ** 2
        middle = np.average(positions, axis=0, weights=weight)
        _, spread, axes = np.linalg.svd((positions - middle) * np.sqrt(weight)[:, None])
        if spread[2] < FLAT * spread[1]:
            normal = axes[2] if axes[2][2] >= 0 else -axes[2]
            along = np.cross([0.0, 1.0, 0.0], normal)
            along /= np.linalg.norm(along)
            depth = 2.0 * spread[2] / np.sqrt(weight.sum())
            across, name = np.cross(normal, along), "in the plane of the extrema"
            return Plane(middle, along, across, normal, half_width, depth, name)
    x, y, z = np.eye(3)
    depth = 1.5 * image.GetSpacing()[2]
    return Plane(center, x, y, z, half_width, depth, "half-way up the third axis")


def sampled(image: vtkImageData, array: str, positions: np.ndarray) -> np.ndarray:
    """Linear interpolation of point data at positions (n, 3); outside, that of the nearest face."""
    values = array_of(image.GetPointData(), array).astype(np.float64)
    nx, ny, nz = image.GetDimensions()
    at = grid_coordinates(image, positions)
    last = np.array([nx, ny, nz]) - 1
    low = np.clip(np.floor(at).astype(np.int64), 0, np.maximum(last - 1, 0))
    part = np.clip(at - low, 0.0, 1.0)
    found = np.zeros(len(at))
    for corner in range(8):
        step = np.array([corner & 1, corner >> 1 & 1, corner >> 2 & 1])
        weight = np.prod(np.where(step, part, 1.0 - part), axis=1)
        x, y, z = np.minimum(low + step, last).T
        found += weight * values[(z * ny + y) * nx + x]
    return found


def is_inside(image: vtkImageData, positions: np.ndarray) -> np.ndarray:
    """Mask of the positions (n, 3) inside the image."""
    at = grid_coordinates(image, positions)
    last = np.array(image.GetDimensions()) - 1
    return np.asarray(np.all((at >= -0.01) & (at <= last + 0.01), axis=1))


def grid_coordinates(image: vtkImageData, positions: np.ndarray) -> np.ndarray:
    """Positions (n, 3) counted in points of the image from its first."""
    matrix = image.GetDirectionMatrix()
    direction = np.array([[matrix.GetElement(i, j) for j in range(3)] for i in range(3)])
    first = np.array(image.GetExtent()[0::2])
    turned = (positions - np.array(image.GetOrigin())) @ np.linalg.inv(direction).T
    return np.asarray(turned / np.array(image.GetSpacing()) - first)


def colored_regions(image: vtkImageData, array: str, plane: Plane) -> tuple[np.ndarray, np.ndarray]:
    """Colors (n, 4) uint8 of the regions in the plane, shaded as a relief, and the field (n,)."""
    positions = plane.positions()
    values, inside = sampled(image, array, positions), is_inside(image, positions)
    labels = labels_near(image, positions).reshape(PIXELS, PIXELS)
    pixels_per_point = min(image.GetSpacing()) / (2 * plane.half_width / (PIXELS - 1))
    labels = smoothed_labels(labels, 0.8 * pixels_per_point)
    colors = label_colors(int(labels.max()) + 1)[labels.reshape(-1)]
    colors = colors * relief_shade(values)[:, None]
    colors[edges_of(labels).reshape(-1)] *= 0.35
    pixels = np.clip(np.column_stack([colors, inside]) * 255.0, 0, 255).astype(np.uint8)
    return pixels, np.where(inside, values, np.nan)


def labels_near(image: vtkImageData, positions: np.ndarray) -> np.ndarray:
    """MorseSmaleManifold of the nearest point of the image."""
    labels = array_of(image.GetPointData(), "MorseSmaleManifold")
    last = np.array(image.GetDimensions()) - 1
    x, y, z = np.clip(np.rint(grid_coordinates(image, positions)).astype(np.int64), 0, last).T
    nx, ny, _ = image.GetDimensions()
    return np.array(labels[(z * ny + y) * nx + x])


def smoothed_labels(labels: np.ndarray, width: float) -> np.ndarray:
    """Each pixel takes the label that weighs most around it: voxels lose their corners."""
    best, winner = np.full(labels.shape, -1.0), labels.copy()
    reach = max(int(width), 1)
    for label in np.unique(labels):
        rows, columns = np.nonzero(labels == label)
        part = tuple(
            slice(max(at.min() - 2 * reach, 0), at.max() + 2 * reach + 1) for at in (rows, columns)
        )
        weight = blurred((labels[part] == label).astype(np.float64), reach)
        better = weight > best[part]
        best[part] = np.where(better, weight, best[part])
        winner[part] = np.where(better, label, winner[part])
    return winner


def blurred(picture: np.ndarray, reach: int) -> np.ndarray:
    """Mean over a square of 2 * reach + 1 pixels, twice; edges repeat."""
    for axis in (0, 1, 0, 1):
        padding = [(reach + 1, reach) if axis == a else (0, 0) for a in (0, 1)]
        total = np.cumsum(np.pad(picture, padding, mode="edge"), axis=axis)
        n = total.shape[axis]
        width = 2 * reach + 1
        picture = (
            np.take(total, range(width, n), axis) - np.take(total, range(n - width), axis)
        ) / width
    return picture


def edges_of(labels: np.ndarray) -> np.ndarray:
    """Pixels at which the label changes, two pixels wide."""
    edge = np.zeros(labels.shape, dtype=bool)
    down, right = labels[1:] != labels[:-1], labels[:, 1:] != labels[:, :-1]
    for change, first, second in (
        (down, np.s_[1:, :], np.s_[:-1, :]),
        (right, np.s_[:, 1:], np.s_[:, :-1]),
    ):
        edge[first] |= change
        edge[second] |= change
    return edge


def relief_shade(values: np.ndarray) -> np.ndarray:
    """Brightness of a relief whose height is the field, lit from the upper left."""
    heights = values.reshape(PIXELS, PIXELS)
    heights = heights / (np.ptp(heights) or 1.0) * PIXELS * 0.22
    dy, dx = np.gradient(blurred(heights, 6))
    light = (1.0 + 0.6 * dx - 0.8 * dy) / np.sqrt(1.0 + dx**2 + dy**2) / np.sqrt(2.0)
    return np.asarray(np.clip(0.45 + 0.75 * light, 0.35, 1.25)).reshape(-1)
