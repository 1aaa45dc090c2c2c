"""Input for which rounding or order could decide: ties, extreme numbers, degeneracy.

Small enough for the oracles, seeded, and the same on every device.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
SOURCES = ["hard", *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4))]
"""Input of a test: the hard input of this file, or in long runs random input of a seed."""

# === orders


def orders(n: int, seed: int = 0) -> dict[str, Array]:
    """Permutations of 0 .. n - 1 for which sorts, trees, and unions may be slow or wrong."""
    up = np.arange(n)
    bits = max(n - 1, 1).bit_length()
    turned = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(n)]
    zigzag = np.empty(n, np.int64)
    zigzag[::2], zigzag[1::2] = up[: (n + 1) // 2], up[(n + 1) // 2 :][::-1]
    return {
        "sorted": up,
        "reversed": up[::-1].copy(),
        "bit-reversed": np.argsort(turned, kind="stable"),
        "zigzag": zigzag,
        "shuffled": np.random.default_rng(seed).permutation(n),
    }


# === numbers


def _around(dtype: str) -> Array:
    """Adjacent numbers at both ends of a dtype, near zero, and where float64 merges them."""
    limits = np.iinfo(dtype)
    near = [limits.min, limits.min + 1, limits.max - 1, limits.max, 0, 1, -1]
    near += [2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1]
    return np.array([n for n in near if limits.min <= n <= limits.max], dtype)


def _floats(dtype: str) -> dict[str, Array]:
    limits, one = np.finfo(dtype), np.dtype(dtype).type(1)
    least = np.nextafter(0 * one, one)
    small, large = (np.dtype(dtype).type(x) for x in (1e-30, 1e30))
    near = [np.nextafter(x, 2 * x) for x in (small, large)]
    return {
        f"signed zeros {dtype}": np.array([0.0, -0.0], dtype),
        f"both ends {dtype}": np.array([limits.min, limits.max], dtype),
        f"ends and denormals {dtype}": np.array(
            [limits.min, limits.max, least, -least, 0.0, -0.0], dtype
        ),
        f"denormals {dtype}": np.array(
            [0.0, -0.0, least, -least, 2 * least, 3 * least, limits.tiny, -limits.tiny], dtype
        ),
        f"1e-30 {dtype}": np.array([small, near[0], -small, -near[0], 2 * small], dtype),
        f"1e30 {dtype}": np.array([large, near[1], -large, -near[1], 2 * large], dtype),
        f"mixed {dtype}": np.array([small, large, -small, -large, one, 0, limits.max], dtype),
    }


def numbers() -> dict[str, Array]:
    """Palettes from which the values of a field are drawn, by name."""
    return {
        "all equal uint8": np.array([255], np.uint8),
        "all equal float64": np.array([-1e300]),
        "two values bool": np.array([False, True]),
        "two values int8": np.array([-128, 127], np.int8),
        "int64 limits": _around("int64"),
        "uint64 limits": _around("uint64"),
        "int16 limits": _around("int16"),
        "uint32 limits": _around("uint32"),
        **_floats("float32"),
        **_floats("float64"),
        "float16": np.array([-65504, 65504, 6e-8, -6e-8, 0.0, -0.0], np.float16),
    }


def arranged(palette: Array, n: int, seed: int) -> Iterator[tuple[str, Array]]:
    """Numbers of a palette, `n` of them, in each of the orders."""
    drawn = np.sort(np.random.default_rng(seed).choice(palette, n))
    for name, order in orders(n, seed).items():
        values = np.empty_like(drawn)
        values[order] = drawn
        yield name, values


def hard_fields(shapes: list[tuple[int, ...]], seed: int) -> Iterator[tuple[str, Array]]:
    """Images (name, values) of every palette in every order, with alternating shapes."""
    k = seed
    for palette_name, palette in numbers().items():
        for _ in range(2):
            shape = shapes[k % len(shapes)]
            for name, values in arranged(palette, int(np.prod(shape)), k):
                yield f"{palette_name}, {name}, {shape}", values.reshape(shape)
            k += 1


# === points


def lattice(n: int) -> Array:
    """The simple cubic lattice, n points along each axis: (n^3, 3) int64."""
    return np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)


def face_centered(n: int) -> Array:
    """The part of the face-centered cubic lattice in a box: points with an even sum."""
    points = lattice(n)
    return points[points.sum(1) % 2 == 0]


def body_centered(n: int) -> Array:
    """The part of the body-centered cubic lattice in a box: coordinates of equal parity."""
    points = lattice(n) % 2
    return lattice(n)[(points == points[:, :1]).all(1)]


def icosahedron() -> Array:
    """Twelve points on one sphere, exactly: an icosahedron with 8 : 5 for the golden ratio."""
    corners = [(0, a, b) for a in (-5, 5) for b in (-8, 8)]
    return np.array([np.roll(corner, k) for k in range(3) for corner in corners])


def on_circle() -> Array:
    """Twenty points on a circle of radius 25 in a plane, exactly."""
    legs = [(x, y, 0) for x in range(-25, 26) for y in range(-25, 26) if x * x + y * y == 625]
    return np.array(legs)


def on_sphere(square: int) -> Array:
    """All integer points on the sphere with a squared radius."""
    n = int(square**0.5) + 1
    points = lattice(2 * n + 1) - n
    return points[(points**2).sum(1) == square]


def whole_points() -> dict[str, Array]:
    """Sets of integer points (n, 3) int64 that are not in general position."""
    return {
        "one point": np.array([[3, -2, 7]]),
        "two points": np.array([[0, 0, 0], [3, 4, 0]]),
        "twice the same": np.array([[1, 1, 1], [1, 1, 1]]),
        "a square": np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [2, 2, 0]]),
        "cubic": lattice(2),
        "face-centered": face_centered(3)[:10],
        "body-centered": body_centered(3),
        "icosahedron": icosahedron(),
        "circle": on_circle()[::2],
        "sphere": on_sphere(9)[::3],
        "a line": np.array([[2 * i, 3 * i, -i] for i in (0, 1, 2, 3, 5, 8, 9)]),
        "a tilted plane": np.array([[i, j, i - 2 * j] for i in range(3) for j in range(3)]),
        "duplicates": np.repeat(lattice(2)[::3], 3, axis=0),
        "two magnitudes": np.array(
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [999, 0, 0], [999, 1, 0], [0, 999, 1]]
        ),
    }


def pools() -> list[Array]:
    """Sets of integer points from which small sets are drawn."""
    return [
        lattice(3), face_centered(4), body_centered(4), on_sphere(9), on_sphere(14), on_sphere(26),
        on_circle(), icosahedron(), lattice(2) * [1, 1, 0], np.arange(6)[:, None] * [1, 2, 3],
    ]  # fmt: skip


def drawn_points(random: Any, least: int, most: int) -> Array:
    """`least` to `most` - 1 points of one of the pools, with or without repetition."""
    choice = pools()
    pool = choice[random.integers(len(choice))]
    n = int(random.integers(least, most))
    return pool[random.choice(len(pool), n, replace=n > len(pool) or random.random() < 0.2)]


def scaled_points() -> dict[str, Array]:
    """Sets of float64 points (n, 3) of extreme, mixed, and tiny magnitude."""
    random = np.random.default_rng(19)
    cloud = random.random((24, 3))
    least = np.nextafter(0.0, 1.0)
    magnitudes = 10.0 ** random.integers(-30, 31, (24, 3))
    return {
        "1e-30": 1e-30 * cloud,
        "1e30": 1e30 * (cloud - 0.5),
        "mixed magnitudes": magnitudes * random.choice([-1, 1], (24, 3)),
        "denormals": least * random.integers(-3, 4, (24, 3)),
        "denormals of float32": 2.0**-149 * random.integers(-3, 4, (24, 3)),
        "signed zeros": np.copysign(0.0, cloud - 0.5),
        "squares that underflow": 1e-170 * cloud,
        "largest": 1e149 * np.sign(cloud - 0.5),
        "far away": 2.0**52 + random.integers(0, 4, (24, 3)),
        "nearly a line": np.stack([np.arange(24.0), 1e-17 * np.arange(24), np.zeros(24)], 1),
    }


def hard_points() -> dict[str, Array]:
    """All sets, as float64."""
    return {**{k: v.astype(float) for k, v in whole_points().items()}, **scaled_points()}


HARD_SETS = {f"hard {name}": points for name, points in hard_points().items()} | {
    "cubic lattice": lattice(6).astype(float),
    "face-centered lattice": face_centered(7).astype(float),
    "body-centered lattice": body_centered(8).astype(float),
    "sphere of 101": on_sphere(101).astype(float),
}
"""All sets (n, 3) float64, and lattices."""

SYMMETRIES = [
    (axes, signs)
    for axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0))
    for signs in ((1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, -1))
]
"""Half of the symmetries of a cube: a permutation of the axes, and their signs."""


def moved(points: Array, axes: tuple[int, ...], signs: tuple[int, ...]) -> Array:
    """Points under a symmetry of the cube."""
    return points[:, axes] * np.array(signs)
