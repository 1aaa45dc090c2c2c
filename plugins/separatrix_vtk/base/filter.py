"""The base of every filter: what is the same for all of them, so that a filter is thin.

A filter gives `INPUT_TYPE`, `OUTPUTS`, its settings and `execute`. From here it has: the ports;
the choice of an array; whole extents for images, wherever they begin; blocks one by one, pieces
joined, also those of other processes; progress and abort through `step`; one message for a user's
error and empty outputs after it; pickling; `GetOutput`; Python properties for settings, and an
AttributeError for a misspelled one, which VTK would take without a word.

Nothing here knows an algorithm, CUDA or ParaView. Works with VTK 9.2 (ParaView 5.11) and newer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from vtkmodules.vtkCommonDataModel import vtkDataSet

from separatrix import Cancelled
from separatrix.errors import Spelling, Words
from separatrix.options import Option, Options, options_of, unknown_option
from separatrix_vtk.base.datasets import wrapper_for
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import (
    POINTS,
    POINTS_THEN_CELLS,
    InputArray,
    chosen_array,
    find_input_array,
)
from separatrix_vtk.base.pipeline import Pipeline
from separatrix_vtk.base.properties import add_vtk_methods, main_array
from separatrix_vtk.base.stops import wants_to_stop

Progress = Callable[[float, str], None]


class Filter(Options, Pipeline):
    """Base class: a subclass has options, sets INPUT_TYPE and OUTPUTS, and writes `execute`."""

    TAKES: ClassVar[str] = ""  # description of the input, if a port takes several types

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        add_vtk_methods(cls)

    def __init__(self, **values: Any) -> None:
        self._rejected: dict[str, str] = {}
        self._listener: Progress | None = None
        Pipeline.__init__(self)
        self.set_up()
        Options.__init__(self, **values)

    def set_up(self) -> None:
        """Initialize the attributes of a subclass, which has no constructor of its own."""

    # === for the user ===

    @property
    def last_error(self) -> str:
        """The sentence of the last run's error; "" after a run that went well."""
        return self._last_error

    @property
    def report(self) -> Mapping[str, Any]:
        """What the last run did: device, seconds by stage, counts. Empty before it."""
        return self._report

    def spell_with(self, spelling: Spelling) -> None:
        """Have warnings name the options as another front end spells them."""
        self._own_spelling = spelling

    def GetOutput(self, port: int = 0) -> Any:
        """The dataset of an output port."""
        return self.GetOutputDataObject(port)

    def run(self, dataset: Any = None, progress: Progress | None = None) -> list[Any]:
        """The filter as a function: the datasets of all ports; what goes wrong is raised.

        A reader takes no dataset. progress(fraction, stage) may raise separatrix.Cancelled.
        """
        if self._is_at_work:
            raise FilterError(
                f"This {type(self).__name__} is already running. Create another filter for calls "
                "from progress callbacks or other threads."
            )
        # With observers the message window has nothing to add to the exception.
        telling = (self, self.GetExecutive())
        observers = [one.AddObserver("ErrorEvent", lambda *_: None) for one in telling]
        self.check_together()
        self._listener, self._is_function = progress, True
        is_vtks = hasattr(dataset, "GetClassName")
        came = dataset.GetClassName() if is_vtks else type(dataset).__name__
        self._failure = FilterError(
            *("input", self.TAKES or " or ".join(self._input_types), Words(came)),
            self.what_to_do_with(dataset),
        )
        try:
            if self._input_types:
                self.SetInputDataObject(dataset)
            self.Modified()
            self.Update()
        finally:
            self._listener, self._is_function = None, False
            for one, observer in zip(telling, observers, strict=True):
                one.RemoveObserver(observer)
        failure, self._failure = self._failure, None
        if failure is not None:
            try:
                raise failure
            finally:
                del failure  # whose traceback knows this frame, and so the dataset
        return [self.GetOutput(port) for port in range(len(self.OUTPUTS))]

    def __call__(self, dataset: Any = None) -> Any:
        """The output for a dataset, of several ports a tuple; what goes wrong is raised.

        As VTK's own from 9.4 on: the outputs are the caller's, connections stay as they were. Those
        of VTK cannot be called with PyVista's datasets; here these come back as such.
        """
        ports = range(min(1, len(self._input_types)))  # a reader has none
        connections = [self.GetInputConnection(p, 0) for p in ports]
        producers = [c and c.GetProducer() for c in connections]  # kept alive meanwhile
        try:
            copies = []
            for output in self.run(dataset):
                copies.append(output.NewInstance())
                copies[-1].ShallowCopy(output)
        finally:
            for port, connection, _ in zip(ports, connections, producers, strict=True):
                self.SetInputConnection(port, connection)
        wrapped = tuple(map(wrapper_for(dataset), copies))
        return wrapped[0] if len(wrapped) == 1 else wrapped

    def Update(self, *arguments: Any) -> Any:
        """Bring the output of a port (0) up to date. A run that failed for want of memory or of a
        device is tried again when the same port is asked for here, but not for each picture, or
        filter after it, that asks VTK.
        """
        port = arguments[0] if arguments and isinstance(arguments[0], int) else 0
        if port == self._port_to_try_again and not self._is_at_work:
            self.Modified()
        return super().Update(*arguments)

    def SetInputData(self, dataset: Any) -> None:
        """Take a dataset instead of a connection, as VTK's own filters do."""
        self.SetInputDataObject(dataset)

    if not TYPE_CHECKING:  # with it, type checkers would accept any attribute

        def __setattr__(self, name: str, value: Any) -> None:
            if not name.startswith("_"):
                declared = inspect.getattr_static(type(self), name, None)
                if declared is None or (
                    callable(declared) and not hasattr(type(declared), "__set__")
                ):
                    known = options_of(type(self))
                    raise AttributeError(unknown_option(type(self).__name__, name, known))
            super().__setattr__(name, value)

    def value_of(self, option: Option) -> Any:
        """Return the value of an option; of the main array the name that VTK knows."""
        if option is not main_array(type(self)):
            return super().value_of(option)
        name = chosen_array(self.GetInputArrayInformation(0))[0]
        return option.from_number(name) or None

    def set_value(self, option: Option, value: Any) -> None:
        """Store a value; the pipeline is out of date then."""
        if option is main_array(type(self)):
            place = POINTS_THEN_CELLS if option.array_of == "any" else POINTS
            self.SetInputArrayToProcess(0, 0, 0, place, value or "")
        else:
            super().set_value(option, value)
        self.Modified()

    def __reduce__(self) -> tuple[Any, ...]:
        name, association = chosen_array(self.GetInputArrayInformation(0))
        choice = (name, association) if association is not None else None
        return _restore, (type(self), dict(self._values), choice, self.STRICT, self.COLLECTIVE)

    # === for the filter ===

    def input_array(self, dataset: vtkDataSet, index: int = 0) -> InputArray:
        """The array to work on: SetInputArrayToProcess(index, ...) or else the active scalars."""
        return find_input_array(dataset, *chosen_array(self.GetInputArrayInformation(index)))

    def what_to_do_with(self, dataset: Any) -> str:
        """The remedy in the error about a dataset of a wrong type."""
        return ""

    def step(self, fraction: float, text: str = "") -> None:
        """Say how far the work is; raises Cancelled if the user wants it to stop.

        Given to the engine as its `progress=`.
        """
        label, number, n = self._block
        text = f"{label}: {text}" if label and text else text
        if text:
            self.SetProgressText(text)
        fraction = (number + min(max(fraction, 0.0), 1.0)) / n
        self.UpdateProgress(fraction)
        if self._listener is not None:
            self._listener(fraction, text)
        if wants_to_stop(self):
            raise Cancelled(f"{type(self).__name__} was aborted")

    def steps(self, begin: float, end: float) -> Progress:
        """A `progress=` whose 0 to 1 is `begin` to `end` of this filter's own."""
        reached = 0.0

        def step(fraction: float, text: str = "") -> None:
            nonlocal reached  # stages that were not foreseen may run out of their order
            reached = max(reached, fraction)
            self.step(begin * (1.0 - reached) + end * reached, text)

        return step


def _restore(
    cls: type[Filter],
    values: dict[str, Any],
    choice: tuple[str, int] | None,
    strict: bool,
    collective: bool,
) -> Filter:
    """A pickled filter again: its class and settings; data and connections are not kept."""
    restored = cls()
    restored._values.update(values)
    restored.STRICT, restored.COLLECTIVE = strict, collective
    if choice is not None:
        restored.SetInputArrayToProcess(0, 0, 0, choice[1], choice[0])
    return restored
