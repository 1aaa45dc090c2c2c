"""Reductions on the CPU: the loops of kernels/sums/reduce.h over groups of rows of equal count."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..device.base import Array
from ..device.host import HostDevice, load_library
from ..device.local_compiler import CompileError, load_compiled
from ..errors import InputError, KernelError
from ..kernels import source
from .formulas import Chosen, formulas
from .problem import Problem, by_components

ALIGNMENT = 128  # bytes; a vector of 16 float64
PAIRS_A_GROUP = 2e6  # about a millisecond: groups even out the ends of the threads
ROW_COST = 64  # what a row costs beside its pairs, in pairs


class HostForm:
    """The reductions of kernels/sums/reduce.h and sums/reduce_chosen.h."""

    def __init__(self, problem: Problem):
        self.problem = problem

    def sum(self, kind: int, has_factors: bool, out: Array) -> None:
        """Sums (n_rows, n_components) into `out`, four components at a time."""
        most = source.constant("MOST_COMPONENTS")
        for problem, part in by_components(self.problem, has_factors, out, most):
            n_components = part.shape[1]
            launch(problem, "sum_over_pairs", kind, n_components, int(has_factors), part)

    def log_sum(self, out: Array) -> None:
        """Logarithms of sums of exponentials (n_rows,) into `out`."""
        launch(self.problem, "log_sum_over_pairs", out)

    def least(self, k: int, sign: int, out: Array, index: Array) -> None:
        """The k least (greatest, for sign -1) values and their columns, (n_rows, k)."""
        launch(self.problem, "least_over_pairs", k, sign, out, index)

    def count(self, counts: Array) -> None:
        """How many pairs of each row have a value that is not 0."""
        launch(self.problem, "count_over_pairs", counts)

    def list(self, starts: Array, items: Array) -> None:
        """The columns of those pairs, ascending, from starts[row] on."""
        launch(self.problem, "list_over_pairs", starts, items)

    @staticmethod
    def bytes_to_list(n_pairs: int) -> int:
        """Memory that the list takes."""
        return 8 * n_pairs


def launch(problem: Problem, loop: str, *arguments: Any) -> None:
    """Run one of sums/reduce.h's loops over the problem; `arguments` follow the pattern's."""
    device = problem.session.device
    assert isinstance(device, HostDevice)
    lanes = source.constant("SUM_LANES")
    stride = -(-max(problem.n_columns, 1) // lanes) * lanes
    columns = _by_axis(problem.points, max(3, problem.n_dimensions), stride, problem.dtype)
    values = columns
    if problem.values is not None:
        values = _by_axis(problem.values, problem.n_values, stride, problem.dtype)
    order = np.zeros(stride, np.int64)
    order[: problem.n_columns] = problem.column_order
    cuts, first_block = row_groups(problem, device.threads)
    problem.session.launch(
        loop,
        len(first_block),
        problem.rows,
        columns,
        values,
        problem.row_order,
        order,
        problem.parameters,
        problem.blocks,
        problem.offsets,
        problem.intervals,
        fill_address(problem.chosen, str(problem.dtype)),
        stride,
        problem.squared_radius,
        problem.n_dimensions,
        problem.triangle,
        cuts,
        first_block,
        *arguments,
    )


def fill_address(chosen: Chosen, dtype: str) -> int:
    """Address of the function that fills a buffer with a formula's values.

    Raises InputError with the compiler's words, KernelError where there is no compiler.
    """
    if chosen.name is not None:
        function = getattr(load_library(), f"fill_{chosen.name}_{dtype}")
    else:
        try:
            library = load_compiled(source.inlined("sums/written.cpp", written_for_host(chosen)))
        except CompileError as error:
            raise InputError(
                f"the formula {chosen.expression!r} does not compile: {error}"
            ) from None
        except KernelError as error:
            raise KernelError(
                f"the formula {chosen.expression!r} must be compiled on the CPU: {error}, or use "
                f"a built-in formula ({', '.join(formulas())}), which needs no compiler"
            ) from error
        function = getattr(library, f"fill_written_{dtype}")
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def written_for_host(chosen: Chosen) -> str:
    """The text in the place of sums/written.h."""
    return '#include "sums/pairs.h"\n' + chosen.text


def row_groups(problem: Problem, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Cuts (n_groups + 1,) of the sorted rows into groups of about equal work, and first blocks.

    A block is cut where that evens out the groups: results do not depend on it.
    """
    blocks, offsets, intervals = problem.blocks, problem.offsets, problem.intervals
    if not len(blocks):
        return np.zeros(1, np.int64), np.empty(0, np.int64)
    lengths = np.concatenate([[0], np.cumsum(intervals[:, 1] - intervals[:, 0])])
    a_row = (lengths[offsets[1:]] - lengths[offsets[:-1]] + ROW_COST).astype(float)
    before = np.concatenate([[0.0], np.cumsum((blocks[:, 1] - blocks[:, 0]) * a_row)])
    total = before[-1]
    n_rows = int(blocks[-1, 1] - blocks[0, 0])
    n_groups = int(np.clip(total / PAIRS_A_GROUP, min(4 * threads, n_rows), 1 << 20))
    targets = np.arange(n_groups) * (total / n_groups)
    block = np.searchsorted(before, targets, side="right") - 1
    block = np.minimum(block, len(blocks) - 1)
    cuts = blocks[block, 0] + ((targets - before[block]) // a_row[block]).astype(np.int64)
    cuts = np.minimum(cuts, blocks[block, 1])
    return np.append(cuts, blocks[-1, 1]), block.astype(np.int64)


def _by_axis(points: np.ndarray, n_axes: int, stride: int, dtype: np.dtype) -> np.ndarray:
    """Points (n, D) as (n_axes, stride), filled with zeros, aligned for whole vectors."""
    memory = np.zeros(n_axes * stride * dtype.itemsize + ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % ALIGNMENT
    array = memory[begin : begin + n_axes * stride * dtype.itemsize].view(dtype)
    array = array.reshape(n_axes, stride)
    array[: points.shape[1], : len(points)] = points.T
    return array
