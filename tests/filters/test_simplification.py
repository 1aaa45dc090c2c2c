"""Simplification in the filter: canceled pairs, messages, and reuse of the complex."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix as sx
import separatrix_vtk
from filters.images import (
    array_types,
    cell_array,
    connectivity_of,
    image_with,
    noise,
    point_array,
    points_of,
)
from filters.images import (
    run_morse_smale as run,
)

VOLUME = noise(6, 7, 8)
TIED = noise(6, 7, 8, dtype=np.uint8) // 8
LEVEL = 12.0


def field_data(dataset: Any) -> dict[str, float]:
    data = dataset.GetFieldData()
    return {
        data.GetArrayName(i): data.GetArray(i).GetTuple1(0) for i in range(data.GetNumberOfArrays())
    }


def test_a_threshold_is_absolute_or_a_fraction_of_the_range():
    spread = float(VOLUME.max()) - float(VOLUME.min())
    absolute = run(VOLUME, persistence=0.25)
    fraction = run(VOLUME, persistence=0.25, relative=True)
    assert absolute.report["persistence"] == 0.25
    assert fraction.report["persistence"] == pytest.approx(0.25 * spread)
    assert sum(fraction.report["critical_cells"]) < sum(absolute.report["critical_cells"])


def test_a_changed_mode_keeps_the_threshold_and_suggests_the_fraction():
    filter = run(VOLUME, persistence=LEVEL)
    before = point_array(filter.GetOutput(0), "CellId")
    warnings = []
    note = lambda *given: warnings.append(given[-1])  # noqa: E731
    note.CallDataType = "string0"
    filter.AddObserver("WarningEvent", note)
    filter.relative = True
    filter.Update()
    assert filter.last_error == ""
    np.testing.assert_array_equal(point_array(filter.GetOutput(0), "CellId"), before)
    share = LEVEL / (float(VOLUME.max()) - float(VOLUME.min()))
    assert warnings == [
        "persistence 12 was interpreted as absolute, because a fraction of the range must be from "
        f"0 to 1. Set it to {share:.4g} for the same result."
    ]
    filter.persistence = 0.25
    filter.Update()
    assert len(warnings) == 1
    assert filter.report["persistence"] == pytest.approx(0.25 * LEVEL / share)


def test_canceled_and_skipped_pairs_are_in_report_and_field_data():
    filter = run(VOLUME, persistence=LEVEL)
    raw = sx.morse_smale(VOLUME, device="cpu")
    expected = raw.simplify(LEVEL)
    skipped = expected.skipped.counts
    reported = field_data(filter.GetOutput(0))
    assert reported["PersistenceThreshold"] == filter.report["persistence"] == LEVEL
    n_canceled = (len(raw.critical) - len(expected.critical)) // 2
    assert reported["CanceledPairs"] == filter.report["canceled_pairs"] == n_canceled
    assert filter.report["skipped_pairs"] == skipped
    assert reported["SkippedPairs"] == sum(skipped.values())
    by_reason = {"Absent": "absent", "Several": "several", "Parted": "parted"}
    assert all(reported[f"SkippedPairs{n}"] == skipped[k] for n, k in by_reason.items())


def test_points_of_pairs_of_equal_values_are_counted_before_simplification():
    pairs = sx.morse_smale(TIED, device="cpu").persistence_pairs
    n_zero = 2 * int((pairs.persistence == 0).sum())
    assert n_zero > 20
    for threshold in (0.0, LEVEL):
        filter = run(TIED, persistence=threshold)
        assert filter.report["zero_persistence_points"] == n_zero
        assert field_data(filter.GetOutput(0))["ZeroPersistencePoints"] == n_zero
    reported = field_data(run(TIED, compute_persistence_pairs=False).GetOutput(0))
    assert "ZeroPersistencePoints" not in reported


@pytest.mark.parametrize("threshold", [0.0, LEVEL])
@pytest.mark.parametrize("values", [VOLUME, noise(1, 12, 11), noise(1, 1, 30)])
def test_each_critical_point_has_its_persistence_partner_and_persistence(values, threshold):
    points = run(values, persistence=threshold).GetOutput(0)
    cell = point_array(points, "CellId")
    partner, persistence = point_array(points, "PairedId"), point_array(points, "Persistence")
    finite, value = point_array(points, "IsFinite"), point_array(points, "field").astype(float)
    row_of = {int(c): i for i, c in enumerate(cell)}
    (lonely,) = np.flatnonzero(finite == 0)
    assert value[lonely] == values.min()
    assert partner[lonely] == -1
    assert persistence[lonely] == float(values.max()) - float(values.min())
    for i in np.flatnonzero(finite):
        other = row_of[int(partner[i])]
        assert partner[other] == cell[i]
        assert persistence[i] == persistence[other] == abs(value[i] - value[other])
    dimension = point_array(points, "CellDimension")
    assert (persistence[(dimension == 0)] >= threshold).all()


def test_connectors_are_lines_between_saddles_with_their_multiplicity():
    lines = run(VOLUME).GetOutput(1)
    complex = sx.morse_smale(VOLUME, device="cpu")
    critical, arcs = complex.critical, complex.arcs
    is_connector = cell_array(lines, "SeparatrixType") == 1
    ends = np.stack([cell_array(lines, name) for name in ("DestinationId", "SourceId")], axis=1)
    counted = cell_array(lines, "Multiplicity")
    found = {
        (int(upper), int(lower)): int(n)
        for (upper, lower), n in zip(ends[is_connector], counted[is_connector], strict=True)
    }
    of_saddles = critical.index[arcs.upper] == 2
    expected = {
        (int(critical.cell_id[u]), int(critical.cell_id[lower])): int(n)
        for u, lower, n in zip(
            arcs.upper[of_saddles],
            arcs.lower[of_saddles],
            arcs.multiplicity[of_saddles],
            strict=True,
        )
    }
    assert found == expected
    assert max(found.values()) > 1
    assert set(counted[~is_connector]) == {1}
    # One number per connector, which no other separatrix has.
    numbers = cell_array(lines, "SeparatrixId")
    assert len(set(numbers[is_connector])) == len(expected)
    assert not set(numbers[is_connector]) & set(numbers[~is_connector])


def test_the_mask_is_zero_only_at_saddles_along_connectors():
    lines = run(
        VOLUME, compute_descending_separatrices_1=False, compute_ascending_separatrices_1=False
    ).GetOutput(1)
    mask, cell = point_array(lines, "ttkMaskScalarField"), point_array(lines, "CellId")
    critical = sx.morse_smale(VOLUME, device="cpu").critical
    saddles = critical.cell_id[(critical.index == 1) | (critical.index == 2)]
    np.testing.assert_array_equal(mask == 0, np.isin(cell, saddles))


def test_smoothed_lines_keep_their_ends_and_everything_but_positions():
    plain, smooth = run(VOLUME).GetOutput(1), run(VOLUME, smoothing_iterations=5).GetOutput(1)
    before, after = points_of(plain), points_of(smooth)
    fixed = point_array(plain, "ttkMaskScalarField") == 0
    np.testing.assert_array_equal(before[fixed], after[fixed])
    assert (before[~fixed] != after[~fixed]).any()
    np.testing.assert_array_equal(
        connectivity_of(plain.GetLines()), connectivity_of(smooth.GetLines())
    )
    for name in array_types(plain.GetCellData()):
        np.testing.assert_array_equal(cell_array(plain, name), cell_array(smooth, name))


@pytest.mark.parametrize("threshold", [0.0, LEVEL])
@pytest.mark.parametrize("kind", ["descending", "ascending", "morse_smale"])
def test_the_table_of_regions_is_the_engines(kind, threshold):
    table = run(VOLUME, region_table=kind, persistence=threshold).GetOutput(5).GetRowData()
    complex = sx.morse_smale(VOLUME, device="cpu").simplify(threshold)
    regions = complex.regions(kind)
    ids = np.append(complex.critical.cell_id, -1)  # row -1 means no extremum
    expected = {
        {
            "descending": "DescendingManifold",
            "ascending": "AscendingManifold",
            "morse_smale": "MorseSmaleManifold",
        }[kind]: np.arange(len(regions), dtype=np.int32),
        "RegionSize": regions.size,
        "RegionMinimum": regions.minimum,
        "RegionMaximum": regions.maximum,
        "MinimumId": ids[regions.minimum_row],
        "MaximumId": ids[regions.maximum_row],
    }
    assert [*array_types(table)] == [*expected]
    for name, values in expected.items():
        found = vtk_to_numpy(table.GetArray(name))
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, values, err_msg=name)


def test_the_slider_ranges_from_zero_to_the_range_of_the_field():
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    assert filter.GetThresholdRange() == (0.0, 1.0)
    filter.SetInputDataObject(image_with(TIED))
    assert filter.GetThresholdRange() == (0.0, float(TIED.max()) - float(TIED.min()))
    filter.relative = True
    assert filter.GetThresholdRange() == (0.0, 1.0)
    filter.relative = False
    filter.SetInputArrayToProcess(0, 0, 0, 0, "nothing")
    assert filter.GetThresholdRange() == (0.0, 1.0)


def test_connectors_beyond_the_limit_are_omitted_with_a_warning(monkeypatch):
    monkeypatch.setattr("separatrix_vtk.filters.scalar_field.complex_outputs.MOST_CONNECTORS", 3)
    reported = []
    monkeypatch.setattr(
        separatrix_vtk.MorseSmaleComplex, "warn", lambda _, text: reported.append(text)
    )
    filter = run(VOLUME)
    assert "saddle connectors were not drawn" in reported[0]
    assert set(cell_array(filter.GetOutput(1), "SeparatrixType").tolist()) == {0, 2}
    assert 1 in cell_array(filter.GetOutput(4), "SeparatrixType")
