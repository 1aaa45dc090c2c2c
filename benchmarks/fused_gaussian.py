"""A fused Gaussian sum in Triton, as a peer of the reductions."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"rows_per_tile": rows, "columns_per_tile": columns}, num_warps=warps)
        for rows in (64, 128, 256)
        for columns in (32, 64, 128)
        for warps in (4, 8)
    ],
    key=["n"],
)
@triton.jit
def _sums(x, y, z, b, out, n, rate, rows_per_tile: tl.constexpr, columns_per_tile: tl.constexpr):
    row = tl.program_id(0) * rows_per_tile + tl.arange(0, rows_per_tile)
    is_row = row < n
    x_i = tl.load(x + row, is_row)[:, None]
    y_i = tl.load(y + row, is_row)[:, None]
    z_i = tl.load(z + row, is_row)[:, None]
    total = tl.zeros((rows_per_tile, columns_per_tile), tl.float32)
    for first in range(0, n, columns_per_tile):
        column = first + tl.arange(0, columns_per_tile)
        is_column = column < n
        dx = x_i - tl.load(x + column, is_column)[None, :]
        dy = y_i - tl.load(y + column, is_column)[None, :]
        dz = z_i - tl.load(z + column, is_column)[None, :]
        factor = tl.load(b + column, is_column, 0.0)[None, :]
        total += tl.exp2((dx * dx + dy * dy + dz * dz) * rate) * factor
    tl.store(out + row, tl.sum(total, 1), is_row)


def gaussian_sums(axes: list[Any], b: Any, sigma: float, out: Any) -> Any:
    """Write the sums of b exp(-d2 / (2 sigma^2)) over all points to `out` and return it."""
    n = len(b)
    rate = -1.4426950408889634 / (2 * sigma**2)
    _sums[lambda meta: (triton.cdiv(n, meta["rows_per_tile"]),)](*axes, b, out, n, rate)
    return out
