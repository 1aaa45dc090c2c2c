"""The public functions of the engine return a correct result or raise a one-line error.

Every public call of `calls.py` is repeated with each of its arguments replaced by each value of
`hostile.py`, and with several replaced at once. Plain arrays give the expected result.
"""

import faulthandler
import inspect
import os
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from reliability.calls import Call, calls
from reliability.hostile import ANYTHING, HUGE, NUMBERS, SAME
from reliability.whole_results import digest

REFUSALS = (sx.InputError, MemoryError, sx.DeviceUnavailable)
LONGEST_SECONDS = 20.0  # of the process; most calls take a millisecond
LONGEST_SENTENCE = 450
RESULTS = {  # returned by functions and not created by users; their methods are in the table
    "AlphaComplex", "ApparentPairs", "Arcs", "Arrows", "BallGradients", "BallMeasures", "Batch",
    "BoundarySurface", "CriticalCells", "Delaunay", "DensityImage", "DeviceReport",
    "ExtremumArcs", "Formula",
    "CSR", "MeshCriticalPoints", "MorseSmaleComplex", "Mouths", "Neighbors", "PairFormula",
    "PeriodicDelaunay", "PieceRegions", "Pockets", "Protrusions", "Regions", "Representative",
    "Rows", "Separatrices", "SeparatrixSurfaces", "SimplexTable", "SimplifiedField", "SkippedPairs",
    "Voids",
}  # fmt: skip
OF_PYTORCH = {"torch_reduce"}  # it checks tensors as `reduce` checks arrays
ERRORS = {name for name in sx.__all__ if name[0].isupper()
          and issubclass(getattr(sx, name), Exception)}  # fmt: skip
CALLABLE = ("progress", "representatives", "end")  # a type is called, and raises its own error


@pytest.fixture(autouse=True)
def no_call_hangs():
    """Print where a call hangs, and end it."""
    faulthandler.dump_traceback_later(600, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def fault(call: Call, changed: dict[str, Any], expected: Any = None) -> str:
    """The error in a call with some arguments replaced, or ""."""
    held = {name: bytes_of(value) for name, value in changed.items()}
    began = time.process_time()
    wrong = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = digest(call(**changed))
            if expected is not None and found != expected:
                wrong = "the result differs"
        except REFUSALS as refusal:
            sentence = str(refusal)
            if expected is not None:
                wrong = f"rejected: {sentence}"
            elif not isinstance(refusal, (MemoryError, sx.DeviceUnavailable)):
                wrong = fault_of(sentence, call)
        except Exception as error:
            # A parameter of the replaced formula is an unknown option of the new one.
            if not ("formula" in changed and "has no option" in str(error)):
                wrong = f"{type(error).__name__} was raised: {error}"
    if (seconds := time.process_time() - began) > LONGEST_SECONDS:
        wrong += f" it took {seconds:.0f} s"
    if any(bytes_of(value) != held[name] for name, value in changed.items()):
        wrong += " the input was changed"
    return wrong


def fault_of(sentence: str, call: Call) -> str:
    """The fault of an error message, which must be a short line that names an argument, or ""."""
    words = {*call.arrays, *call.options}
    words |= {word.rstrip("s") for word in words}
    words |= {word for several in call.words.values() for word in several}
    if "\n" in sentence or not 12 <= len(sentence) <= LONGEST_SENTENCE:
        return f"that is not one short line: {sentence!r}"
    if "Traceback" in sentence or not any(word in sentence for word in words):
        return f"the message names no argument: {sentence!r}"
    return ""


def bytes_of(value: Any) -> bytes | None:
    """The bytes of an array; None for other values and for arrays too large to copy."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O" and value.nbytes < 1 << 20:
        return value.tobytes()
    return None


def replacements(call: Call, name: str) -> Iterator[tuple[str, Any]]:
    """All values that may replace an argument, by name."""
    array = call.arrays.get(name)
    if array is not None:
        for label, form in ANYTHING.items():
            yield label, form(array)
    for label, number in NUMBERS.items():
        if not (name in CALLABLE and isinstance(number, type)):
            yield label, number


def test_every_public_name_is_tested_or_listed_as_untested():
    covered = {call.covers.split(".")[0] for call in calls().values()}
    missing = set(sx.__all__) - covered - RESULTS - OF_PYTORCH - ERRORS
    assert not missing, f"add calls of {sorted(missing)} to tests/reliability/calls.py"


def test_every_argument_of_a_public_function_is_tested():
    for name in set(sx.__all__) - OF_PYTORCH:
        function = getattr(sx, name)
        if not inspect.isfunction(function):
            continue
        tried = {argument for call in calls().values() if call.covers == name
                 for argument in (*call.arrays, *call.options)}  # fmt: skip
        kinds = inspect.signature(function).parameters.values()
        wanted = {p.name for p in kinds if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        missing = wanted - tried - {"sparse"}  # given as three arrays
        assert not missing, f"add {sorted(missing)} of {name} to tests/reliability/calls.py"


def test_a_repeated_call_returns_the_same_result():
    for name, call in calls().items():
        if name == "pinned_empty" and not has_gpu():
            continue
        assert digest(call()) == digest(call()), name


def has_gpu() -> bool:
    return any(report.usable and report.name != "cpu" for report in sx.devices(probe=False))


@pytest.mark.parametrize("name", calls())
def test_equal_entries_in_another_form_give_the_same_result(name):
    call = calls()[name]
    expected = digest(call()) if call.arrays else None
    for argument, array in call.arrays.items():
        for form, change in SAME.items():
            wrong = fault(call, {argument: change(array)}, expected)
            assert not wrong, f"{name}({argument}: {form}): {wrong}"


@pytest.mark.long
@pytest.mark.parametrize("name", calls())
def test_any_value_of_one_argument_gives_a_result_or_an_error(name):
    call = calls()[name]
    for argument in (*call.arrays, *call.options):
        for label, value in replacements(call, argument):
            wrong = fault(call, {argument: value})
            assert not wrong, f"{name}({argument}: {label}): {wrong}"


@pytest.mark.parametrize(
    "seeds", [range(300), pytest.param(range(300, 40_000), marks=pytest.mark.long)], ids=len
)
def test_any_values_of_several_arguments_give_a_result_or_an_error(seeds):
    for seed in seeds:
        try_several(seed)


def try_several(seed: int) -> None:
    """A call with two to four arguments replaced, arrays usually by unusual ones."""
    chance = random.Random(seed)
    name = chance.choice(sorted(calls()))
    call = calls()[name]
    names = [*call.arrays, *call.options]
    changed, reported = {}, []
    for argument in chance.sample(names, min(len(names), chance.randint(2, 4))):
        given, value = chance.choice(list(replacements(call, argument)))
        if argument in call.arrays and chance.random() < 0.6:
            given, form = chance.choice(list(SAME.items()))
            value = form(call.arrays[argument])
        changed[argument] = value
        reported.append(f"{argument}: {given}")
    wrong = fault(call, changed)
    assert not wrong, f"{name}({', '.join(reported)}): {wrong}"


ENORMOUS = """
import resource, sys
sys.path[:0] = {folders!r}
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from reliability.test_fuzzing_arrays import assert_enormous_arrays_are_refused
assert_enormous_arrays_are_refused()
"""


def assert_enormous_arrays_are_refused() -> None:
    """Arrays without memory behind them are rejected, in a process with a memory limit."""
    for name, call in calls().items():
        for argument, array in call.arrays.items():
            if not np.size(array) or argument == "frames" or name == "to_host":
                continue
            for n in HUGE:
                wrong = fault(call, {argument: np.broadcast_to(array[:1], (n, *array.shape[1:]))})
                assert not wrong, f"{name}({argument}: {n} rows): {wrong}"


def test_enormous_arrays_are_rejected_before_memory_is_allocated():
    tests = Path(__file__).resolve().parents[1]
    folders = [str(tests), str(tests.parent / "engine")]
    done = subprocess.run(
        [sys.executable, "-c", ENORMOUS.format(folders=folders)],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
