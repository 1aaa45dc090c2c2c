"""Seeded scalar fields of any size, the same bits on every machine."""

from __future__ import annotations

import argparse
import hashlib
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

WAVELENGTH = 100.0  # of the smooth part, in voxels: a larger volume has more features, not finer


def smooth_noisy(shape: tuple[int, int, int], noise: float = 0.01, seed: int = 7) -> np.ndarray:
    """Three products of cosines, range about 3.5, plus uniform noise as wide as `noise` times
    that range, float32. `noise` of 1 or more is white noise alone. Made plane by plane.
    """
    nz, ny, nx = shape
    t = 2 * np.pi / WAVELENGTH
    z, y, x = (np.cos(t * np.arange(n), dtype=np.float64) for n in (nz, ny, nx))
    z2, y2, x2 = (np.cos(1.7 * t * np.arange(n) + 1.0) for n in (nz, ny, nx))
    field = np.empty(shape, np.float32)
    random = np.random.default_rng(seed)
    for k in range(nz):
        plane = z[k] * np.outer(y, x) + 0.5 * z2[k] * np.outer(y2, x) + 0.25 * np.outer(y, x2)
        field[k] = plane if noise < 1 else 0
        field[k] += np.float32(3.5 * noise) * random.random((ny, nx), np.float32)
    return field


def read_volumes(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Raw volumes NAME_NXxNYxNZ_DTYPE.raw.xz of a folder, x fastest."""
    for path in sorted(folder.glob("*.raw.xz")):
        name, nx, ny, nz, dtype = re.fullmatch(
            r"(.+)_(\d+)x(\d+)x(\d+)_(\w+)\.raw\.xz", path.name
        ).groups()
        values = np.frombuffer(lzma.decompress(path.read_bytes()), dtype)
        yield name, values.reshape(int(nz), int(ny), int(nx))


def volumes_of(options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray]]:
    """Volumes that the options `sizes`, `noise`, and `volumes` of a benchmark describe."""
    for size in options.sizes:
        kind = f"smooth plus {options.noise:.0%} noise" if options.noise < 1 else "white noise"
        yield kind, smooth_noisy((size, size, size), options.noise)
    if options.volumes:
        yield from read_volumes(options.volumes)


def digest(*arrays: Any) -> str:
    """Short SHA-256 of arrays' bytes, wherever they live."""
    import separatrix as sx

    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.ascontiguousarray(sx.to_host(array)).view(np.uint8).data)
    return sha.hexdigest()[:16]
