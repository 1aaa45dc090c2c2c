"""Images with more voxels than kernels can number are processed in pieces.

The limit is lowered, so that small images are large ones.
"""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import any_order, rough_and_smooth
from oracles.pieces import assert_same, results_of, whole
from separatrix.complexes.cubical.slabs import fit_slabs
from separatrix.pieces.gradient import PieceGradient

LIMIT = 1000


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
    return LIMIT


def ties(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 30, shape, dtype=np.int16)


DOMAINS = ("whole", "periodic", "masked", "not a number", "in order")


def on_domain(values: np.ndarray, domain: str) -> tuple[np.ndarray, dict[str, Any]]:
    """The values, and the options of a domain."""
    if domain == "periodic":
        return values, {"periodic": tuple(n > 2 for n in values.shape[::-1])}
    mask = np.random.default_rng(8).random(values.shape) < 0.9
    if domain == "masked":
        return values, {"mask": mask}
    if domain == "not a number":
        return np.where(mask, values, np.nan), {"nan": "mask"}
    if domain == "in order":
        return values, {"order": any_order(values, np.random.default_rng(8))}
    return values, {}


@pytest.mark.parametrize("shape", [(60, 5, 6), (300, 6), (40, 1, 60), (3000,)])
@pytest.mark.parametrize("domain", DOMAINS)
def test_large_images_have_the_results_of_others(device, monkeypatch, shape, domain):
    values, options = on_domain(ties(*shape), domain)
    expected = whole(values, **options)
    pairs = sx.persistence_diagram(values, device="cpu", **options)
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
    places = {"cpu": ["cpu in slabs, cpu"], "cuda": ["cuda:0 in slabs", "cuda:0 in slabs, cpu"]}
    if domain in DOMAINS[2:]:  # the values are stored
        places["cuda"] = ["cuda:0 in slabs, cpu"]
    for place, kept in zip(places[device], (16, 1e12), strict=False):  # on the GPU, if it has room
        monkeypatch.setattr("separatrix.complexes.cubical.field.KEPT_BYTES", kept)
        found = sx.morse_smale(values, device=device, **options)
        assert found.device == place
        for bytes_per_voxel in (1, 100):
            slabs, _ = fit_slabs(found._session, found.domain, bytes_per_voxel)
            assert all(slab.grid.n_vertices <= LIMIT for slab in slabs)
        assert_same(results_of(found), expected)
        found_pairs = sx.persistence_diagram(values, device=device, **options)
        np.testing.assert_array_equal(sx.to_host(found_pairs.death_cell), pairs.death_cell)


class Layers:
    """An image that can only be sliced, and counts the values that it has given."""

    def __init__(self, values: np.ndarray) -> None:
        self.shape, self.dtype, self._values = values.shape, values.dtype, values
        self.n_given = 0

    def __getitem__(self, place: Any) -> np.ndarray:
        found = self._values[place]
        self.n_given += found.size
        return found


def test_values_of_large_images_are_read_by_slabs(device, monkeypatch):
    values = np.random.default_rng(4).random((60, 5, 6)).astype(">f4")
    plain = sx.morse_smale(values, device="cpu")
    expected = results_of(plain)
    regions = {kind: vars(plain.regions(kind)) for kind in ("ascending", "morse_smale")}
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
    layers = Layers(values)
    found = sx.morse_smale(layers, device=device)
    n_slabs = len(fit_slabs(found._session, found.domain, 22)[0])
    assert layers.n_given == values.size + 3 * 30 * (n_slabs - 1)  # with the layers about cuts
    assert_same(results_of(found), expected)
    for kind, columns in regions.items():  # which read the values once more
        again = found.regions(kind)
        for name, column in columns.items():
            np.testing.assert_array_equal(sx.to_host(getattr(again, name)), column, err_msg=name)
    if device == "cpu":
        assert_same(results_of(pickle.loads(pickle.dumps(found))), expected)
    values[41, 2, 3] = np.nan
    with pytest.raises(sx.InputError, match=r"values\[41, 2, 3\]"):
        sx.morse_smale(Layers(values), device=device)


def geometry_of(found: sx.MorseSmaleComplex) -> dict[str, np.ndarray]:
    """Everything that V-paths are traced for, through the whole image."""
    top = found.gradient.dimension
    tables = {"arrows": found.gradient.arrows(2)}
    for kind in ("descending", "ascending", "saddle"):
        if kind != "ascending" or top > 1:
            tables[f"{kind} lines"] = found.separatrices(1, kind)
        if top == 3 and kind != "saddle":
            tables[f"{kind} surfaces"] = found.separatrices(2, kind)
    if found.persistence:
        tables["skipped"] = found.skipped
        tables["field"] = found.simplified_field()
    arrays = {"codes": found.gradient.codes(), "cell labels": found.cell_labels()}
    for name, table in tables.items():
        arrays |= {f"{name} {column}": array for column, array in vars(table).items()}
    return {name: sx.to_host(array) for name, array in arrays.items()}


@pytest.mark.parametrize("shape", [(60, 5, 6), (300, 6), (1, 60, 40), (3000,)])
@pytest.mark.parametrize("domain", DOMAINS)
def test_levels_and_lines_of_large_images_are_those_of_others(monkeypatch, shape, domain):
    for given in (ties(*shape), *rough_and_smooth(shape, 7)):
        values, options = on_domain(given, domain)
        options["device"] = "cpu"
        raw = sx.morse_smale(values, **options)
        whole_levels = [raw, raw.simplify(0.3, relative=True)]
        whole_levels += [raw.simplify(0.1, relative=True, rematch_saddles=True)]
        expected = [{**results_of(level), **geometry_of(level)} for level in whole_levels]
        with monkeypatch.context() as lowered:
            lowered.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
            raw = sx.morse_smale(values, **options)
            levels = [raw, raw.simplify(0.3, relative=True)]
            levels += [raw.simplify(0.1, relative=True, rematch_saddles=True)]
            for level, columns in zip(levels, expected, strict=True):
                found = {**results_of(level), **geometry_of(level)}
                if "field order" in found:
                    assert found["field order"].dtype == np.int64
                    found["field order"] = found["field order"].astype(np.int32)
                assert_same(found, columns)


def test_what_needs_the_whole_image_is_rejected(limit, monkeypatch):
    values = ties(60, 5, 6)
    found = sx.morse_smale(values, device="cpu")
    with pytest.raises(sx.InputError, match="The plateau-aware order of an image of 1,800 voxels"):
        sx.morse_smale(values, device="cpu", order="plateau")
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_TRACED_VERTICES", 1700)
    check_that_nothing_is_traced(found, r" cannot be computed: the limit is 1,700\. Crop")


@pytest.mark.gpu
@pytest.mark.parametrize("kept", [16, 1e12])
def test_lines_and_levels_of_large_images_on_a_gpu_are_computed_on_the_cpu(monkeypatch, kept):
    values = np.random.default_rng(4).random((60, 5, 6)).astype(np.float32)
    whole = sx.morse_smale(values, device="cpu")
    expected = [{**results_of(one), **geometry_of(one)} for one in (whole, whole.simplify(0.3))]
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
    monkeypatch.setattr("separatrix.complexes.cubical.field.KEPT_BYTES", kept)
    found = sx.morse_smale(Layers(values), device="cuda")
    assert ("cpu" in found.device) is (kept > 16)
    for level, columns in zip((found, found.simplify(0.3)), expected, strict=True):
        columns_found = {**results_of(level), **geometry_of(level)}
        if "field order" in columns_found:
            columns_found["field order"] = columns_found["field order"].astype(np.int32)
        assert_same(columns_found, columns)


def test_extrema_of_large_images_are_removed_as_of_others(monkeypatch):
    values = np.random.default_rng(5).random((60, 5, 6)).astype(np.float32)
    options = {"persistence": 0.4, "device": "cpu"}
    expected = sx.simplify_field(values, **options)
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", LIMIT)
    for most_keys in (1 << 32, 1):
        monkeypatch.setattr("separatrix.morse.flooding.MOST_KEYS", most_keys)
        found = sx.simplify_field(Layers(values), **options)
        for name, column in vars(expected).items():
            np.testing.assert_array_equal(getattr(found, name), column, err_msg=name)


def check_that_nothing_is_traced(found: sx.MorseSmaleComplex, reason: str) -> None:
    sentence = r"Lines, surfaces, levels, and codes of an image of 1,800 voxels" + reason
    for compute in (
        lambda: found.separatrices(1, "ascending"),
        lambda: found.separatrices(1, "saddle"),
        lambda: found.separatrices(2, "ascending"),
        lambda: found.simplify(3.0),
        lambda: found.gradient.codes(),
    ):
        with pytest.raises(sx.InputError, match=sentence):
            compute()


def test_layers_that_are_too_large_for_a_slab_are_rejected(limit):
    with pytest.raises(sx.DeviceMemoryError, match="even in slabs of one layer"):
        sx.morse_smale(ties(5, 40, 10), device="cpu")


def test_ids_of_a_piece_beyond_2_to_the_31_are_exact():
    """A piece of layers of 3 x 2 voxels after 2^30 others has shifted ids."""
    begin = 1 << 30
    values = ties(10, 2, 3)
    plain = sx.morse_smale_piece(values, device="cpu")
    gradient = plain._gradient

    columns = {name: getattr(gradient, name) for name in gradient.__dataclass_fields__}
    layers, end = gradient.layers, begin + 10
    place = {"begin": begin, "end": end, "first": begin, "last": end, "n_layers": end}
    slab = replace(layers.slab, **place)
    whole_grid = replace(layers.whole, dimensions=(3, 2, end))
    columns["layers"] = replace(layers, whole=whole_grid, slab=slab, bounds=(begin, end))
    columns["vertices"] = slab.in_image(gradient.vertices.astype(np.int32))
    shifted = sx.MorseSmalePiece(PieceGradient(**columns))
    np.testing.assert_array_equal(shifted.critical.vertex, plain.critical.vertex + begin * 6)
    np.testing.assert_array_equal(shifted.critical.cell_id, plain.critical.cell_id + begin * 30)
    np.testing.assert_array_equal(
        shifted.critical.position, plain.critical.position + (0, 0, begin)
    )
    pairs, expected = shifted.persistence_pairs, plain.persistence_pairs
    is_finite = expected.death_cell >= 0
    np.testing.assert_array_equal(pairs.birth_cell, expected.birth_cell + begin * 30)
    np.testing.assert_array_equal(
        pairs.death_cell[is_finite], expected.death_cell[is_finite] + begin * 30
    )
    np.testing.assert_array_equal(pairs.persistence, expected.persistence)
