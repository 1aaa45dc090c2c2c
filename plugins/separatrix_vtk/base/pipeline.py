"""How a filter stands in a pipeline: what it takes and makes, and how a run goes.

A run makes the input whole (`whole`), executes once, or once a block where the input is several
datasets, and turns what goes wrong into one message and empty outputs. Of several processes the
first does so and the others take their part (`together`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkImageData
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm, vtkExecutive

from separatrix import (
    Cancelled,
    DeviceMemoryError,
    DeviceUnavailable,
    InputError,
    KernelError,
    release_memory,
)
from separatrix.errors import Spelling, spelled
from separatrix_vtk.base.arrays import giving_away
from separatrix_vtk.base.datasets import (
    Block,
    container_of,
    data_object,
    fill,
    kind_of,
    new_dataset,
)
from separatrix_vtk.base.errors import FilterError, Messages, bare
from separatrix_vtk.base.input_array import check_arrays
from separatrix_vtk.base.processes import Processes, all_processes
from separatrix_vtk.base.properties import spelling_for
from separatrix_vtk.base.stops import abort, is_aborted, run_again
from separatrix_vtk.base.together import (
    GHOST_LEVELS,
    N_PIECES,
    PIECE,
    UPDATE_EXTENT,
    WHOLE_EXTENT,
    Outcome,
    ask_all_ports_alike,
    ask_for_own_piece,
    extents_of,
    lay_bare,
    share,
)
from separatrix_vtk.base.whole import Whole, WholeInput, as_one

AS_INPUT = "vtkDataSet"
COMPOSITE = "vtkCompositeDataSet"
USERS_ERRORS = (FilterError, InputError, DeviceUnavailable, DeviceMemoryError, KernelError)
STOPS = (Cancelled, KeyboardInterrupt)
OUTSIDE = (DeviceUnavailable, DeviceMemoryError, KernelError, MemoryError)  # no fault of the input
INTERRUPTED = "stopped by Ctrl-C, the outputs are empty; the next Update() runs it again"
INPUT_ABORTED = "the filter before this one was aborted"
NOTHING, STOPPED, FROM_OUTSIDE = "", "stopped", "from outside"  # why another run may go well
MOST_RUNS = 5  # for options that observers change meanwhile


class Pipeline(VTKPythonAlgorithmBase):
    """The part of a filter that VTK calls. An output of vtkDataSet is of the input's kind: an
    image, polygons, or an unstructured grid.
    """

    INPUT_TYPE: ClassVar[str | tuple[str, ...]] = (
        "vtkDataSet"  # a tuple: one an input port, or none
    )
    OUTPUTS: ClassVar[tuple[tuple[str, str], ...]] = ()  # (name of the port, VTK class)
    IS_OF_POINTS: ClassVar[bool] = False  # the points of the input count, not its cells
    JOINS_BLOCKS: ClassVar[bool] = False  # blocks are looked at together, as one dataset
    STRICT = False  # True: a failed run makes Update() fail too, for pipelines that test it
    _own_spelling: Spelling | None = None  # of the options, in warnings
    COLLECTIVE = True  # False: of several processes each works on its own input by itself
    InputType = OutputType = ""
    _values: ClassVar[dict[str, Any]]  # of the options of an instance
    _rejected: dict[str, str]  # option -> what is wrong with the value that ParaView has set

    def __init__(self) -> None:
        self._messages = Messages()
        self._last_error = ""
        self._failure: BaseException | None = None
        self._is_function = False  # while `run` is at work, whose caller gets exceptions
        self._is_at_work = False
        self._port_to_try_again: int | None = None  # that the last run failed for, from outside
        self._report: Mapping[str, Any] = {}
        self._cause = NOTHING
        self._block: tuple[str, int, int] = ("", 0, 1)  # label, number, and how many there are
        self._blocks: list[Block] = []
        self._image_extents: list[Any] = []  # of the last run's outputs, None of those of no image
        self._is_quiet = False  # while another process has the say
        self._input_types = (
            (self.INPUT_TYPE,) if isinstance(self.INPUT_TYPE, str) else self.INPUT_TYPE
        )
        self._whole = [WholeInput() for _ in self._input_types]
        super().__init__(nInputPorts=len(self._input_types), nOutputPorts=len(self.OUTPUTS))

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        """Fill the output datasets from the input datasets: the one thing a filter must write."""
        raise NotImplementedError(f"{type(self).__name__}.execute")

    def error(self, text: str) -> None:
        """Tell the user, once; `last_error` keeps the first of a run."""
        self._last_error = self._last_error or text
        if not self._is_quiet:
            self._messages.error(self, text)

    def warn(self, text: str) -> None:
        """Tell the user what was left out, once; parameters stand in braces."""
        text, label = spelled(text, self._own_spelling or spelling_for(self)), self._block[0]
        if not self._is_quiet:
            self._messages.warning(self, f"{label}: {text}" if label else text)

    # === what it takes and makes

    def accepted_types(self, port: int) -> tuple[str, ...]:
        """VTK's names of the datasets that an input port takes, blocks and pieces of them apart."""
        return (self._input_types[port],)

    def made_type(self, port: int, source: Any) -> str:
        """VTK's name of what an output port makes of a dataset."""
        kind = self.OUTPUTS[port][1]
        return kind_of(source).__name__ if kind == AS_INPUT else kind

    def FillInputPortInformation(self, port: int, info: Any) -> int:
        for kind in (*self.accepted_types(port), COMPOSITE):
            info.Append(vtkAlgorithm.INPUT_REQUIRED_DATA_TYPE(), kind)
        return 1

    def FillOutputPortInformation(self, port: int, info: Any) -> int:
        info.Set(vtkDataObject.DATA_TYPE_NAME(), self.OUTPUTS[port][1])
        return 1

    def RequestDataObject(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Outputs that are what the input is, or blocks and pieces as the input is."""
        source = data_object(inputs[0].GetInformationObject(0)) if inputs else None
        container = None if self.JOINS_BLOCKS else container_of(source)
        for port in range(len(self.OUTPUTS)):
            wanted = container.__name__ if container else self.made_type(port, source)
            # VTK replaces what is not of the port's type, which is settled only now.
            self.GetOutputPortInformation(port).Set(vtkDataObject.DATA_TYPE_NAME(), wanted)
            info = outputs.GetInformationObject(port)
            made = data_object(info)
            if made is None or made.GetClassName() != wanted:
                info.Set(vtkDataObject.DATA_OBJECT(), new_dataset(wanted))
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
        processes = self.processes()
        for port in inputs:
            for connection in range(port.GetNumberOfInformationObjects()):
                info = port.GetInformationObject(connection)
                if processes is not None:
                    ask_for_own_piece(info, processes)
                    continue
                for key, whole in ((PIECE(), 0), (N_PIECES(), 1), (GHOST_LEVELS(), 0)):
                    info.Set(key, whole)
                if info.Has(WHOLE_EXTENT()):
                    info.Set(UPDATE_EXTENT(), info.Get(WHOLE_EXTENT()), 6)
        return 1

    # === a run

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        self._is_at_work = True
        try:
            return self._run(request, inputs, outputs)
        finally:
            self._is_at_work = False

    def _run(self, request: Any, inputs: Any, outputs: Any) -> int:
        datasets = [data_object(port.GetInformationObject(0)) for port in inputs]
        infos = [outputs.GetInformationObject(i) for i in range(len(self.OUTPUTS))]
        port = max(request.Get(vtkExecutive.FROM_OUTPUT_PORT()) or 0, 0)
        results = [data_object(info) for info in infos]
        self._last_error, self._failure, self._report = "", None, {}
        self._cause, self._port_to_try_again = NOTHING, None
        self._image_extents = []
        processes = self.processes()
        if processes is None:
            ok = self._attempt(lambda: self._work_until_settled(datasets, results))
            if ok:
                self._image_extents = extents_of(results)
                self._leave_to_piece_0(infos, results)
        else:
            ok = self._work_together(processes, infos[port], datasets, infos, results)
        if self._cause == FROM_OUTSIDE:
            self._port_to_try_again = port
        if not ok:
            self._report = {}
            code = self.empty(datasets, results)
            if self._cause == STOPPED:
                run_again(infos[port])
            if processes is not None:
                lay_bare(results, infos)
            return code
        # A block that went wrong is empty, the others are not.
        return 0 if self._last_error and self.STRICT else 1

    def processes(self) -> Processes | None:
        """The processes to work together with, None where this one works by itself."""
        if self._is_function or not self.COLLECTIVE or not self._input_types:
            return None
        return all_processes(type(self).__name__)

    def whole_inputs(
        self, datasets: Sequence[Any], processes: Processes | None = None
    ) -> list[list[Whole]]:
        """The blocks of each input, joined and gathered; of processes all must call this."""
        if self._rejected:
            raise FilterError(" ".join(self._rejected.values()))
        found, wrong = [], None
        for port, (dataset, whole) in enumerate(zip(datasets, self._whole, strict=True)):
            try:
                check_arrays(dataset)
            except FilterError as error:  # the other processes go on with what they have
                wrong, dataset = wrong or error, None
            try:
                found.append(whole.of(dataset, self.IS_OF_POINTS or port > 0, processes))
            except FilterError as error:
                wrong = wrong or error
            if whole.warning and (processes is None or processes.is_first):
                self.warn(whole.warning)
        if wrong is not None:
            raise wrong
        return found

    def _work_until_settled(self, datasets: list[Any], results: list[Any]) -> None:
        """Work, and again where an observer has changed an option meanwhile: VTK takes a filter
        for up to date that changes while it runs.
        """
        if is_aborted(self):
            raise Cancelled(INPUT_ABORTED)
        for _ in range(MOST_RUNS):
            before = dict(self._values)
            self._work(self.whole_inputs(datasets), results)
            if self._values == before:
                return
            self.empty(datasets, results)
        raise FilterError(
            f"an option has changed in each of {MOST_RUNS} runs, by an observer of the filter; "
            "change options between runs"
        )

    def _work(self, inputs: list[list[Whole]], results: list[Any]) -> None:
        """Execute; what is kept of it is not what the outputs' users may write to."""
        is_kept = getattr(self, "keep_complex", False) and not self._is_function
        with giving_away(not is_kept):
            self._execute_blocks(inputs, results)

    def _execute_blocks(self, inputs: list[list[Whole]], results: list[Any]) -> None:
        """Execute, once a block where the outputs are blocks."""
        others = [as_one(blocks) for blocks in inputs[1:]]
        if container_of(results[0]) is None:
            first = [as_one(blocks) for blocks in inputs[:1]]
            self.execute([*first, *others], results)
            self.UpdateProgress(1.0)
            return
        filled = [whole for whole in inputs[0] if whole.dataset is not None]
        made: dict[tuple[int, ...], list[Any]] = {}
        reports = {}
        try:
            for number, whole in enumerate(filled):
                label = whole.block.label
                self._block = (label, number, len(filled))
                made[whole.block.path] = self._leaves(whole.dataset, others)
                number_too = f"{label} ({'.'.join(map(str, whole.block.path))})"
                reports[number_too if label in reports else label] = self._report
        finally:
            self._block = ("", 0, 1)
        self._blocks = [replace(whole.block, pieces=()) for whole in inputs[0]]
        for port, result in enumerate(results):
            leaves = [made[b.path][port] if b.path in made else None for b in self._blocks]
            fill(result, self._blocks, leaves)
        self._report = reports.get("", {"blocks": reports})
        self.UpdateProgress(1.0)

    def _leaves(self, dataset: Any, others: list[Any]) -> list[Any]:
        """The outputs for one block, empty ones where that goes wrong."""
        kinds = [self.made_type(port, dataset) for port in range(len(self.OUTPUTS))]
        leaves = [new_dataset(kind) for kind in kinds]
        self._report = {}
        if not self._attempt(lambda: self.execute([dataset, *others], leaves)):
            if isinstance(self._failure, STOPS):
                raise self._failure
            for leaf in leaves:
                leaf.Initialize()
        return leaves

    def _attempt(self, work: Callable[[], Any]) -> bool:
        """Work, and tell what goes wrong: whether all went well."""
        try:
            work()
            return True
        except STOPS as stop:
            self._failure = bare(stop)
            self._cause = STOPPED
            if isinstance(stop, KeyboardInterrupt) and not self._is_function:
                self.error(INTERRUPTED)  # VTK lets no exception through to the caller
        except USERS_ERRORS as error:
            self._fail(error, error.render(spelling_for(self)))
        except MemoryError as error:
            self._fail(error, f"out of memory: {error}" if str(error) else "out of memory")
        except Exception as error:
            text = f"this is a bug in Separatrix, please report it:\n{traceback.format_exc()}"
            self._fail(error, text)
        finally:
            release_memory()  # ParaView draws on the same GPU
        return False

    def _fail(self, error: Exception, text: str) -> None:
        label = self._block[0]
        text = f"{label}: {text}" if label else text
        if label and isinstance(error, (FilterError, InputError)):
            error = type(error)(text)
        self._failure = bare(error)
        if isinstance(error, OUTSIDE) or not self._input_types:  # a file is another's matter, too
            self._cause = FROM_OUTSIDE
        self.error(text)

    def _work_together(
        self,
        processes: Processes,
        asked: Any,
        datasets: list[Any],
        infos: list[Any],
        results: list[Any],
    ) -> bool:
        """Whether the run of the first process went well; each has its part of the outputs then."""
        ask_all_ports_alike(asked, infos)
        self._is_quiet, self._blocks = not processes.is_first, []

        def work() -> None:
            if any(processes.exchange("begin", is_aborted(self))):
                abort(self)
                raise Cancelled(INPUT_ABORTED)
            inputs = self.whole_inputs(datasets, processes)
            if processes.is_first:
                self._work(inputs, results)

        try:
            ok = self._attempt(work)
            flags = is_aborted(self), self.GetAbortExecute()
            outcome = Outcome(ok, self._last_error, self._blocks, self._cause, *flags)
            told = share(outcome, processes, infos, results)
        finally:
            self._is_quiet = False
        self._last_error, self._cause = told["error"], told["cause"]
        if not told["ok"] or not processes.is_first:
            self._failure = FilterError(told["error"]) if told["error"] else self._failure
        if told["aborted"]:  # all run again then, or one would wait for the others
            abort(self)
        if told["flag"] != self.GetAbortExecute():  # so that to take it back changes all of them
            self.SetAbortExecute(told["flag"])
        self._image_extents = told["extents"]
        return bool(told["ok"])

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

    def _leave_to_piece_0(self, infos: list[Any], outputs: list[Any]) -> None:
        """Asked for another piece than the first, by one process alone: that has all points."""
        for info, output in zip(infos, outputs, strict=True):
            if (info.Get(PIECE()) or 0) > 0 and not isinstance(output, vtkImageData):
                output.Initialize()
