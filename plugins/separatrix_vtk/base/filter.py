"""The base of every filter: what is the same for all of them, so that a filter is thin.

A filter gives `INPUT_TYPE`, `OUTPUTS`, its settings and `execute`. From here it has: the ports;
the choice of an array; whole extents for images, wherever they begin; progress and abort through
`step`; one message for a user's error and empty outputs after it; pickling; `GetOutput`; Python
properties for settings, and an AttributeError for a misspelt one, which VTK would take without a
word.

Nothing here knows an algorithm, CUDA or ParaView. Works with VTK 9.2 (ParaView 5.11) and newer.
"""

from __future__ import annotations

import difflib
import inspect
import traceback
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkDataSet,
    vtkImageData,
    vtkPolyData,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm, vtkStreamingDemandDrivenPipeline

from separatrix import (
    Cancelled,
    DeviceMemoryError,
    DeviceUnavailable,
    InputError,
    KernelError,
    release_memory,
)
from separatrix_vtk.base.errors import FilterError, Messages
from separatrix_vtk.base.input_array import InputArray, chosen_array, find_input_array
from separatrix_vtk.base.settings import DeviceSetting, Setting, add_vtk_methods, settings_of

Progress = Callable[[float, str], None]
WHOLE_EXTENT = vtkStreamingDemandDrivenPipeline.WHOLE_EXTENT
UPDATE_EXTENT = vtkStreamingDemandDrivenPipeline.UPDATE_EXTENT
PIECE = vtkStreamingDemandDrivenPipeline.UPDATE_PIECE_NUMBER
N_PIECES = vtkStreamingDemandDrivenPipeline.UPDATE_NUMBER_OF_PIECES
GHOST_LEVELS = vtkStreamingDemandDrivenPipeline.UPDATE_NUMBER_OF_GHOST_LEVELS
AS_INPUT = "vtkDataSet"
MEBIBYTE = 1 << 20
USERS_ERRORS = (FilterError, InputError, DeviceUnavailable, DeviceMemoryError, KernelError)


class Filter(VTKPythonAlgorithmBase):
    """Base class: a subclass sets INPUT_TYPE and OUTPUTS, has settings and writes `execute`.

    An output of vtkDataSet is of the input's kind: an image, polygons, or an unstructured grid.
    """

    INPUT_TYPE: ClassVar[str | tuple[str, ...]] = (
        "vtkDataSet"  # a tuple: one an input port, or none
    )
    OUTPUTS: ClassVar[tuple[tuple[str, str], ...]] = ()  # (name of the port, VTK class)
    TAKES: ClassVar[str] = ""  # in words, where an input port takes several types
    STRICT = False  # True: a failed run makes Update() fail too, for pipelines that test it
    InputType = OutputType = ""

    device = DeviceSetting(
        "auto", 'where to compute: "auto", "cpu", "cuda" or "cuda:N" (0, 1, 2)', name="Device"
    )
    device_index = Setting(
        0, "which GPU, counted from 0, where the device is CUDA", name="DeviceIndex", at_least=0
    )
    number_of_threads = Setting(
        0,
        "CPU threads; 0 takes all that there are",
        name="NumberOfThreads",
        at_least=0,
        at_most=1024,
    )
    device_memory_limit = Setting(
        0, "GPU memory to keep below, in MiB; 0 is no limit", name="DeviceMemoryLimit", at_least=0
    )

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        add_vtk_methods(cls)

    def __init__(self, **settings: Any) -> None:
        self._values: dict[str, Any] = {}
        self._messages = Messages()
        self._last_error = ""
        self._failure: BaseException | None = None
        self._listener: Progress | None = None
        self._is_function = False  # while `run` is at work, whose caller gets exceptions
        self._report: Mapping[str, Any] = {}
        self._input_types = (
            (self.INPUT_TYPE,) if isinstance(self.INPUT_TYPE, str) else self.INPUT_TYPE
        )
        super().__init__(nInputPorts=len(self._input_types), nOutputPorts=len(self.OUTPUTS))
        for name, value in settings.items():
            setattr(self, name, value)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        """Fill the output datasets from the input datasets: the one thing a filter must write."""
        raise NotImplementedError(f"{type(self).__name__}.execute")

    # === for the user ===

    @property
    def last_error(self) -> str:
        """The sentence of the last run's error; "" after a run that went well."""
        return self._last_error

    @property
    def report(self) -> Mapping[str, Any]:
        """What the last run did: device, seconds by stage, counts. Empty before it."""
        return self._report

    def GetOutput(self, port: int = 0) -> Any:
        """The dataset of an output port."""
        return self.GetOutputDataObject(port)

    def run(self, dataset: Any = None, progress: Progress | None = None) -> list[Any]:
        """The filter as a function: the datasets of all ports; what goes wrong is raised.

        A reader takes no dataset. progress(fraction, stage) may raise separatrix.Cancelled.
        """
        # With an observer the message window has nothing to add to the exception.
        observer = self.AddObserver("ErrorEvent", lambda *_: None)
        self._listener, self._is_function = progress, True
        is_vtks = hasattr(dataset, "GetClassName")
        came = dataset.GetClassName() if is_vtks else type(dataset).__name__
        self._failure = FilterError(
            f"{type(self).__name__} takes {self.TAKES or ' or '.join(self._input_types)}; "
            f"{came} came"
        )
        try:
            if self._input_types:
                self.SetInputDataObject(dataset)
            self.Modified()
            self.Update()
        finally:
            self._listener, self._is_function = None, False
            self.RemoveObserver(observer)
        if self._failure is not None:
            raise self._failure
        return [self.GetOutput(port) for port in range(len(self.OUTPUTS))]

    def SetInputData(self, dataset: Any) -> None:
        """Take a dataset instead of a connection, as VTK's own filters do."""
        self.SetInputDataObject(dataset)

    def GetDevice(self) -> int:
        """0 auto, 1 CPU, 2 CUDA; `device` has it as text."""
        return DeviceSetting.NAMES.index(self.device.partition(":")[0])

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            declared = inspect.getattr_static(type(self), name, None)
            if declared is None or (callable(declared) and not hasattr(type(declared), "__set__")):
                raise AttributeError(self._no_such_setting(name))
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        name, association = chosen_array(self.GetInputArrayInformation(0))
        choice = (name, association) if association is not None else None
        return _restore, (type(self), dict(self._values), choice, self.STRICT)

    # === for the filter ===

    def input_array(self, dataset: vtkDataSet, index: int = 0) -> InputArray:
        """The array to work on: SetInputArrayToProcess(index, ...) or else the active scalars."""
        return find_input_array(dataset, *chosen_array(self.GetInputArrayInformation(index)))

    def step(self, fraction: float, text: str = "") -> None:
        """Say how far the work is; raises Cancelled if the user wants it to stop.

        Given to the engine as its `progress=`.
        """
        if text:
            self.SetProgressText(text)
        self.UpdateProgress(min(max(fraction, 0.0), 1.0))
        if self._listener is not None:
            self._listener(fraction, text)
        if self.CheckAbort() or self.GetAbortExecute():
            raise Cancelled(f"{type(self).__name__} was aborted")

    def steps(self, begin: float, end: float) -> Progress:
        """A `progress=` whose 0 to 1 is `begin` to `end` of this filter's own."""
        reached = 0.0

        def step(fraction: float, text: str = "") -> None:
            nonlocal reached  # stages that were not foreseen may run out of their order
            reached = max(reached, fraction)
            self.step(begin * (1.0 - reached) + end * reached, text)

        return step

    def engine_options(self, begin: float = 0.0, end: float = 1.0) -> dict[str, Any]:
        """The keywords that every long call of the engine takes, from this filter's settings."""
        device = self.device
        return {
            "device": None if device == "auto" else device,
            "threads": self.number_of_threads or None,
            "memory_limit": self.device_memory_limit * MEBIBYTE or None,
            "progress": self.steps(begin, end),
        }

    def error(self, text: str) -> None:
        """Tell the user, once; `last_error` keeps the first of a run."""
        self._last_error = self._last_error or text
        self._messages.error(self, text)

    def warn(self, text: str) -> None:
        """Tell the user what was left out, once."""
        self._messages.warning(self, text)

    # === for the pipeline ===

    def FillInputPortInformation(self, port: int, info: Any) -> int:
        info.Set(vtkAlgorithm.INPUT_REQUIRED_DATA_TYPE(), self._input_types[port])
        return 1

    def FillOutputPortInformation(self, port: int, info: Any) -> int:
        info.Set(vtkDataObject.DATA_TYPE_NAME(), self.OUTPUTS[port][1])
        return 1

    def RequestDataObject(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Outputs that are what the input is; the pipeline makes the others."""
        for port, (_, kind) in enumerate(self.OUTPUTS):
            source = _data_object(inputs[0].GetInformationObject(0)) if inputs else None
            if kind != AS_INPUT or source is None:
                continue
            info, wanted = outputs.GetInformationObject(port), kind_of(source)
            made = _data_object(info)
            if made is None or made.GetClassName() != wanted.__name__:
                info.Set(vtkDataObject.DATA_OBJECT(), wanted())
        return 1

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Image outputs have the whole extent, origin, spacing and direction of the first input."""
        source = inputs[0].GetInformationObject(0) if inputs else None
        for port, (_, kind) in enumerate(self.OUTPUTS):
            if kind not in ("vtkImageData", AS_INPUT) or source is None:
                continue
            target = outputs.GetInformationObject(port)
            for key, size in (
                (WHOLE_EXTENT(), 6),
                (vtkDataObject.ORIGIN(), 3),
                (vtkDataObject.SPACING(), 3),
                (vtkDataObject.DIRECTION(), 9),
            ):
                if source.Has(key):
                    target.Set(key, source.Get(key), size)
        return 1

    def RequestUpdateExtent(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Topology is global: whatever part or piece is asked for, the whole input is needed."""
        for port in inputs:
            for connection in range(port.GetNumberOfInformationObjects()):
                info = port.GetInformationObject(connection)
                for key, whole in ((PIECE(), 0), (N_PIECES(), 1), (GHOST_LEVELS(), 0)):
                    info.Set(key, whole)
                if info.Has(WHOLE_EXTENT()):
                    info.Set(UPDATE_EXTENT(), info.Get(WHOLE_EXTENT()), 6)
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        datasets = [_data_object(port.GetInformationObject(0)) for port in inputs]
        results = [_data_object(outputs.GetInformationObject(i)) for i in range(len(self.OUTPUTS))]
        # A run over a composite dataset comes here once a block, and VTK moves the progress on in
        # between: only the first block begins the run, so that no block's error is forgotten.
        if self.GetProgress() == 0.0:
            self._last_error, self._failure, self._report = "", None, {}
        try:
            self.execute(datasets, results)
            self._leave_to_piece_0(outputs, results)
            self.UpdateProgress(1.0)
            return 1
        except (Cancelled, KeyboardInterrupt) as stop:
            self._failure = stop.with_traceback(None)  # which would keep the data alive
        except USERS_ERRORS as error:
            self._failure = error.with_traceback(None)
            self.error(str(error))
        except MemoryError as error:
            self._failure = error.with_traceback(None)
            self.error(f"out of memory: {error}" if str(error) else "out of memory")
        except Exception as error:
            self.error(f"this is a bug in Separatrix, please report it:\n{traceback.format_exc()}")
            self._failure = error.with_traceback(None)
        finally:
            release_memory()  # ParaView draws on the same GPU
        return self.empty(datasets, results)

    def empty(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Leave nothing half-made. An image keeps the input's grid: one that does not fill its
        whole extent looks out of date to VTK, which would run the failed filter again and again.
        """
        source: Any = inputs[0] if inputs else None
        for output in outputs:
            output.Initialize()
            if not isinstance(output, vtkImageData):
                continue
            if isinstance(source, vtkImageData):
                output.CopyStructure(source)
                output.GetPointData().Initialize()  # the structure includes ghost arrays
                output.GetCellData().Initialize()
            elif hasattr(source, "GetExtent"):
                output.SetExtent(source.GetExtent())
        return 0 if self.STRICT else 1

    def _leave_to_piece_0(self, infos: Any, outputs: list[Any]) -> None:
        """Of several processes that have each computed the whole, one alone hands points out."""
        for port, output in enumerate(outputs):
            is_another = (infos.GetInformationObject(port).Get(PIECE()) or 0) > 0
            if is_another and not isinstance(output, vtkImageData):
                output.Initialize()

    def _no_such_setting(self, name: str) -> str:
        others = [name for name in dir(type(self)) if _is_other_name(type(self), name)]
        names = [*settings_of(type(self)), *others]
        close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"settings: {', '.join(names)}"
        return f"{type(self).__name__} has no setting {name!r}; {hint}"


add_vtk_methods(Filter)


def _is_other_name(owner: type, name: str) -> bool:
    """Whether it is another name of a setting: a property that can be set."""
    found = inspect.getattr_static(owner, name)
    return isinstance(found, property) and found.fset is not None


def kind_of(dataset: Any) -> type:
    """The class that keeps what a dataset is: image, polygons, else an unstructured grid."""
    for kind in (vtkImageData, vtkPolyData):
        if isinstance(dataset, kind):
            return kind
    return vtkUnstructuredGrid


def _data_object(info: Any) -> Any:
    return None if info is None else info.Get(vtkDataObject.DATA_OBJECT())


def _restore(
    cls: type[Filter], values: dict[str, Any], choice: tuple[str, int] | None, strict: bool
) -> Filter:
    """A pickled filter again: its class and settings; data and connections are not kept."""
    restored = cls()
    restored._values.update(values)
    restored.STRICT = strict
    if choice is not None:
        restored.SetInputArrayToProcess(0, 0, 0, choice[1], choice[0])
    return restored
