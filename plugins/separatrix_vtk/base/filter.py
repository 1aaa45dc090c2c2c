"""The base classes of all filters and readers.

A filter defines `INPUT_TYPE`, `OUTPUTS`, its options, and `execute`. Its base provides the ports;
the choice of an array; whole extents of images; blocks one by one, and joined pieces, including
those of other processes; progress and abort through `step`; one message per error, with empty
outputs; pickling; `GetOutput`; and options as Python properties, with an AttributeError for a
misspelled one, which VTK would accept.

It is independent of algorithms, CUDA, and ParaView. It requires VTK 9.2 (ParaView 5.11) or newer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vtkmodules.vtkCommonDataModel import vtkDataSet

from separatrix import Canceled
from separatrix.errors import Spelling, Words, check_progress
from separatrix.options import Option, Options, options_of, unknown_option
from separatrix_vtk.base.errors import FilterError, wants_to_stop
from separatrix_vtk.base.input_array import (
    POINTS,
    POINTS_THEN_CELLS,
    InputArray,
    chosen_array,
    find_input_array,
)
from separatrix_vtk.base.pipeline import Pipeline
from separatrix_vtk.base.properties import add_vtk_methods, main_array

Progress = Callable[[float, str], None]


class Filter(Options, Pipeline):
    """Base class: a subclass has options, sets INPUT_TYPE and OUTPUTS, and writes `execute`."""

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
        """Initialize the attributes of a subclass, instead of a constructor."""

    # === for the user ===

    @property
    def last_error(self) -> str:
        """The error of the last run; "" if it succeeded."""
        return self._last_error

    @property
    def report(self) -> Mapping[str, Any]:
        """Device, seconds by stage, and counts of the last run; empty before the first."""
        return self._report

    def spell_with(self, spelling: Spelling) -> None:
        """Spell the options in warnings as another front end does."""
        self._own_spelling = spelling

    def GetOutput(self, port: int = 0) -> Any:
        return self.GetOutputDataObject(port)

    def run(self, dataset: Any = None, progress: Progress | None = None) -> list[Any]:
        """Run the filter as a function: return the datasets of all ports, or raise an error.

        A reader takes no dataset. progress(fraction, stage) may raise separatrix.Canceled.
        """
        if self._is_at_work:
            raise FilterError(
                f"This {type(self).__name__} is already running. Create another filter for calls "
                "from progress callbacks or other threads."
            )
        # With these observers, VTK shows no messages besides the exception.
        sources = (self, self.GetExecutive())
        observers = [one.AddObserver("ErrorEvent", lambda *_: None) for one in sources]
        self.check_together()
        check_progress(progress)
        self._listener, self._is_function = progress, True
        is_vtks = hasattr(dataset, "GetClassName")
        got = dataset.GetClassName() if is_vtks else type(dataset).__name__
        self._failure = FilterError(
            "input", " or ".join(dict.fromkeys(self._input_types)), Words(got)
        )
        try:
            if self._input_types:
                self.SetInputDataObject(dataset)
            self.Modified()
            self.Update()
        finally:
            self._listener, self._is_function = None, False
            for one, observer in zip(sources, observers, strict=True):
                one.RemoveObserver(observer)
        failure, self._failure = self._failure, None
        if failure is not None:
            try:
                raise failure
            finally:
                del failure  # its traceback refers to this frame, and so to the dataset
        return [self.GetOutput(port) for port in range(len(self.OUTPUTS))]

    def Update(self, *arguments: Any) -> Any:
        """Update the output of a port (by default, 0).

        A run that failed because of memory or a device is repeated by calls for the same port, but
        not by requests of pictures or other filters through VTK.
        """
        port = arguments[0] if arguments and isinstance(arguments[0], int) else 0
        if port == self._port_to_try_again and not self._is_at_work:
            self.Modified()
        return super().Update(*arguments)

    def SetInputData(self, dataset: Any) -> None:
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
        """Return the value of an option; the name of the main array is stored in VTK."""
        if option is not main_array(type(self)):
            return super().value_of(option)
        name = chosen_array(self.GetInputArrayInformation(0))[0]
        return option.from_number(name) or None

    def set_value(self, option: Option, value: Any) -> None:
        """Store a value, and mark the filter as modified."""
        if option is main_array(type(self)):
            place = POINTS_THEN_CELLS if option.array_of == "any" else POINTS
            self.SetInputArrayToProcess(0, 0, 0, place, value or "")
        else:
            super().set_value(option, value)
        self.Modified()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class and the options, without data and connections."""
        choice = chosen_array(self.GetInputArrayInformation(0))
        return type(self), (), (dict(self._values), choice, self.STRICT, self.COLLECTIVE)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        values, (name, association), self.STRICT, self.COLLECTIVE = state
        self._values.update(values)
        if association is not None:
            self.SetInputArrayToProcess(0, 0, 0, association, name)

    # === for the filter ===

    def input_array(self, dataset: vtkDataSet) -> InputArray:
        """The array of SetInputArrayToProcess(0, ...), or the active scalars."""
        return find_input_array(dataset, *chosen_array(self.GetInputArrayInformation(0)))

    def step(self, fraction: float, text: str = "") -> None:
        """Report progress; raises Canceled if the user aborts. The engine's `progress=`."""
        label, number, n = self._block
        text = f"{label}: {text}" if label and text else text
        if text:
            self.SetProgressText(text)
        fraction = (number + min(max(fraction, 0.0), 1.0)) / n
        self.UpdateProgress(fraction)
        if self._listener is not None:
            self._listener(fraction, text)
        if wants_to_stop(self):
            raise Canceled(f"{type(self).__name__} was aborted")

    def steps(self, begin: float, end: float) -> Progress:
        """A `progress=` whose fractions 0 to 1 are `begin` to `end` of the filter."""
        reached = 0.0

        def step(fraction: float, text: str = "") -> None:
            nonlocal reached  # unexpected stages may run out of order
            reached = max(reached, fraction)
            self.step(begin * (1.0 - reached) + end * reached, text)

        return step


class Reader(Filter):
    """A filter without an input; a subclass has the option file_name, and writes `read`."""

    INPUT_TYPE = ()
    file_name: str

    def set_up(self) -> None:
        self._known: tuple[Any, Any] | None = None

    def read(self, path: Path) -> Any:
        """Read a file."""
        raise NotImplementedError(f"{type(self).__name__}.read")

    def content(self, *options: Any) -> Any:
        """The result of `read`, which is called again if the file or the options have changed."""
        if not self.file_name:
            raise FilterError("file_name", "the path of a file", self.file_name)
        path = Path(self.file_name).expanduser()
        state = path.stat() if path.is_file() else None
        known_by = (path, state and (state.st_mtime_ns, state.st_size), options)
        if self._known is None or self._known[0] != known_by:
            self._known = None
            self._known = known_by, self.read(path)
        return self._known[1]
