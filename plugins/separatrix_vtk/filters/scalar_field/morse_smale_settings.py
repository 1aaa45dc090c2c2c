"""What a user of the filter MorseSmaleComplex can set: level, order, and what is to be computed."""

from __future__ import annotations

from typing import ClassVar

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.settings import ChoiceSetting, Setting
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter


class MorseSmaleSettings(GridFilter):
    """The settings of MorseSmaleComplex."""

    OTHER_NAMES: ClassVar = {
        "persistence": ("persistence_threshold",),
        "relative": ("threshold_mode",),
    }

    persistence_threshold = Setting(
        0.0,
        "cancel pairs of critical points of less persistence: in the unit of the field, or a "
        "fraction of its range; 0 keeps all",
        name="PersistenceThreshold",
        at_least=0,
    )
    threshold_mode = ChoiceSetting(
        "absolute",
        "relative",
        documentation="what the threshold is: a difference of values, or a fraction of the range",
        name="ThresholdMode",
    )
    order = ChoiceSetting(
        "index",
        "plateau",
        documentation="how equal values are ordered: by index, or by distance in their plateau",
        name="Order",
    )

    compute_critical_points = Setting(
        True, "fill port 0 with the critical points", name="ComputeCriticalPoints"
    )
    compute_descending_separatrices_1 = Setting(
        True,
        "put lines from 1-saddles down to minima on port 1",
        name="ComputeDescendingSeparatrices1",
    )
    compute_ascending_separatrices_1 = Setting(
        True,
        "put lines from the saddles below maxima up to maxima on port 1",
        name="ComputeAscendingSeparatrices1",
    )
    compute_saddle_connectors = Setting(
        True, "put lines from 1-saddles to 2-saddles on port 1 (3D)", name="ComputeSaddleConnectors"
    )
    smoothing_iterations = Setting(
        0,
        "rounds of smoothing of the lines on port 1; their ends and junctions stay in place",
        name="SmoothingIterations",
        at_least=0,
        at_most=1000,
    )
    compute_descending_separatrices_2 = Setting(
        False,
        "put surfaces that descend from 2-saddles on port 2 (3D)",
        name="ComputeDescendingSeparatrices2",
    )
    compute_ascending_separatrices_2 = Setting(
        False,
        "put surfaces that ascend from 1-saddles on port 2 (3D)",
        name="ComputeAscendingSeparatrices2",
    )
    compute_ascending_segmentation = Setting(
        True,
        "label each point with the maximum reached by ascending",
        name="ComputeAscendingSegmentation",
    )
    compute_descending_segmentation = Setting(
        True,
        "label each point with the minimum reached by descending",
        name="ComputeDescendingSegmentation",
    )
    compute_final_segmentation = Setting(
        True,
        "label each point with its pair of minimum and maximum",
        name="ComputeFinalSegmentation",
    )
    compute_top_cell_labels = Setting(
        False,
        "label each voxel exactly with its maximum, as cell data (point data input only)",
        name="ComputeTopCellLabels",
    )

    compute_simplified_field = Setting(
        False,
        "add the field without the extrema that were canceled to port 3",
        name="ComputeSimplifiedField",
    )
    compute_graph = Setting(
        True, "fill port 4 with the arcs between critical points", name="ComputeGraph"
    )
    compute_persistence_pairs = Setting(
        True,
        "tell the persistence of each critical point on port 0",
        name="ComputePersistencePairs",
    )
    region_table = ChoiceSetting(
        "none",
        "descending",
        "ascending",
        "morse_smale",
        documentation="the segmentation whose regions port 5 lists with size, values and extrema",
        name="RegionTable",
    )
    keep_complex = Setting(
        True,
        "keep the complex in memory, so that another threshold is quick",
        name="KeepComplex",
    )

    @property
    def persistence(self) -> float:
        """The engine's name of `persistence_threshold`."""
        return self.persistence_threshold

    @persistence.setter
    def persistence(self, threshold: float) -> None:
        self.persistence_threshold = threshold

    @property
    def relative(self) -> bool:
        """The engine's name of `threshold_mode`: whether the threshold is a fraction."""
        return self.threshold_mode == "relative"

    @relative.setter
    def relative(self, on: bool) -> None:
        if not isinstance(on, (bool, int)):
            raise FilterError(f"relative takes True or False; {on!r} came")
        self.threshold_mode = "relative" if on else "absolute"

    def GetThresholdRange(self) -> tuple[float, float]:
        """The thresholds that make sense: what ParaView's slider offers."""
        if self.threshold_mode == "relative":
            return 0.0, 1.0
        try:
            low, high = self.input_array(self.GetInputDataObject(0, 0)).array.GetFiniteRange()
        except (AttributeError, FilterError):  # nothing there yet
            return 0.0, 1.0
        return 0.0, high - low if high > low else 1.0
