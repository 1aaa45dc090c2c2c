"""Only enabled outputs are computed, and every choice of outputs works."""

import itertools

import pytest

import separatrix as sx
import separatrix_vtk
from filters.images import array_names, image_with, noise, updated

SWITCHES = (
    "compute_critical_points",
    "compute_descending_separatrices_1",
    "compute_ascending_separatrices_1",
    "compute_descending_separatrices_2",
    "compute_ascending_separatrices_2",
    "compute_saddle_connectors",
    "compute_graph",
    "compute_persistence_pairs",
    "compute_descending_segmentation",
    "compute_ascending_segmentation",
    "compute_morse_smale_segmentation",
    "compute_top_cell_labels",
)
LABELS = {
    "compute_descending_segmentation": "DescendingManifold",
    "compute_ascending_segmentation": "AscendingManifold",
    "compute_morse_smale_segmentation": "MorseSmaleManifold",
}


@pytest.mark.parametrize("shape", [(3, 3, 3), (1, 3, 4)])
def test_every_choice_of_outputs_returns_those_outputs(shape):
    image = image_with(noise(*shape, seed=2))
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", threads=1)
    filter.SetInputDataObject(image)
    choices = list(itertools.product((False, True), repeat=len(SWITCHES)))
    for choice in choices[::13] if shape[0] > 1 else choices[::17]:
        on = dict(zip(SWITCHES, choice, strict=True))
        for name, value in on.items():
            setattr(filter, name, value)
        filter.Update()
        assert filter.last_error == "", on
        points, lines, surfaces, labels, graph = (filter.GetOutput(port) for port in range(5))
        assert (points.GetNumberOfPoints() > 0) == on["compute_critical_points"]
        kinds = {
            int(lines.GetCellData().GetArray("SeparatrixType").GetValue(i))
            for i in range(lines.GetNumberOfCells())
        }
        ascending = 2 if shape[0] > 1 else 1
        assert (0 in kinds) == on["compute_descending_separatrices_1"]
        assert (ascending in kinds) <= on["compute_ascending_separatrices_1"]
        if shape[0] > 1:
            assert (1 in kinds) == on["compute_saddle_connectors"]
        assert (graph.GetNumberOfLines() > 0) == on["compute_graph"]
        for dataset in (points, graph):
            names = array_names(dataset.GetPointData())
            assert not names or ("Persistence" in names) == on["compute_persistence_pairs"]
        on_2 = on["compute_descending_separatrices_2"] or on["compute_ascending_separatrices_2"]
        assert (surfaces.GetNumberOfPoints() > 0) <= on_2
        assert array_names(labels.GetPointData()) == [
            "field",
            *(array for switch, array in LABELS.items() if on[switch]),
        ]
        expected = ["AscendingManifold"] if on["compute_top_cell_labels"] else []
        assert array_names(labels.GetCellData()) == expected
        assert labels.GetNumberOfPoints() == image.GetNumberOfPoints()


def test_disabled_outputs_are_not_computed(monkeypatch):
    asked = []
    for name in (
        "segmentation", "separatrices", "cell_labels", "manifold_sizes", "trace_arcs", "pair",
        "regions", "simplified_field", "simplify",
    ):  # fmt: skip
        whole = getattr(sx.MorseSmaleComplex, name)

        def noted(self, *given, _whole=whole, _name=name, **how):
            asked.append((_name, *given))
            return _whole(self, *given, **how)

        monkeypatch.setattr(sx.MorseSmaleComplex, name, noted)
    filter = updated(
        separatrix_vtk.MorseSmaleComplex(device="cpu", **dict.fromkeys(SWITCHES, False)),
        image_with(noise(4, 4, 4)),
    )
    assert asked == []
    filter.compute_descending_segmentation = True
    filter.compute_ascending_separatrices_1 = True
    filter.Update()
    assert asked == [("segmentation", "descending"), ("separatrices", 1, "ascending")]
