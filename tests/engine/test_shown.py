"""Results show themselves in one line, and are compared as objects, not array by array."""

import dataclasses

import numpy as np
import pytest

import separatrix as sx

VALUES = np.random.default_rng(5).normal(size=(6, 7, 8))
POINTS = np.random.default_rng(6).normal(size=(40, 3))
TET = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def results() -> list[object]:
    complex = sx.morse_smale(VALUES, persistence=0.5, device="cpu")
    piece = sx.morse_smale_piece(VALUES, device="cpu")
    alpha = sx.alpha_complex(POINTS, np.full(40, 0.5), alpha=0.5, device="cpu")
    mesh = sx.TetMesh(TET, [[0, 1, 2, 3]], device="cpu")
    mesh_complex = mesh.morse_smale(np.arange(4.0))
    bars = sx.rips_barcodes(POINTS, representatives="longest", device="cpu")
    offsets, items = [0, 1], [[0, 40]]
    return [
        *(complex, complex.critical, complex.arcs, complex.regions("descending"), complex.skipped),
        *(complex.separatrices(1, "ascending"), complex.separatrices(2, "ascending")),
        *(complex.extremum_arcs("descending"), complex.persistence_pairs),
        *(complex.simplified_field(), piece, piece.simplify(0.5), piece.regions("descending")),
        *(sx.discrete_gradient(VALUES, device="cpu"), complex.gradient.arrows()),
        *(alpha, alpha.edges, alpha.per_ball(), alpha.gradients(), alpha.voids()),
        alpha.boundary_surface(),
        *(alpha.at(0).pockets(), alpha.at(0).pockets().mouths),
        alpha.protrusions(1.0),
        sx.delaunay(POINTS, device="cpu"),
        sx.periodic_delaunay(np.random.default_rng(4).random((90, 3)), (1, 1, 1), device="cpu"),
        *(mesh.relation("VV"), mesh.relation("VV").segment(0), mesh.segments),
        *mesh.stream("VV", "VT"),
        *(mesh.critical_points(np.arange(4.0)), mesh.discrete_gradient(np.arange(4.0))),
        *(mesh_complex, mesh_complex.critical, mesh_complex.separatrices(2, "ascending")),
        *(bars, bars.representatives[0]),
        *(sx.density(POINTS, sigma=0.4, spacing=0.5), sx.neighbors(POINTS, radius=0.5)),
        *(sx.cluster(POINTS, 0.5), sx.BlockPattern(items, offsets, items, 40, 40)),
        sx.variables(POINTS, axis=0) - sx.variables(POINTS, axis=1),
        sx.reduce("gaussian", POINTS, POINTS, reduction="collect", radius=0.5, parameters=1.0),
    ]


def test_every_public_result_is_shown_in_one_line_without_its_arrays():
    found = results()
    for result in found:
        text = repr(result)
        assert text.startswith(f"<{type(result).__name__} of "), text
        assert text.endswith(">"), text
        assert len(text) < 120, text
        assert "\n" not in text, text
        assert "array(" not in text, text
    shown = {kind.__name__ for result in found for kind in type(result).__mro__}
    small = {
        "ApparentPairs",
        "DeviceReport",
        "Formula",
        "Grid",
    }  # a few numbers and words, all of them shown
    public = [getattr(sx, name) for name in sx.__all__]
    tables = {c.__name__ for c in public if isinstance(c, type) and dataclasses.is_dataclass(c)}
    assert tables - small <= shown


def test_a_notebook_shows_the_type_and_shape_of_each_array():
    diagram = sx.persistence_diagram([0.0, 5.0, 1.0], device="cpu")
    html = diagram._repr_html_()
    assert html.startswith("<b>PersistenceDiagram</b> of 2 pairs: (2,) by dimension<table>")
    assert "<tr><th>birth</th><td>float64 (2,)</td></tr>" in html
    complex = sx.morse_smale(VALUES, device="cpu")._repr_html_()
    assert "<tr><th>persistence</th><td>0.0</td></tr>" in complex
    assert "<tr><th>device</th><td>cpu</td></tr>" in complex
    for result in results():
        if not isinstance(result, tuple):
            html = result._repr_html_()
            assert "&lt;" in html or "object at" not in html
            assert "array(" not in html


@pytest.mark.parametrize("kind", ["critical", "arcs", "skipped", "persistence_pairs"])
def test_results_can_be_compared_and_put_into_sets(kind):
    first, second = (getattr(sx.morse_smale(VALUES, device="cpu"), kind) for _ in range(2))
    assert first == first
    assert first != second
    assert len({first, second}) == 2


def test_the_reprs_of_a_complex_and_its_parts_are_one_line():
    complex = sx.morse_smale([[0.0, 1.0], [2.0, 3.0]], device="cpu")
    assert repr(complex.critical) == "<CriticalCells of 1 cells: counts (1, 0, 0, 0)>"
    assert repr(complex.separatrices(1)) == "<Separatrices of 0 lines through 0 points>"
    assert repr(complex.gradient) == (
        "<DiscreteGradient of 2x2x1 voxels on cpu: counts (1, 0, 0, 0)>"
    )
