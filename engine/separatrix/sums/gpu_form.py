"""Reductions on a GPU: warps of kernels/sums/tiles.h process groups of rows of one block.

The module of a problem is compiled on first use, for its formula, dimensions, and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..device import Array, CudaDevice, is_on_gpu
from ..errors import InputError, KernelError
from ..kernels import source
from ..primitives import exclusive_scan, row_of_items
from .expression import does_not_compile
from .problem import Problem

WARPS_WANTED = 128  # per multiprocessor; with fewer, several warps share the chunks of a group
MOST_PART_BYTES = 1 << 28
MANY_ROWS = 256  # per block, from which each thread processes more rows
MOST_COORDINATES = 128  # of the rows of a thread, which are in registers
MAX_COLUMNS = 2**31 - 32
DEPTH_STEP, COLUMNS_AT_ONCE = 16, 32  # of tensor_tiles.h
OLDEST_TENSORS = 80
WARPS_PER_BLOCK = source.constant("TILE_THREADS") // 32
LANE_SUMS = {0: "PlainSum<Float>", 1: "PlainSum<double>", 2: "CompensatedSum<Float>"}


class GpuForm:
    """The reductions of HostForm by kernels/sums/reduce_tiles.h and sums/choose_tiles.h."""

    BYTES_PER_ITEM = 24  # of a list and its sort
    MOST_COMPONENTS = 4  # at once, because their lanes are registers

    def __init__(self, problem: Problem, math: str = "exact"):
        if problem.n_columns > MAX_COLUMNS:
            raise InputError(
                f"The number of columns is {problem.n_columns:,}; the maximum on a GPU is "
                f"{MAX_COLUMNS:,}. Split them, or set {{device='cpu'}}."
            )
        self.problem = problem
        self.math = math
        device = problem.session.device
        assert isinstance(device, CudaDevice)
        self.device = device
        if math == "tensor" and int(device.xp.cuda.Device().compute_capability) < OLDEST_TENSORS:
            raise InputError(
                "math", "'exact' or 'fast' on a GPU before compute capability 8.0", math
            )

    def sum(self, kind: int, has_factors: bool, out: Array) -> None:
        self._sum(LANE_SUMS[kind], has_factors, kind < 2, out)

    def log_sum(self, out: Array) -> None:
        self._sum("LogSum<Float>", False, False, out.reshape(-1, 1))

    def least(self, k: int, sign: int, out: Array, index: Array) -> None:
        if k == 1:
            self._choose("least_of_tiles", sign, out, index)
        else:
            self._choose("k_least_of_tiles", sign, k, out, index, threads_per_row=1)

    def count(self, counts: Array) -> None:
        self._choose("count_of_tiles", counts)

    def list(self, starts: Array, items: Array) -> None:
        n_columns = max(self.problem.n_columns, 1)
        if self.problem.n_rows * n_columns >= 2**63:
            raise InputError(
                "The number of possible pairs exceeds 2^63, the maximum of collect on a GPU. Split "
                "the rows."
            )
        self._choose("list_of_tiles", starts, items, threads_per_row=1)
        items.sort()  # by row, then column
        items %= n_columns

    # === launches
    def _sum(self, lane_sum: str, has_factors: bool, may_split: bool, out: Array) -> None:
        problem, n_components = self.problem, out.shape[1]
        rows_per_thread = self._rows_per_thread(n_components)
        on_tensors = self.math == "tensor"
        depth = -(-problem.n_dimensions // DEPTH_STEP) * DEPTH_STEP
        rows_per_group = (32 if depth <= 64 else 16) if on_tensors else 8 * rows_per_thread
        tables, n_groups = self._tables(rows_per_group)
        chunk = source.constant("CHUNK")
        n_chunks = -(-max(problem.n_columns, 1) // chunk)
        n_splits = 1
        part_bytes = 8 * n_chunks * problem.n_rows * n_components
        wanted = self.device.processors * WARPS_WANTED
        if may_split and n_groups < wanted and n_chunks > 1 and part_bytes <= MOST_PART_BYTES:
            n_splits = min(n_chunks, -(-wanted // max(n_groups, 1)))
        chunks_per_split = -(-n_chunks // n_splits)
        n_splits = -(-n_chunks // chunks_per_split)
        is_split = n_splits > 1
        parts = self.device.zeros(
            (n_chunks, problem.n_rows, n_components) if is_split else 1, np.float64
        )
        written = written_for_gpu(
            problem, n_components, has_factors, rows_per_thread, lane_sum, self.math
        )
        self._launch(
            "sum_on_tensor_cores" if on_tensors else "sum_tiles",
            -(-n_groups * n_splits // WARPS_PER_BLOCK),
            written,
            *(self._tensor_input(depth) if on_tensors else self._points()),
            *tables,
            n_groups,
            n_splits,
            chunks_per_split * chunk,
            problem.squared_radius,
            problem.n_rows,
            parts,
            out,
        )
        if is_split and n_groups:
            n_blocks = -(-problem.n_rows * n_components // source.constant("TILE_THREADS"))
            arguments = (parts, problem.row_order, n_chunks, problem.n_rows, out)
            self._launch("add_parts", n_blocks, written, *arguments)

    def _choose(self, kernel: str, *arguments: Any, threads_per_row: int = 4) -> None:
        problem = self.problem
        tables, n_groups = self._tables(32 // threads_per_row)
        self._launch(
            kernel,
            -(-n_groups // WARPS_PER_BLOCK),
            written_for_gpu(problem, 1, False, 1, "PlainSum<Float>", self.math),
            *self._points(),
            *tables,
            n_groups,
            max(problem.n_columns, 1),
            problem.squared_radius,
            *arguments,
        )

    def _launch(self, kernel: str, n_blocks: int, written: str, *arguments: Any) -> None:
        try:
            self.device.launch_blocks(kernel, n_blocks, *arguments, written=written)
        except (KernelError, self.device.xp.cuda.compiler.CompileException) as error:
            if message := formula_error(error):
                expression = self.problem.chosen.expression
                raise does_not_compile(expression, message) from None
            raise

    def _tables(self, rows_per_group: int) -> tuple[Sequence[Array], int]:
        """Tables of the pattern and of its groups of rows within blocks, and the number of groups.

        The groups have offsets (B + 1,) and the block of each. Tables on the host are uploaded
        together.
        """
        pattern = self.problem.pattern
        begin, end = pattern.blocks[:, 0], pattern.blocks[:, 1]
        offsets = exclusive_scan((end - begin + rows_per_group - 1) // rows_per_group)
        block = row_of_items(offsets)
        tables: Sequence[Array]
        tables = (pattern.blocks, pattern.offsets, pattern.intervals, offsets, block)
        if not is_on_gpu(block):
            ends = np.cumsum([table.size for table in tables])[:-1]
            together = np.concatenate([table.ravel() for table in tables])
            tables = self.device.xp.split(self.problem.session.upload(together), ends.tolist())
        return tables, block.size

    def _rows_per_thread(self, n_components: int) -> int:
        """Rows per thread, more for large blocks, because they share each loaded column."""
        problem = self.problem
        if problem.n_rows < MANY_ROWS * problem.pattern.n_blocks:
            most = 2
        else:
            has_spare_registers = problem.chosen.name and is_small_problem(problem, n_components)
            most = 8 if has_spare_registers and self.math == "exact" else 4
        words = problem.dtype.itemsize // 4
        most = min(most, MOST_COORDINATES // (problem.rows.shape[1] * words))
        return max(1, most // (n_components * words))

    def _points(self) -> tuple[Array, ...]:
        """First arguments of all kernels; columns are records of 16-byte parts, padded to 16.

        A few records after them are read, but not used.
        """
        problem, device, dtype = self.problem, self.device, self.problem.dtype
        n, length = problem.points.shape
        n_fields = length + problem.n_values
        part = 16 // dtype.itemsize
        n_padded = -(-n // 16) * 16
        n_records = n_padded + source.constant("QUARTERS")
        records = device.empty((n_records, -(-n_fields // part) * part), dtype)
        records[:n, :length] = problem.points
        if problem.values is not None:
            records[:n, length:n_fields] = problem.values
        records[n:] = 0
        order = problem.column_order
        if n_padded > n:
            order = device.zeros(n_padded, np.int64)
            order[:n] = problem.column_order
        arrays = (problem.rows, records, problem.row_order, order, problem.parameters)
        return tuple(map(device.xp.ascontiguousarray, arrays))

    def _tensor_input(self, depth: int) -> tuple[Array, ...]:
        """First arguments of sum_on_tensor_cores: points about their mean, padded to `depth`."""
        problem, xp, d = self.problem, self.device.xp, self.problem.n_dimensions
        rows, columns = problem.rows[:, :d], problem.points[:, :d]
        middle = columns.mean(axis=0, dtype=np.float64)
        n_padded = -(-problem.n_columns // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
        padded = [(rows, problem.n_rows), (columns, n_padded)]
        points = [self.device.zeros((n, depth), problem.dtype) for _, n in padded]
        for (given, _), target in zip(padded, points, strict=True):
            target[: len(given), :d] = given - middle
        norms = [xp.square(each).sum(axis=1) for each in points]
        norms[1][problem.n_columns :] = 0
        values = self.device.zeros((n_padded, max(problem.n_values, 1)), problem.dtype)
        if problem.values is not None:
            values[: problem.n_columns] = problem.values
        return (*points, *norms, values, problem.row_order, problem.parameters)


def written_for_gpu(
    problem: Problem,
    n_components: int,
    has_factors: bool,
    rows_per_thread: int,
    lane_sum: str,
    math: str,
) -> str:
    """Return the text that replaces sums/written.h: the formula and the shape of the problem."""
    is_fast, is_small = math != "exact", is_small_problem(problem, n_components)
    n_blocks = 1
    if is_small:
        n_blocks = 6 if is_fast else 3 if rows_per_thread == 8 else 5
    shape = {
        "N_DIMENSIONS": problem.n_dimensions,
        "ROW_LENGTH": problem.rows.shape[1],
        "COLUMN_LENGTH": problem.points.shape[1],
        "MANY_PARAMETERS": int(problem.parameters.size > 8),
        "N_VALUES": problem.n_values,
        "N_COMPONENTS": n_components,
        "HAS_FACTORS": int(has_factors),
        "HAS_RADIUS": int(np.isfinite(problem.squared_radius)),
        "TRIANGLE": problem.triangle,
        "ROWS_PER_THREAD": rows_per_thread,
        "LANES_PER_THREAD": 1 if is_small and is_fast else 4,
        "BLOCKS_PER_PROCESSOR": n_blocks,
    }
    lines = [f"{name} = {value}" for name, value in shape.items()]
    return (
        ("#define FAST_MATH\n" if is_fast else "")
        + '#include "sums/pairs.h"\n'
        + problem.chosen.text
        + f"enum {{ {', '.join(lines)} }};\n#define SUM_OF_LANES {lane_sum}\n"
    )


def is_small_problem(problem: Problem, n_components: int) -> bool:
    """Whether the registers of a thread hold several rows and columns."""
    length = max(problem.rows.shape[1], problem.points.shape[1])
    return length <= 3 and n_components == 1 and problem.dtype.itemsize == 4


def formula_error(error: Exception) -> str:
    """Return the message of NVRTC about the formula; "" for other errors."""
    for line in f"{error}\n{error.__cause__}".splitlines():
        where, found, message = line.partition("error: ")
        if found and where.startswith("formula("):
            return message.strip()
    return ""
