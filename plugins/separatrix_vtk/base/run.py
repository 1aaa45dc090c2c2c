"""A run of a filter: make the input whole, execute once or per block, report what goes wrong.

Of several processes, the first executes and the others receive their part (`pieces`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonExecutionModel import vtkDemandDrivenPipeline, vtkExecutive

from separatrix import (
    Canceled,
    DeviceMemoryError,
    DeviceUnavailable,
    InputError,
    KernelError,
    release_memory,
)
from separatrix.errors import SeparatrixError, Spelling, spelled
from separatrix_vtk.base.arrays import passing_ownership
from separatrix_vtk.base.datasets import Block, clear, container_of, data_object, fill, new_dataset
from separatrix_vtk.base.errors import (
    FilterError,
    Messages,
    abort,
    is_aborted,
    run_again,
    without_tracebacks,
)
from separatrix_vtk.base.gather_input import WholeInput, as_one
from separatrix_vtk.base.input_array import check_arrays
from separatrix_vtk.base.pieces import (
    clear_images,
    extents_of,
    leave_to_piece_0,
    request_same_piece,
    share,
)
from separatrix_vtk.base.processes import Processes, all_processes
from separatrix_vtk.base.properties import arrays_used, sentence, spelling_for
from separatrix_vtk.base.run_in_pieces import DividedRunner, Finished

STOPS = (Canceled, KeyboardInterrupt)
OUTSIDE = (DeviceUnavailable, DeviceMemoryError, KernelError, MemoryError)  # not due to the input
INTERRUPTED = "Stopped by Ctrl-C; the outputs are empty. The next Update() runs the filter again."
INPUT_ABORTED = "The filter before this one was aborted."
NOTHING, STOPPED, FROM_OUTSIDE = "", "stopped", "from outside"  # why another run may succeed
MOST_RUNS = 5  # if observers change options during runs


class Runner(DividedRunner, VTKPythonAlgorithmBase):
    """The part of a filter that executes it, once or per block."""

    INPUT_TYPE: ClassVar[str | tuple[str, ...]] = "vtkDataSet"  # a tuple: one per port, or none
    OUTPUTS: ClassVar[tuple[tuple[str, str], ...]] = ()  # (name of the port, VTK class)
    IS_OF_POINTS: ClassVar[bool] = False  # whether only the points of the input are used
    STRICT = False  # True: Update() fails after a failed run, for pipelines that test it
    COLLECTIVE = True  # False: each of several processes works on its own input
    _own_spelling: Spelling | None = None  # of the options, in warnings
    _values: ClassVar[dict[str, Any]]  # of the options of an instance
    _rejected: dict[str, str]  # option -> the error about the value that ParaView has set

    def __init__(self) -> None:
        self._messages = Messages()
        self._last_error = ""
        self._failure: BaseException | None = None
        self._is_function = False  # within `run`, whose caller gets exceptions
        self._is_at_work = False
        self._port_to_try_again: int | None = None  # of a run that failed from outside
        self._report: Mapping[str, Any] = {}
        self._cause = NOTHING
        self._block: tuple[str, int, int] = ("", 0, 1)  # label, number, and number of blocks
        self._blocks: list[Block] = []
        self._image_extents: list[Any] = []  # of the last outputs; None for other datasets
        self._waiting_ports: set[int] = set()  # not computed in this run, until they are requested
        self._is_quiet = False  # while another process reports
        self._is_divided = False  # whether the last run was one in pieces
        self._finished: Finished | None = None
        self._divided = None
        self._input_types = (
            (self.INPUT_TYPE,) if isinstance(self.INPUT_TYPE, str) else self.INPUT_TYPE
        )
        self._whole = [WholeInput() for _ in self._input_types]
        super().__init__(nInputPorts=len(self._input_types), nOutputPorts=len(self.OUTPUTS))

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        """Fill the output datasets from the input datasets; each filter implements this."""
        raise NotImplementedError(f"{type(self).__name__}.execute")

    def made_type(self, port: int, source: Any) -> str:
        """VTK's name of the output of a port for a dataset."""
        raise NotImplementedError

    def ports_to_wait(self, requested: int) -> set[int]:
        """The ports that a run for the requested one may omit."""
        return set()

    def error(self, text: str) -> None:
        """Show an error; `last_error` keeps the first of a run."""
        self._last_error = self._last_error or text
        if not self._is_quiet:
            self._messages.show(self, text, "Error")

    def warn(self, text: str) -> None:
        """Show a warning, with parameters in braces."""
        text, label = spelled(text, self._own_spelling or spelling_for(self)), self._block[0]
        if not self._is_quiet:
            self._messages.show(self, f"{label}: {text}" if label else text, "Warning")

    def processes(self) -> Processes | None:
        """The processes of a collective run; None if the run is not collective."""
        if self._is_function or not self.COLLECTIVE or not self._input_types:
            return None
        return all_processes(type(self).__name__)

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        datasets = [data_object(port.GetInformationObject(0)) for port in inputs]
        infos = [outputs.GetInformationObject(i) for i in range(len(self.OUTPUTS))]
        port = max(request.Get(vtkExecutive.FROM_OUTPUT_PORT()) or 0, 0)
        results = [data_object(info) for info in infos]
        self._last_error, self._failure, self._report = "", None, {}
        self._cause, self._port_to_try_again = NOTHING, None
        self._image_extents, self._waiting_ports = [], set()
        self._is_at_work = True
        try:
            processes = self.processes()
            if processes is None:
                self._waiting_ports = self.ports_to_wait(port)
                ok = self._attempt(lambda: self._work_until_settled(datasets, results))
                if ok:
                    self._image_extents = extents_of(results)
                    leave_to_piece_0(infos, results)
                    for waiting in self._waiting_ports:  # VTK runs the filter again for them
                        infos[waiting].Set(vtkDemandDrivenPipeline.DATA_NOT_GENERATED(), 1)
            else:
                ok = self._work_together(processes, infos[port], datasets, infos, results)
            if self._cause == FROM_OUTSIDE:
                self._port_to_try_again = port
            if ok:  # an output of blocks may have empty ones, after errors
                return 0 if self._last_error and self.STRICT else 1
            self._report = {}
            code = self.empty(datasets, results)
            if self._cause == STOPPED:
                run_again(infos[port])
            if processes is not None:
                clear_images(results, infos)
            return code
        finally:
            self._is_at_work = False

    def whole_inputs(
        self, datasets: Sequence[Any], processes: Processes | None = None
    ) -> list[list[Block]]:
        """The blocks of each input, joined and gathered. All processes must call this."""
        if self._rejected:
            raise FilterError(" ".join(self._rejected.values()))
        found, wrong = [], None
        for port, (dataset, whole) in enumerate(zip(datasets, self._whole, strict=True)):
            try:
                check_arrays(dataset)
            except FilterError as error:  # the other processes continue with their data
                wrong, dataset = wrong or error, None
            try:
                is_point_set, used = self.IS_OF_POINTS or port > 0, arrays_used(self)
                found.append(whole.of(dataset, is_point_set, processes, used))
            except FilterError as error:
                wrong = wrong or error
            if whole.warning and (processes is None or processes.is_first):
                settings = ", ".join(self.settings_to_divide() or [])
                hint = f" To divide images among the processes, set {settings}."
                self.warn(whole.warning + (hint if settings else ""))
        if wrong is not None:
            raise wrong
        return found

    def _work_until_settled(self, datasets: list[Any], results: list[Any]) -> None:
        """Execute, and again if an observer has changed an option.

        VTK considers a filter that changes while it runs as up to date.
        """
        if is_aborted(self):
            raise Canceled(INPUT_ABORTED)
        for _ in range(MOST_RUNS):
            before = dict(self._values)
            self._work(self.whole_inputs(datasets), results)
            if self._values == before:
                return
            self.empty(datasets, results)
        raise FilterError(
            f"An observer changed an option in each of {MOST_RUNS} runs. Change options between "
            "runs."
        )

    def _work(self, inputs: list[list[Block]], results: list[Any]) -> None:
        is_kept = getattr(self, "keep_complex", False) and not self._is_function
        # VTK does not own a cached complex, which users of the outputs could otherwise change.
        with passing_ownership(not is_kept):
            others = [as_one(blocks) for blocks in inputs[1:]]
            if container_of(results[0]) is None:
                first = [as_one(blocks) for blocks in inputs[:1]]
                self.execute([*first, *others], results)
            else:
                self._execute_blocks(inputs[0], others, results)
        self.UpdateProgress(1.0)

    def _execute_blocks(self, blocks: list[Block], others: list[Any], results: list[Any]) -> None:
        filled = [block for block in blocks if block.pieces]
        made: dict[tuple[int, ...], list[Any]] = {}
        reports = {}
        try:
            for number, block in enumerate(filled):
                label = block.label
                self._block = (label, number, len(filled))
                made[block.path] = self._leaves(block.pieces[0], others)
                numbered = f"{label} ({'.'.join(map(str, block.path))})"
                reports[numbered if label in reports else label] = self._report
        finally:
            self._block = ("", 0, 1)
        self._blocks = [replace(block, pieces=()) for block in blocks]
        for port, result in enumerate(results):
            leaves = [made[b.path][port] if b.path in made else None for b in self._blocks]
            fill(result, self._blocks, leaves)
        self._report = reports.get("", {"blocks": reports})

    def _leaves(self, dataset: Any, others: list[Any]) -> list[Any]:
        """The outputs for one block, which are empty after an error."""
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
        """Work, and report errors; returns whether there was none."""
        try:
            work()
            return True
        except STOPS as stop:
            self._failure = without_tracebacks(stop)
            self._cause = STOPPED
            if isinstance(stop, KeyboardInterrupt) and not self._is_function:
                self.error(INTERRUPTED)  # VTK passes no exception on to the caller
        except SeparatrixError as error:
            self._fail(error, sentence(self, error))
        except MemoryError as error:
            self._fail(error, f"out of memory: {error}" if str(error) else "out of memory")
        except Exception as error:
            text = f"this is a bug in Separatrix, please report it:\n{traceback.format_exc()}"
            self._fail(error, text)
        finally:
            release_memory()  # ParaView uses the same GPU
        return False

    def _fail(self, error: Exception, text: str) -> None:
        label = self._block[0]
        text = f"{label}: {text}" if label else text
        if label and isinstance(error, InputError):
            error = type(error)(text)
        self._failure = without_tracebacks(error)
        if isinstance(error, OUTSIDE) or not self._input_types:  # so is a file
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
        """Run on the first process, and share the outputs; returns whether the run succeeded."""
        request_same_piece(asked, infos)
        self._is_quiet, self._blocks, self._is_divided = not processes.is_first, [], False

        def work() -> None:
            if any(processes.exchange("begin", is_aborted(self))):
                abort(self)
                raise Canceled(INPUT_ABORTED)
            self._is_divided = self.work_in_pieces(processes, datasets, infos, results)
            if self._is_divided:
                return
            inputs = self.whole_inputs(datasets, processes)
            if processes.is_first:
                self._work(inputs, results)

        try:
            outcome = {
                "ok": self._attempt(work),
                "error": self._last_error,
                "blocks": [[block.path, block.names] for block in self._blocks],
                "extents": None if self._is_divided else extents_of(results),
                "cause": self._cause,
                "aborted": is_aborted(self),
                "flag": int(self.GetAbortExecute()),  # which VTK keeps until it is cleared
            }
            shared = share(outcome, processes, infos, results)
        finally:
            self._is_quiet = False
        self._last_error, self._cause = shared["error"], shared["cause"]
        if not shared["ok"] or not processes.is_first:
            self._failure = FilterError(shared["error"]) if shared["error"] else self._failure
        if shared["aborted"]:  # all run again then, or one would wait for the others
            abort(self)
        if shared["flag"] != self.GetAbortExecute():  # so clearing it changes all processes
            self.SetAbortExecute(shared["flag"])
        self._image_extents = shared["extents"] or []
        return bool(shared["ok"])

    def empty(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Clear the outputs; returns the code of a failed run for VTK."""
        for output in outputs:
            clear(output, inputs[0] if inputs else None)
        return 0 if self.STRICT else 1
