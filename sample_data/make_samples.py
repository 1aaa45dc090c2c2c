"""Make the samples of this folder, volumes, a mesh and point sets, from formulas: nobody's data are
copied.

    python sample_data/make_samples.py [FOLDER]

Every value comes from the formulas below, evaluated in float64 and rounded to a fixed step, so that
the last bits of a library's sine make no difference; the random ones draw on a generator that is
written out here. The same files come out everywhere, today and tomorrow, and a test holds the
committed ones equal to this script. README.md describes each.

Needs NumPy, and VTK for the volumes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """One image: `values` (nz, ny, nx), x fastest; `spacing` and `origin` are x, y, z."""

    array_name: str
    values: NDArray[np.float32] | NDArray[np.uint8]
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float]


@dataclass(frozen=True)
class MeshSample:
    """One mesh: `points` (V, 3), `tets` (T, 4) points of each, `values` (V,)."""

    array_name: str
    points: NDArray[np.float32]
    tets: NDArray[np.int64]
    values: NDArray[np.float32]


def main() -> None:
    """Write every sample into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Make the samples.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    folder = parser.parse_args().folder
    for name, make in SAMPLES.items():
        write_vti(folder / f"{name}.vti", make())
    for name, make_points in POINT_SETS.items():
        write_csv(folder / f"{name}.csv", make_points())
    for name, make_mesh in MESHES.items():
        write_vtu(folder / f"{name}.vtu", make_mesh())


# === The volumes


def atomic_orbital() -> Sample:
    """Wave function of a hydrogen atom in a 4f state, whose axes are not the grid's.

    psi = (x (x^2 - 3 y^2) + (5 z^3 - 3 z r^2) / 5) exp(-r / 4), r in Bohr radii, divided by
    12^3 exp(-3), its radial part's maximum. Six lobes of alternating sign around the z axis and one
    at each of its ends. The small second term lifts a degeneracy: without it the whole axis is
    critical.
    """
    low, high = (-24.0, -24.0, -24.0), (24.0, 24.0, 24.0)
    z, y, x = box((40, 40, 40), low, high)
    x, y, z = turned(x, y, z, around_z=0.31, around_x=0.44)
    r = np.sqrt(x**2 + y**2 + z**2)
    psi = (x * (x**2 - 3 * y**2) + (5 * z**3 - 3 * z * r**2) / 5) * np.exp(-r / 4)
    return sample("psi", psi / (12**3 * np.exp(-3)), 2.0**-18, low, high)


def two_centers() -> Sample:
    """Potential of two stars (masses 0.7 and 0.3, distance 1) in the frame that turns with them.

    phi = -m1 / r1 - m2 / r2 - (x^2 + y^2) / 2, each mass softened over 0.15. Its critical points
    have names: the two stars, and Lagrange's L1 to L5.
    """
    low, high = (-1.8, -1.8, -0.7), (1.8, 1.8, 0.7)
    z, y, x = box((24, 54, 54), low, high)
    r1 = np.sqrt((x + 0.3) ** 2 + y**2 + z**2 + 0.15**2)
    r2 = np.sqrt((x - 0.7) ** 2 + y**2 + z**2 + 0.15**2)
    phi = -0.7 / r1 - 0.3 / r2 - (x**2 + y**2) / 2
    return sample("potential", phi, 2.0**-18, low, high)


def marschner_lobb() -> Sample:
    """The test signal of Marschner and Lobb (1994), frequency 6, alpha 0.25, on 41^3 bytes.

    rho = (1 - sin(pi z / 2) + alpha (1 + cos(2 pi f cos(pi r / 2)))) / (2 (1 + alpha)) over
    [-1, 1]^3, r = sqrt(x^2 + y^2). Almost at the sampling limit, and full of equal values.
    """
    low, high = (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)
    frequency, alpha = 6.0, 0.25
    z, y, x = box((41, 41, 41), low, high)
    ring = np.cos(2 * np.pi * frequency * np.cos(np.pi / 2 * np.sqrt(x**2 + y**2)))
    rho = (1 - np.sin(np.pi / 2 * z) + alpha * (1 + ring)) / (2 * (1 + alpha))
    return sample("signal", rho, 1 / 255, low, high, dtype=np.uint8)


def noisy_field() -> Sample:
    """Sixty plane waves of random direction and phase, and one percent of white noise."""
    low, high = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    shape = (40, 40, 40)
    z, y, x = box(shape, low, high)
    waves = 60
    direction = uniform(seed=1, count=3 * waves).reshape(waves, 3) * 2 - 1
    phase = uniform(seed=2, count=waves)
    field = np.zeros(shape)
    for (kx, ky, kz), start in zip(direction * 3.0, phase, strict=True):
        field += np.cos(2 * np.pi * (kx * x + ky * y + kz * z + start))
    field /= np.sqrt(waves / 2)
    noise = uniform(seed=3, count=field.size).reshape(shape) * 2 - 1
    return sample("field", field + 0.01 * np.sqrt(3.0) * noise, 2.0**-18, low, high)


def terrain() -> Sample:
    """Heights in meters over a square of 12 km: four octaves of hills, and a range with a pass."""
    low, high = (0.0, 0.0, 0.0), (12000.0, 9600.0, 0.0)
    _, y, x = box((1, 193, 241), low, high)
    height = 900.0 * np.exp(-(((x - 3800) / 2200) ** 2) - ((y - 5600) / 1700) ** 2)
    height += 1100.0 * np.exp(-(((x - 8200) / 1900) ** 2) - ((y - 4300) / 1900) ** 2)
    waves = 24
    for octave in range(4):
        direction = uniform(seed=10 + octave, count=2 * waves).reshape(waves, 2) * 2 - 1
        phase = uniform(seed=20 + octave, count=waves)
        hills = np.zeros_like(height)
        for (kx, ky), start in zip(direction * 2.0**octave / 4000.0, phase, strict=True):
            hills += np.cos(2 * np.pi * (kx * x + ky * y + start))
        height += 220.0 * 0.42**octave * hills / np.sqrt(waves / 2)
    return sample("height", height + 800.0, 1 / 64, low, high)


def ring() -> MeshSample:
    """Temperature in a ring of square section with rounded corners, of tetrahedra of many sizes.

    48 x 9 x 9 points; the section swells and shrinks along the ring, and inner points are moved by
    up to a fifth of their distance. Four hot and four cold spots on a background of twelve waves.
    Each of the 48 x 8 x 8 blocks is cut into six tetrahedra along one diagonal (Kuhn 1960).
    """
    n, m = 48, 9
    i, j, k = np.meshgrid(np.arange(n), np.arange(m), np.arange(m), indexing="ij")
    shift = uniform(seed=30, count=3 * i.size).reshape(3, *i.shape) * 0.4 - 0.2
    is_inner = (j % (m - 1) != 0) & (k % (m - 1) != 0)
    angle = 2 * np.pi * (i + 0.5 * shift[0]) / n
    u, v = ((a + is_inner * s) / (m - 1) * 2 - 1 for a, s in ((j, shift[1]), (k, shift[2])))
    u, v = u * np.sqrt(1 - 0.3 * v**2), v * np.sqrt(1 - 0.3 * u**2)
    half = 0.42 + 0.14 * np.cos(3 * angle)
    x = (2.0 + half * u) * np.cos(angle)
    y = (2.0 + half * u) * np.sin(angle)
    points = np.stack([x, y, half * v], axis=-1).reshape(-1, 3)
    points = (np.rint(points / 2.0**-14) * 2.0**-14).astype(np.float32)

    corner = (i * m + j) * m + k
    low = corner[:, :-1, :-1].reshape(-1)
    step = [corner[(i + 1) % n, j, k] - corner, np.full_like(corner, m), np.ones_like(corner)]
    steps = [s[:, :-1, :-1].reshape(-1) for s in step]
    tets = []
    for axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        a = low
        b = a + steps[axes[0]]
        c = b + steps[axes[1]]
        d = c + steps[axes[2]]
        is_even = axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        tets.append(np.stack([a, c, b, d] if is_even else [a, b, c, d], axis=1))

    at = points.astype(np.float64)
    spots = uniform(seed=31, count=24).reshape(8, 3)
    heat = np.zeros(len(at))
    for number, (turn, du, dv) in enumerate(spots):
        place = 2 * np.pi * (number + 0.5 * turn) / 8
        r = 2.0 + 0.5 * (du - 0.5)
        center = np.array([r * np.cos(place), r * np.sin(place), 0.5 * (dv - 0.5)])
        spread = ((at - center) ** 2).sum(axis=1)
        heat += (-1.0) ** number * 40 * np.exp(-spread / 0.18)
    waves = uniform(seed=32, count=48).reshape(12, 4)
    for kx, ky, kz, start in waves:
        wave = (2 * kx - 1) * at[:, 0] + (2 * ky - 1) * at[:, 1] + (2 * kz - 1) * at[:, 2]
        heat += 2.5 * np.cos(2 * np.pi * (wave + start))
    values = (np.rint((heat + 20) / 2.0**-12) * 2.0**-12).astype(np.float32)
    return MeshSample("temperature", points, np.concatenate(tets), values)


SAMPLES: dict[str, Callable[[], Sample]] = {
    "atomic_orbital": atomic_orbital,
    "two_centers": two_centers,
    "marschner_lobb": marschner_lobb,
    "noisy_field": noisy_field,
    "terrain": terrain,
}
MESHES: dict[str, Callable[[], MeshSample]] = {"ring": ring}


# === The point sets


def torus() -> Array:
    """360 points of a torus, (360, 3): circles of radius 0.8 around a circle of radius 2.

    Evenly by area: the plastic number's sequence (M. Roberts 2018), shaken by a third of a spacing.
    """
    n, ring, tube = 360, 2.0, 0.8
    plastic = 1.32471795724474602596
    k = np.arange(n)
    shaken = (uniform(seed=31, count=2 * n).reshape(2, n) - 0.5) * 0.6 / np.sqrt(n)
    u, v = (np.stack([k / plastic, k / plastic**2]) + shaken) % 1.0
    around, angle = 2 * np.pi * u, np.linspace(0.0, 2 * np.pi, 4097)
    area = (ring * angle + tube * np.sin(angle)) / (2 * np.pi * ring)
    across = np.interp(v, area, angle)
    from_axis = ring + tube * np.cos(across)
    return np.stack(
        [from_axis * np.cos(around), from_axis * np.sin(around), tube * np.sin(across)], axis=1
    )


def linked_circles() -> Array:
    """Two linked circles of radius 1, (200, 3), with noise of 0.05 to either side."""
    turn = 2 * np.pi * (np.arange(100) + uniform(seed=32, count=100)) / 100
    flat = np.stack([np.cos(turn), np.sin(turn), np.zeros(100)], axis=1)
    upright = np.stack([1.0 + np.cos(turn), np.zeros(100), np.sin(turn)], axis=1)
    noise = uniform(seed=33, count=600).reshape(200, 3) * 2 - 1
    return np.concatenate([flat, upright]) + 0.05 * noise


def noisy_sphere() -> Array:
    """280 points of the unit sphere, moved in or out by up to 0.1, and 20 outliers: (300, 3).

    The first lie on Fibonacci's spiral (R. Swinbank, R. J. Purser 2006); the outliers are anywhere
    in the cube of side 3.
    """
    k = np.arange(280)
    height = 1 - (2 * k + 1) / 280
    turn = np.pi * (3.0 - np.sqrt(5.0)) * k
    level = np.sqrt(1 - height**2)
    points = np.stack([level * np.cos(turn), level * np.sin(turn), height], axis=1)
    points *= 1.0 + 0.1 * (uniform(seed=34, count=280)[:, None] * 2 - 1)
    outliers = 1.5 * (uniform(seed=35, count=60).reshape(20, 3) * 2 - 1)
    return np.concatenate([points, outliers])


def clifford_torus() -> Array:
    """400 random points of a flat torus, (400, 4): (cos u, sin u, cos v, sin v) / sqrt(2)."""
    u, v = 2 * np.pi * uniform(seed=36, count=800).reshape(2, 400)
    return np.stack([np.cos(u), np.sin(u), np.cos(v), np.sin(v)], axis=1) / np.sqrt(2.0)


POINT_SETS: dict[str, Callable[[], Array]] = {
    "torus": torus,
    "linked_circles": linked_circles,
    "noisy_sphere": noisy_sphere,
    "clifford_torus": clifford_torus,
}


# === What they are made with


def box(
    shape: tuple[int, int, int], low: tuple[float, ...], high: tuple[float, ...]
) -> tuple[Array, Array, Array]:
    """Coordinates z, y, x of a grid of `shape` (nz, ny, nx) whose corners are `low` and `high`."""
    axes = [np.linspace(low[2 - a], high[2 - a], shape[a]) for a in range(3)]
    z, y, x = np.meshgrid(*axes, indexing="ij")
    return z, y, x


def turned(
    x: Array, y: Array, z: Array, *, around_z: float, around_x: float
) -> tuple[Array, Array, Array]:
    """Coordinates in axes that are turned by two angles in radians."""
    c, s = np.cos(around_z), np.sin(around_z)
    x, y = c * x + s * y, c * y - s * x
    c, s = np.cos(around_x), np.sin(around_x)
    return x, c * y + s * z, c * z - s * y


def uniform(*, seed: int, count: int) -> Array:
    """Numbers in [0, 1) by SplitMix64 (Steele, Lea, Flood 2014, section 5), the same for ever."""
    step = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        state = (
            np.arange(1, count + 1, dtype=np.uint64) + (np.uint64(seed) << np.uint64(32))
        ) * step
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((state ^ (state >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def sample(
    array_name: str,
    field: Array,
    step: float,
    low: tuple[float, float, float],
    high: tuple[float, float, float],
    dtype: type[np.float32] | type[np.uint8] = np.float32,
) -> Sample:
    """Round the field to whole steps; bytes count the steps, floats stay in the field's unit."""
    steps = np.rint(field / step)
    values = steps.astype(np.uint8) if dtype is np.uint8 else (steps * step).astype(np.float32)
    intervals = [max(n - 1, 1) for n in reversed(field.shape)]
    dx, dy, dz = (
        (b - a) / n if b > a else 1.0 for a, b, n in zip(low, high, intervals, strict=True)
    )
    return Sample(array_name, values, (dx, dy, dz), low)


def write_vti(path: Path, image: Sample) -> None:
    """Write VTK's XML image format, compressed with zlib so that every reader can read it."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

    data = vtkImageData()
    data.SetDimensions(*reversed(image.values.shape))
    data.SetSpacing(*image.spacing)
    data.SetOrigin(*image.origin)
    scalars = numpy_to_vtk(image.values.reshape(-1))
    scalars.SetName(image.array_name)
    data.GetPointData().SetScalars(scalars)
    writer = vtkXMLImageDataWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(data)
    writer.SetCompressorTypeToZLib()
    writer.SetCompressionLevel(9)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    if not writer.Write():
        raise OSError(f"{path} could not be written")


def write_csv(path: Path, points: Array) -> None:
    """Write points as a table with the columns x, y, z, w, rounded to four decimals."""
    lines = [",".join("xyzw"[: points.shape[1]])]
    lines += [",".join(f"{value + 0.0:.4f}" for value in row) for row in points.tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_vtu(path: Path, mesh: MeshSample) -> None:
    """Write VTK's XML format of unstructured grids, in the same way."""
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    from vtkmodules.util.vtkConstants import VTK_TETRA
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkUnstructuredGrid
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

    points, cells, data = vtkPoints(), vtkCellArray(), vtkUnstructuredGrid()
    points.SetData(numpy_to_vtk(mesh.points, deep=1))
    offsets = np.arange(len(mesh.tets) + 1, dtype=np.int64) * 4
    cells.SetData(
        numpy_to_vtkIdTypeArray(offsets, deep=1),
        numpy_to_vtkIdTypeArray(mesh.tets.reshape(-1), deep=1),
    )
    data.SetPoints(points)
    data.SetCells(VTK_TETRA, cells)
    scalars = numpy_to_vtk(mesh.values, deep=1)
    scalars.SetName(mesh.array_name)
    data.GetPointData().SetScalars(scalars)
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(data)
    writer.SetCompressorTypeToZLib()
    writer.SetCompressionLevel(9)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    if not writer.Write():
        raise OSError(f"{path} could not be written")


if __name__ == "__main__":
    main()
