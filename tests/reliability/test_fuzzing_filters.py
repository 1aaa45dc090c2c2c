"""Each filter gives a correct output for any dataset and setting, or a one-line error.

Datasets are those of `datasets.py`, by seeds. A setting outside its domain is rejected when it is
set. After an error the outputs are empty. Otherwise they are consistent, a second run returns the
same, and for images they equal the results of the engine.
"""

import faulthandler
import inspect
import random
import sys
import time
import traceback
import warnings
from typing import Any

import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.util.vtkConstants import VTK_STRING
from vtkmodules.vtkCommonCore import vtkLogger, vtkOutputWindow, vtkStringOutputWindow
from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet

import separatrix as sx
import separatrix_vtk
from reliability.contents import content, faults, is_empty
from reliability.datasets import KINDS, NAMES, Pick, data_set
from reliability.hostile import NUMBERS
from separatrix.options import Option, options_of
from separatrix.options.shared import ExecutionOptions

FILTERS = [
    found for found in (getattr(separatrix_vtk, name) for name in separatrix_vtk.__all__)
    if inspect.isclass(found) and issubclass(found, separatrix_vtk.Filter)
    and found is not separatrix_vtk.Filter and found.INPUT_TYPE
]  # fmt: skip
GRIDS = ("image", "image", "unstructured", "polygons")
CLOUDS = ("polygons", "unstructured", "molecule", "table")
LIKELY = {
    "MeshRelations": ("unstructured", "polygons"),
    **dict.fromkeys(
        ("PointDensity", "RipsBarcodes", "AlphaComplex", "AlphaTimeSeries", "NeighborStatistics"),
        CLOUDS,
    ),
}
WANTED = {"AlphaComplex": "radius", "AlphaTimeSeries": "radius"}
BY_VTK = ("is not optional", "is required")  # VTK's messages about missing or wrong input
LONGEST_SECONDS = 30.0
LONGEST_SENTENCE = 450


@pytest.fixture(autouse=True)
def vtk_is_quiet():
    """Silence VTK's log, which would have thousands of lines; end a test that hangs."""
    verbosity = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    faulthandler.dump_traceback_later(900, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    vtkLogger.SetStderrVerbosity(verbosity)


class Run:
    """One run of a filter, its messages, and exceptions that were lost in VTK."""

    def __init__(self, filter: Any, data: Any) -> None:
        self.filter, self.data = filter, data
        self.heard: list[str] = []
        self.leaked: list[str] = []

        def hear(_caller: Any, _event: str, text: str) -> None:
            self.heard.append(text)

        hear.CallDataType = VTK_STRING  # type: ignore[attr-defined]
        filter.AddObserver("ErrorEvent", hear)
        filter.AddObserver("WarningEvent", lambda *_: None)
        filter.SetInputDataObject(data)

    def update(self) -> None:
        """Run, with warnings as errors."""
        window, old, hook = vtkStringOutputWindow(), vtkOutputWindow.GetInstance(), sys.excepthook
        vtkOutputWindow.SetInstance(window)
        # An exception that leaves Python for VTK is printed through this hook.
        sys.excepthook = self._leak
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.filter.Update()
        finally:
            vtkOutputWindow.SetInstance(old)
            sys.excepthook = hook
        self.said = window.GetOutput()

    def _leak(self, *error: Any) -> None:
        self.leaked.append("".join(traceback.format_exception(*error)))

    @property
    def outputs(self) -> list[Any]:
        """The data sets of all ports."""
        return [self.filter.GetOutputDataObject(i) for i in range(len(self.filter.OUTPUTS))]

    def fault(self) -> str:
        """The error in the run, or ""."""
        before, began = content(self.data), time.process_time()
        self.update()
        seconds = time.process_time() - began
        if self.leaked:
            return f"an exception got lost: {self.leaked[0][-800:]}"
        if seconds > LONGEST_SECONDS:
            return f"it took {seconds:.0f} s"
        if content(self.data) != before:
            return "the input was changed"
        if any(words in self.said for words in BY_VTK):
            return ""
        return self._fault_of_refusal() if self.heard else self._fault_of_outputs()

    def _fault_of_refusal(self) -> str:
        blocks = isinstance(self.data, vtkCompositeDataSet)  # each of which may be rejected
        if len(self.heard) > 1 and not blocks:
            return f"it spoke {len(self.heard)} times: {self.heard}"
        for sentence in self.heard:
            length = len(sentence)
            if "\n" in sentence or "bug" in sentence or not 12 <= length <= LONGEST_SENTENCE:
                return f"that is not one short line: {sentence[-900:]}"
        if not blocks and not all(map(is_empty, self.outputs)):
            return f"an output is not empty after: {self.heard[0]}"
        return "" if self.filter.last_error else "there is no last_error"

    def _fault_of_outputs(self) -> str:
        if self.said:
            return f"VTK complains: {self.said[:500]}"
        wrong = [fault for output in self.outputs for fault in faults(output)]
        if wrong:
            return wrong[0]
        first = [content(output) for output in self.outputs]
        self.filter.Modified()
        self.update()
        if [content(output) for output in self.outputs] != first and not self._tells_time():
            return "another run gives something else"
        return ""

    def _tells_time(self) -> bool:
        return type(self.filter).__name__ in ("MeshRelations", "RipsBarcodes")


def any_value(pick: Pick, option: Option) -> Any:
    """A value for an option, inside or outside its domain."""
    if option.optional and pick((False, True)):
        return None
    if option.choices:
        return pick(option.choices)
    if option.length:
        whole = option.kind is int
        return tuple(pick((0, 1, 2, 5)) if whole else pick((0.0, 1.0, -1.0, 5.0))
                     for _ in range(option.length))  # fmt: skip
    if option.length == 0:
        return pick(((), ("x", "y"), ("field",), ("VV", "VT")))
    return {
        bool: lambda: pick((False, True)),
        int: lambda: pick((0, 1, 2, 3, 5, -1, 50, 2**31 - 1)),
        float: lambda: pick((0.0, 1.0, 0.5, 2.0, 7.0, -1.0, 1e-3, 1e-30, 1e30, 100.0)),
        str: lambda: pick(
            ("", "field", "radius", "VV VT", "TT", "C=1.5", ";;", "atom_type", "größe")
        ),
    }[option.kind]()


def some_run(seed: int, chosen: Any) -> tuple[Run, str]:
    """A filter with random settings on a random dataset, and their description."""
    chance = random.Random(seed)

    def pick(choices: Any) -> Any:
        return choices[chance.randrange(len(choices))]

    name = chosen.__name__
    filter, used = chosen(device="cpu", threads=1), {}
    if name == "PointDensity" and pick(range(8)):
        filter.dimensions = (5, 4, 3)  # else images can have 2^31 points, as asked for
    data = data_set(pick, LIKELY.get(name, GRIDS), WANTED.get(name, "field"))
    for setting_name, option in options_of(chosen).items():
        if setting_name in options_of(ExecutionOptions) or pick(range(5)):
            continue
        value = any_value(pick, option)
        if not refusal_of(filter, setting_name, value):
            used[setting_name] = value
    if not pick(range(5)):
        used["array"] = (pick((0, 0, 1, 1, 3, 2, 6, 7)), pick(NAMES) or "")
        filter.SetInputArrayToProcess(0, 0, 0, *used["array"])
    kind = None if data is None else data.GetClassName()
    return Run(filter, data), f"seed {seed}: {name} of {kind} with {used}"


def refusal_of(filter: Any, name: str, value: Any) -> str:
    """Set a setting; return the error message if it is rejected, else ""."""
    before = getattr(filter, name)
    try:
        setattr(filter, name, value)
    except sx.InputError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert getattr(filter, name) == options_of(type(filter))[name].check(value), (name, value)
    assert "\n" not in refusal, refusal
    if refusal:
        assert name in refusal, refusal
        assert getattr(filter, name) == before
    return refusal


@pytest.mark.parametrize(
    "seeds", [range(15), pytest.param(range(15, 2000), marks=pytest.mark.long)], ids=len
)
@pytest.mark.parametrize("filter_class", FILTERS, ids=lambda found: found.__name__)
def test_any_data_set_gives_a_result_or_an_error(filter_class, seeds):
    for seed in seeds:
        run, which = some_run(seed, filter_class)
        wrong = run.fault()
        assert not wrong, f"{which}: {wrong}"


@pytest.mark.parametrize("filter_class", FILTERS, ids=lambda found: found.__name__)
def test_a_setting_accepts_values_of_its_domain_and_rejects_others(filter_class):
    filter = filter_class()
    for name in options_of(filter_class):
        for value in NUMBERS.values():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                refusal_of(filter, name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_set_is_tested_with_every_filter(kind):
    chance = random.Random(3)
    for filter_class in FILTERS:
        for _ in range(2):
            data = data_set(lambda choices: choices[chance.randrange(len(choices))], (kind,) * 5)
            wrong = Run(filter_class(device="cpu", threads=1), data).fault()
            assert not wrong, f"{filter_class.__name__} of {kind}: {wrong}"
