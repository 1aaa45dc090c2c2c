"""The CUDA modules of formulas compile for the newest architecture that we name, without a GPU."""

from dataclasses import replace

import numpy as np
import pytest

from build_cuda import compiled
from engine.point_sets import random_pattern
from separatrix.device import Session
from separatrix.kernels import source
from separatrix.sums.built_in import formulas
from separatrix.sums.formulas import choose
from separatrix.sums.gpu_form import LANE_SUMS, written_for_gpu
from separatrix.sums.problem import Problem, make_problem

pytestmark = [pytest.mark.unsanitized, pytest.mark.long]  # only NVRTC runs, not the library
OPTIONS = ("-diag-suppress=177",)
NAMED = {"sigma": 1.0, "radius": 1.0, "cutoff": 1.0}


def problem(formula: str, dtype: str, n_dimensions: int = 3, n_values: int = 1) -> Problem:
    x = np.ones((20, n_dimensions), dtype)
    table = formulas()
    named = {k: NAMED[k] for k in table[formula].parameters} if formula in table else {}
    chosen = choose(formula, () if named or formula in table else (1.0,), named, n_dimensions, 1)
    session = Session(x, "cpu")
    pattern = random_pattern(20, 20, 0)
    values = np.ones((20, n_values), dtype) if n_values else None
    return make_problem(session, chosen, x, x, values, pattern, None, 0, np.dtype(dtype))


def assert_compiles(header: str, dtype: str, written: str) -> None:
    text, options = source.module_text(f"{header}[{dtype}]", written)
    status, log, _ = compiled(text, (*options, *OPTIONS), "sm_90")
    assert status == 0, log
    assert "warning" not in log, log


@pytest.mark.parametrize(
    "formula",
    [
        *formulas(),
        "exp(-p[0] * d2) * b[0] + log(x[1]) * (i < j)",
        "dx * sin(y) ** d2 + erf(atan2(tan(x), d2))",
    ],
)
def test_every_formula_compiles(formula):
    written = written_for_gpu(problem(formula, "float32"), 1, False, 1, "PlainSum<Float>", "exact")
    assert_compiles("sums/reduce_tiles", "float32", written)


def test_reductions_that_choose_compile_for_a_formula():
    own = problem("d2 < p[0] * x[1] + b[0]", "float64", n_dimensions=4)
    written = written_for_gpu(own, 1, False, 1, "PlainSum<Float>", "exact")
    assert_compiles("sums/choose_tiles", "float64", written)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lane_sum", [*LANE_SUMS.values(), "LogSum<Float>"])
def test_every_kind_of_sum_compiles(lane_sum, dtype):
    written = written_for_gpu(problem("gaussian", dtype), 1, False, 2, lane_sum, "exact")
    assert_compiles("sums/reduce_tiles", dtype, written)


@pytest.mark.parametrize(
    ("n_dimensions", "n_values", "rows"), [(1, 4, 1), (2, 0, 4), (7, 3, 1), (3, 2, 2)]
)
def test_every_shape_compiles(n_dimensions, n_values, rows):
    own = replace(problem("gaussian", "float32", n_dimensions, n_values), squared_radius=1.0)
    own = replace(own, triangle=-1)
    components = {"n_components": max(n_values, 1), "has_factors": n_values > 0}
    written = written_for_gpu(
        own, **components, rows_per_thread=rows, lane_sum="PlainSum<Float>", math="fast"
    )
    assert_compiles("sums/reduce_tiles", "float32", written)


def test_an_error_in_an_expression_names_the_formula():
    own = problem("d2 * 2", "float32")
    own = replace(own, chosen=replace(own.chosen, code="d2 +* 2"))
    written = written_for_gpu(own, 1, False, 2, "PlainSum<Float>", "exact")
    text, options = source.module_text("sums/reduce_tiles[float32]", written)
    status, log, _ = compiled(text, (*options, *OPTIONS), "sm_90")
    assert status != 0
    assert "formula(1): error: " in log
