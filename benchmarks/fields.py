"""Seeded scalar fields of any size, the same bits on every machine."""

from __future__ import annotations

import argparse
import hashlib
import lzma
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

LAYERS_AT_ONCE = 4
WAVELENGTH = 100.0  # of the smooth part, in voxels: a larger volume has more features, not finer


def smooth_noisy(shape: tuple[int, int, int], noise: float = 0.01) -> np.ndarray:
    """Three products of cosines, with a range of about 3.5, plus uniform noise, float32.

    The width of the noise is `noise` times that range; from 1 on, the field consists only of noise.
    """
    nz, ny, nx = shape
    t = 2 * np.pi / WAVELENGTH
    z, y, x = (np.cos(t * np.arange(n), dtype=np.float64) for n in (nz, ny, nx))
    z2, y2, x2 = (np.cos(1.7 * t * np.arange(n) + 1.0) for n in (nz, ny, nx))
    field = np.empty(shape, np.float32)
    random = np.random.default_rng(7)
    for k in range(nz):
        plane = z[k] * np.outer(y, x) + 0.5 * z2[k] * np.outer(y2, x) + 0.25 * np.outer(y, x2)
        field[k] = plane if noise < 1 else 0
        field[k] += np.float32(3.5 * noise) * random.random((ny, nx), np.float32)
    return field


class LazySmoothNoisy:
    """A smooth volume with 1% noise, float32, whose layers are generated when they are sliced.

    As :func:`smooth_noisy`, with noise from the number of the voxel. Slices are NumPy arrays, or on
    the current GPU if it generates them, with the same bits. `seconds` is the time that it took.
    """

    dtype = np.dtype(np.float32)

    def __init__(self, shape: tuple[int, int, int], noise: float = 0.01, on_gpu: bool = False):
        self.shape, self.seconds = tuple(shape), 0.0
        self._noise, self._on_gpu = np.float32(3.5 * noise), on_gpu
        t = 2 * np.pi / WAVELENGTH
        self._waves = [np.cos(t * np.arange(n)).astype(np.float32) for n in shape]
        self._waves += [np.cos(1.7 * t * np.arange(n) + 1).astype(np.float32) for n in shape]

    def __getitem__(self, place: Any) -> Any:
        started = time.perf_counter()
        layers = place[0] if isinstance(place, tuple) else place
        begin, end, _ = layers.indices(self.shape[0])
        made = self._module.empty((end - begin, *self.shape[1:]), np.float32)
        for first in range(begin, end, LAYERS_AT_ONCE):
            last = min(end, first + LAYERS_AT_ONCE)
            self._make(first, last, made[first - begin : last - begin])
        self.seconds += time.perf_counter() - started
        return made

    @property
    def _module(self) -> Any:
        if not self._on_gpu:
            return np
        import cupy

        return cupy

    def _make(self, begin: int, end: int, target: Any) -> None:
        xp = self._module
        z, y, x, z2, y2, x2 = map(xp.asarray, self._waves)
        z, z2 = (wave[begin:end, None, None] for wave in (z, z2))
        y, y2 = y[:, None], y2[:, None]
        found = z * (y * x) + np.float32(0.5) * (z2 * (y2 * x)) + np.float32(0.25) * (y * x2)
        layer = self.shape[1] * self.shape[2]
        # Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
        keys = xp.arange(begin * layer, end * layer, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys ^= keys >> np.uint64(shift)
            keys *= np.uint64(factor)
        keys >>= np.uint64(40)
        noise = keys.astype(np.float32) * np.float32(2**-24)
        found += self._noise * noise.reshape(found.shape)
        target[...] = found


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
