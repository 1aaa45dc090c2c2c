"""Reductions on the CPU: loops of kernels/sums/reduce.h over groups of rows of equal work."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..device import Array, HostDevice
from ..device.host import load_library
from ..device.local_compiler import CompileError, load_compiled
from ..errors import KernelError
from ..kernels import source
from ..spatial.pattern import BlockPattern
from .bound_formula import BoundFormula
from .built_in import formulas
from .expression import does_not_compile
from .problem import Problem

ALIGNMENT = 128  # bytes; a vector of 16 float64
PAIRS_PER_GROUP = 2e6  # about a millisecond, to balance the threads
ROW_COST = 64  # overhead of a row, in pairs


class HostForm:
    """The reductions of kernels/sums/reduce.h and sums/reduce_chosen.h."""

    BYTES_PER_ITEM = 8  # of a list

    MOST_COMPONENTS = source.constant("MOST_COMPONENTS")

    def __init__(self, problem: Problem, math: str = "exact"):
        """`math` has no effect."""
        self.problem = problem

    def sum(self, kind: int, has_factors: bool, out: Array) -> None:
        """Write sums (n_rows, n_components) to `out`."""
        self._launch("sum_over_pairs", kind, out.shape[1], int(has_factors), out)

    def log_sum(self, out: Array) -> None:
        """Write logarithms of sums of exponentials (n_rows,) to `out`."""
        self._launch("log_sum_over_pairs", out)

    def least(self, k: int, sign: int, out: Array, index: Array) -> None:
        """Write the k least (for sign -1, greatest) values and their columns, (n_rows, k)."""
        self._launch("least_over_pairs", k, sign, out, index)

    def count(self, counts: Array) -> None:
        """Count the pairs of each row whose value is not 0."""
        self._launch("count_over_pairs", counts)

    def list(self, starts: Array, items: Array) -> None:
        """Write the columns of these pairs, ascending, from starts[row]."""
        self._launch("list_over_pairs", starts, items)

    def _launch(self, loop: str, *arguments: Any) -> None:
        """Run a loop of sums/reduce.h; `arguments` follow those of the pattern."""
        problem, device = self.problem, self.problem.session.device
        assert isinstance(device, HostDevice)
        lanes = source.constant("SUM_LANES")
        stride = -(-max(problem.n_columns, 1) // lanes) * lanes
        columns = _by_axis(problem.points, max(3, problem.points.shape[1]), stride, problem.dtype)
        values = columns
        if problem.values is not None:
            values = _by_axis(problem.values, problem.n_values, stride, problem.dtype)
        order = np.zeros(stride, np.int64)
        pattern = problem.pattern
        order[: problem.n_columns] = problem.column_order
        cuts, first_block = row_groups(pattern, device.threads)
        problem.session.launch(
            loop,
            len(first_block),
            problem.rows,
            columns,
            values,
            problem.row_order,
            order,
            problem.parameters,
            pattern.blocks,
            pattern.offsets,
            pattern.intervals,
            fill_address(problem.chosen, str(problem.dtype)),
            stride,
            problem.squared_radius,
            problem.n_dimensions,
            problem.rows.shape[1],
            problem.triangle,
            cuts,
            first_block,
            *arguments,
        )


def fill_address(chosen: BoundFormula, dtype: str) -> int:
    """Return the address of the function that fills a buffer with values of a formula."""
    if chosen.name is not None:
        function = getattr(load_library(), f"fill_{chosen.name}_{dtype}")
    else:
        try:
            library = load_compiled(source.inlined("sums/written.cpp", written_for_host(chosen)))
        except CompileError as error:
            raise does_not_compile(chosen.expression, str(error)) from None
        except KernelError as error:
            raise KernelError(
                f"The formula {chosen.expression!r} cannot be compiled. {error} The built-in "
                f"formulas require no compiler: {', '.join(formulas())}."
            ) from error
        function = getattr(library, f"fill_written_{dtype}")
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def written_for_host(chosen: BoundFormula) -> str:
    """Return the text that replaces sums/written.h."""
    return '#include "sums/pairs.h"\n' + chosen.text


def row_groups(pattern: BlockPattern, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Return cuts (n_groups + 1,) of the rows into groups of similar work, and first blocks."""
    blocks, offsets, intervals = pattern.blocks, pattern.offsets, pattern.intervals
    if not len(blocks):
        return np.zeros(1, np.int64), np.empty(0, np.int64)
    lengths = np.concatenate([[0], np.cumsum(intervals[:, 1] - intervals[:, 0])])
    row_cost = (lengths[offsets[1:]] - lengths[offsets[:-1]] + ROW_COST).astype(float)
    before = np.concatenate([[0.0], np.cumsum((blocks[:, 1] - blocks[:, 0]) * row_cost)])
    total = before[-1]
    n_rows = int(blocks[-1, 1] - blocks[0, 0])
    n_groups = int(np.clip(total / PAIRS_PER_GROUP, min(4 * threads, n_rows), 1 << 20))
    targets = np.arange(n_groups) * (total / n_groups)
    block = np.searchsorted(before, targets, side="right") - 1
    block = np.minimum(block, len(blocks) - 1)
    cuts = blocks[block, 0] + ((targets - before[block]) // row_cost[block]).astype(np.int64)
    cuts = np.minimum(cuts, blocks[block, 1])
    return np.append(cuts, blocks[-1, 1]), block.astype(np.int64)


def _by_axis(points: np.ndarray, n_axes: int, stride: int, dtype: np.dtype) -> np.ndarray:
    """Return points (n, D) as (n_axes, stride), padded with zeros, aligned for vectors."""
    memory = np.zeros(n_axes * stride * dtype.itemsize + ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % ALIGNMENT
    array = memory[begin : begin + n_axes * stride * dtype.itemsize].view(dtype)
    array = array.reshape(n_axes, stride)
    array[: points.shape[1], : len(points)] = points.T
    return array
