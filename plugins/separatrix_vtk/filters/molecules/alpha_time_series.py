"""Filter for the volume, area, and topology of atoms at all time steps of a trajectory.

port 0  Time Series       table with one row per time step
    Time (d), TotalVolume, TotalArea (d, of the union of the grown balls, if measures are enabled),
    NumberOfAtoms, NumberOfVertices, -Edges, -Triangles, -Tetrahedra, EulerCharacteristic (i64), and
    if topology is enabled Betti0, Betti1, Betti2, in a periodic box Betti3 (i64), VoidVolume,
    VoidArea (d)
    field   Alpha (a squared length), ProbeRadius, Resolution (lengths)
port 1  Pockets           table with one row per pocket and time step, if enabled
    Time (d), PocketId (i32, of the same pocket at all time steps; see sx.PocketTracks), Volume,
    Area, Depth, MouthArea (d, of all its mouths), NumberOfMouths, NumberOfAtoms (i64), and in a
    periodic box Periodicity (i8, number of directions in which it repeats)

The filter requests all time steps of its input in turn, and computes the complexes of several
frames together as soon as it has gathered MOST_GATHERED atoms. An input without time has one row.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

import separatrix as sx
from separatrix.errors import SeparatrixError
from separatrix.options import AlphaTimeSeriesOptions
from separatrix_vtk.base.arrays import add_numbers, to_vtk
from separatrix_vtk.base.computing import counted
from separatrix_vtk.base.datasets import data_object
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import joined
from separatrix_vtk.base.properties import sentence
from separatrix_vtk.filters.molecules.balls import BallFilter, Balls, balls_of, numbers_of

TIME_STEPS = vtkStreamingDemandDrivenPipeline.TIME_STEPS
TIME_RANGE = vtkStreamingDemandDrivenPipeline.TIME_RANGE
UPDATE_TIME_STEP = vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP
CONTINUE_EXECUTING = vtkStreamingDemandDrivenPipeline.CONTINUE_EXECUTING
MOST_GATHERED = 1 << 22  # atoms, of 32 bytes each


class Frame(NamedTuple):
    """Balls of a time step."""

    positions: np.ndarray  # (n, 3) float64
    sizes: dict[str, Any]  # (n,) float64, radii or weights
    box: tuple[float, ...] | None

    @property
    def known_by(self) -> tuple[bytes, ...]:
        """Sizes as a key."""
        return tuple(array.tobytes() for array in self.sizes.values())


class AlphaTimeSeries(AlphaTimeSeriesOptions, BallFilter):
    """Compute measures, Betti numbers, and voids of the alpha complex at every time step.

    The input is a point set, molecule, or table with time steps, such as the models of a file or a
    trajectory. The output is a table with one row per time step.

    Examples
    --------
    >>> series = AlphaTimeSeries(probe=1.4)
    >>> series.SetInputConnection(trajectory.GetOutputPort())
    >>> series.Update()
    >>> series.GetOutput().GetColumnByName("TotalArea")
    """

    JOINS_BLOCKS = True
    OUTPUTS = (("Time Series", "vtkTable"), ("Pockets", "vtkTable"))

    def set_up(self) -> None:
        self._times: list[float] = []
        self._frames: list[Frame] = []
        self._rows: list[dict[str, float]] = []
        self._pockets: list[dict[str, np.ndarray]] = []
        self._tracks = sx.PocketTracks()
        self._seconds = 0.0
        self._n_elsewhere = 0  # time steps whose atoms were sent to another process
        self._device_name = ""
        self._broken: BaseException | None = None

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        if self._broken is not None:
            raise self._broken
        self._compute()
        rows = self._rows
        for name in rows[0]:
            outputs[0].AddColumn(to_vtk(np.array([row[name] for row in rows]), name))
        numbers = {
            "Alpha": self.alpha,
            "ProbeRadius": self.probe,
            "Resolution": self.resolution,
        }
        add_numbers(outputs[0], numbers)
        for name in self._pockets[0] if self._pockets else ():
            values = np.concatenate([columns[name] for columns in self._pockets])
            outputs[1].AddColumn(to_vtk(values, name))
        self._report = {
            "device": self._device_name,
            "n_time_steps": len(rows),
            **numbers,
            "seconds": {"complexes": self._seconds},
        }

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        return [counted(report["n_time_steps"], "time steps")]

    def _compute(self) -> None:
        """Compute the rows of the gathered frames and release these."""
        begun, gathered, self._frames = time.perf_counter(), self._frames, []
        n_steps = max(len(self._times), 1)
        for _, run in groupby(gathered, key=lambda frame: frame.known_by):
            frames = list(run)  # with the same atoms
            boxes = [frame.box for frame in frames]
            share = (len(self._rows) / n_steps, (len(self._rows) + len(frames)) / n_steps)
            complexes = sx.alpha_complexes(
                np.stack([frame.positions for frame in frames]),
                alpha=self.alpha,
                box=None if self.box_source == "none" else np.array(boxes),
                **frames[0].sizes,
                **self.search_options,
                **self.engine_options(*share),
            )
            for complex in complexes:
                self._device_name = complex.device
                row: dict[str, float] = {"Time": self._time_of(len(self._rows))}
                if self.compute_measures:
                    row |= {"TotalVolume": complex.volume(), "TotalArea": complex.area()}
                voids = complex.voids() if self.compute_topology else None
                if self.compute_pockets:
                    self._add_pockets(row["Time"], complex)
                self._rows.append(row | numbers_of(complex, self.compute_topology, voids))
        self._seconds += time.perf_counter() - begun

    def _add_pockets(self, time: float, complex: Any) -> None:
        pockets = complex.pockets()
        repeats = (
            {"Periodicity": sx.to_host(pockets.periodicity)} if complex.box is not None else {}
        )
        self._pockets.append(
            {
                "Time": np.full(len(pockets), time),
                "PocketId": self._tracks.add(pockets),
                "Volume": sx.to_host(pockets.volume),
                "Area": sx.to_host(pockets.area),
                "Depth": sx.to_host(pockets.depth),
                "MouthArea": np.bincount(
                    sx.to_host(pockets.mouths.pocket),
                    sx.to_host(pockets.mouths.area),
                    len(pockets),
                ),
                "NumberOfMouths": sx.to_host(pockets.n_mouths),
                "NumberOfAtoms": np.diff(sx.to_host(pockets.atom_offsets)),
                **repeats,
            }
        )

    def _time_of(self, frame: int) -> float:
        return self._times[frame] if self._times else 0.0

    # === for the pipeline

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Announce no time steps, because the table contains all of them."""
        source = inputs[0].GetInformationObject(0)
        self._times = list(source.Get(TIME_STEPS()) or ()) if source.Has(TIME_STEPS()) else []
        self._restart()
        for port in range(len(self.OUTPUTS)):
            for key in (TIME_STEPS(), TIME_RANGE()):
                outputs.GetInformationObject(port).Remove(key)
        return 1

    def RequestUpdateExtent(self, request: Any, inputs: Any, outputs: Any) -> int:
        super().RequestUpdateExtent(request, inputs, outputs)
        if self._times:
            info = inputs[0].GetInformationObject(0)
            info.Set(UPDATE_TIME_STEP(), self._times[self._n_seen])
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Gather one time step, and compute after the last one or if many are gathered."""
        dataset, processes = data_object(inputs[0].GetInformationObject(0)), self.processes()
        if self._times and not self._n_seen:  # as in the base class, at the first time step
            self._last_error, self._failure, self._report = "", None, {}
        try:
            whole = self.whole_inputs([dataset], processes)[0]
            if processes is None or processes.is_first:
                atoms = joined([p for block in whole for p in block.pieces], True)[0]
                self._frames.append(_finite(balls_of(atoms, self), self.box_of(atoms)))
            else:
                self._n_elsewhere += 1
        except SeparatrixError as error:
            where = f"time {self._time_of(self._n_seen):g}: " if self._times else ""
            self._broken = type(error)(f"{where}{sentence(self, error)}")
        except (Exception, KeyboardInterrupt) as error:  # a bug, or Ctrl-C, for the base class
            self._broken = error
        is_last = self._n_seen >= len(self._times)
        n_gathered = sum(len(frame.positions) for frame in self._frames)
        if self._broken is None and not is_last and n_gathered >= MOST_GATHERED:
            try:
                self._compute()
            except (Exception, KeyboardInterrupt) as error:
                self._broken = error
        if processes is not None:  # all processes continue, or none
            text = "" if self._broken is None else str(self._broken) or type(self._broken).__name__
            wrong = processes.exchange("time step", text)[0]
            self._broken = self._broken or (FilterError(wrong) if wrong else None)
        if self._broken is None and not is_last:
            request.Set(CONTINUE_EXECUTING(), 1)
            return 1
        request.Remove(CONTINUE_EXECUTING())
        try:
            return super().RequestData(request, inputs, outputs)
        finally:
            self._restart()

    @property
    def _n_seen(self) -> int:
        return len(self._rows) + len(self._frames) + self._n_elsewhere

    def _restart(self) -> None:
        self._frames, self._rows, self._broken = [], [], None
        self._pockets, self._tracks = [], sx.PocketTracks()
        self._seconds, self._n_elsewhere = 0.0, 0


def _finite(atoms: Balls, box: tuple[float, ...] | None) -> Frame:
    """Return the balls of a frame. Raises FilterError before frames are stacked."""
    positions = np.array(atoms.positions, np.float64)
    if (lost := np.flatnonzero(~np.isfinite(positions).all(axis=1))).size:
        raise FilterError(
            *("positions", "finite", tuple(positions[lost[0]].tolist())),
            where=f"[{atoms.rows[lost[0]]}]",
            count=lost.size,
        )
    return Frame(positions, atoms.sizes, box)
