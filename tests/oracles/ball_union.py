"""Unions of balls without a complex: by slices, by sampling, and by filling voxels."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

# === by slices: volume = integral of the slices' areas, area = integral of R times the open arcs
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)


def measures_by_slices(centers: np.ndarray, radii: np.ndarray) -> tuple[float, np.ndarray]:
    """Volume of the union, and area of it on each sphere (n,); about 10 digits.

    Between events the integrands are smooth but for roots at the ends, which z = cos removes.
    """
    events = np.unique(_events(centers, radii))
    volume, area = 0.0, np.zeros(len(radii))
    for low, high in pairwise(events):
        turns = (NODES + 1) * np.pi / 2
        for turn, weight in zip(turns, WEIGHTS, strict=True):
            z = low + (high - low) * (1 - np.cos(turn)) / 2
            dz = weight * np.pi / 2 * (high - low) * np.sin(turn) / 2
            disc_area, open_arc = _slice(centers, radii, z)
            volume += disc_area * dz
            area += radii * open_arc * dz
    return volume, area


def _slice(centers: np.ndarray, radii: np.ndarray, z: float) -> tuple[float, np.ndarray]:
    """Area of the union of discs (Green's theorem over the open arcs), open arcs in radians."""
    squared = radii**2 - (z - centers[:, 2]) ** 2
    total, arcs = 0.0, np.zeros(len(radii))
    for i in np.flatnonzero(squared > 0):
        r, (x, y) = np.sqrt(squared[i]), centers[i, :2]
        covered = []
        is_hidden = False
        for j in np.flatnonzero(squared > 0):
            if j == i:
                continue
            dx, dy = centers[j, :2] - centers[i, :2]
            d, rj = np.hypot(dx, dy), np.sqrt(squared[j])
            if d + r <= rj:
                is_hidden = True
            elif abs(r - rj) < d < r + rj:
                half = np.arccos((d * d + r * r - rj * rj) / (2 * d * r))
                middle = np.arctan2(dy, dx) % (2 * np.pi)
                begin = (middle - half) % (2 * np.pi)
                for turn in (0, -2 * np.pi):
                    covered.append((begin + turn, begin + turn + 2 * half))
        at = 0.0
        for begin, end in [*sorted(covered), (2 * np.pi, 2 * np.pi)]:
            if is_hidden:
                break
            if begin > at:
                s, e = at, min(begin, 2 * np.pi)
                arcs[i] += e - s
                total += (
                    r
                    * (r * (e - s) + x * (np.sin(e) - np.sin(s)) - y * (np.cos(e) - np.cos(s)))
                    / 2
                )
            at = max(at, end)
    return total, arcs


def _events(centers: np.ndarray, radii: np.ndarray) -> list[float]:
    """Heights where slices change: poles, extremes of circles of two spheres, points on three."""
    events = [*(centers[:, 2] - radii), *(centers[:, 2] + radii)]
    for i, j in combinations(range(len(radii)), 2):
        d = centers[j] - centers[i]
        length = np.linalg.norm(d)
        zeta = (length**2 + radii[i] ** 2 - radii[j] ** 2) / (2 * length)
        if abs(zeta) < radii[i]:
            middle = centers[i, 2] + zeta * d[2] / length
            reach = np.sqrt((radii[i] ** 2 - zeta**2) * (1 - (d[2] / length) ** 2))
            events += [middle - reach, middle + reach]
    for i, j, k in combinations(range(len(radii)), 3):
        rows = centers[[j, k]] - centers[i]
        normal = np.cross(*rows)
        if not normal.any():
            continue
        right = [
            (np.dot(d, d) + radii[i] ** 2 - radii[m] ** 2) / 2
            for d, m in zip(rows, (j, k), strict=True)
        ]
        foot = np.linalg.solve(np.vstack([rows, normal]), [*right, 0.0])
        if radii[i] ** 2 > foot @ foot:
            up = np.sqrt(radii[i] ** 2 - foot @ foot) * normal / np.linalg.norm(normal)
            events += [centers[i, 2] + foot[2] + up[2], centers[i, 2] + foot[2] - up[2]]
    return events


# === by sampling
def sampled_volumes(
    centers: np.ndarray, radii: np.ndarray, n: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Volume of the union nearest by power to each ball, and its standard error."""
    low, high = (centers - radii[:, None]).min(0), (centers + radii[:, None]).max(0)
    points = random.uniform(low, high, (n, 3))
    power = ((points[:, None] - centers) ** 2).sum(2) - radii**2
    nearest = np.where(power.min(1) <= 0, power.argmin(1), len(radii))
    part = np.bincount(nearest, minlength=len(radii) + 1)[:-1] / n
    box = np.prod(high - low)
    return part * box, np.sqrt(part * (1 - part) / n) * box


def sampled_areas(centers: np.ndarray, radii: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Open area of each sphere by n points on a spiral (Shrake, Rupley 1973), and all of it."""
    k = np.arange(n) + 0.5
    z, turn = 1 - 2 * k / n, k * np.pi * (1 + 5**0.5)
    flat = np.sqrt(1 - z * z)
    directions = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])
    whole = 4 * np.pi * radii**2
    area = np.empty(len(radii))
    for i, (center, radius) in enumerate(zip(centers, radii, strict=True)):
        near = np.flatnonzero(((centers - center) ** 2).sum(1) < (radius + radii) ** 2)
        near = near[near != i]
        points = center + radius * directions
        inside = ((points[:, None] - centers[near]) ** 2).sum(2) < radii[near] ** 2
        area[i] = whole[i] * (~inside.any(1)).mean()
    return area, whole


# === by voxels
def voids_of_voxels(centers: np.ndarray, radii: np.ndarray, step: float) -> list[float]:
    """Volumes of the bounded components of the complement, the largest first."""
    from scipy import ndimage

    low, high = (centers - radii[:, None]).min(0) - 2 * step, (centers + radii[:, None]).max(0)
    axes = [np.arange(a, b + 2 * step, step) for a, b in zip(low, high, strict=True)]
    empty = np.ones([len(axis) for axis in axes], bool)
    for center, radius in zip(centers, radii, strict=True):
        x, y, z = ((axis - c) ** 2 for axis, c in zip(axes, center, strict=True))
        empty &= x[:, None, None] + y[None, :, None] + z[None, None, :] > radius**2
    label, n = ndimage.label(empty)
    sizes = np.bincount(label.ravel(), minlength=n + 1)
    sizes[[0, label[0, 0, 0]]] = 0
    return sorted((float(size) * step**3 for size in sizes[sizes > 0]), reverse=True)


# === openings
def in_polygon(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Mask of the points (n, 2) in a polygon (m, 2), by the sides that a ray along x crosses."""
    inside = np.zeros(len(points), bool)
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        crosses = (y0 > points[:, 1]) != (y1 > points[:, 1])
        inside ^= crosses & (points[:, 0] < x0 + (points[:, 1] - y0) * (x1 - x0) / (y1 - y0))
    return inside
