"""Input, work, and results on one of several GPUs, or on two at the same time.

CuPy warns where it computes on another GPU than that of an array, and warnings are errors here.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits, everything
from oracles.mesh_fields import delaunay
from oracles.pieces import assert_same, parts_of, results_of, together, whole
from reliability.whole_results import Arrays, arrays_of, of_mesh, of_sums, of_union
from separatrix.complexes.cubical.grid import ImageOptions
from separatrix.pieces.exchange import Exchange, in_threads
from separatrix.pieces.ranked import piece_of

pytestmark = pytest.mark.gpu
VALUES = np.random.default_rng(7).random((21, 22, 40), np.float32)
POINTS = np.random.default_rng(8).random((300, 3))
Put = Callable[[Any], Any]


@pytest.fixture(scope="module")
def gpus():
    """CuPy, if there are two GPUs or more."""
    cupy = pytest.importorskip("cupy")
    if sum(report.usable for report in sx.devices() if report.name != "cpu") < 2:
        pytest.skip("two GPUs are needed")
    return cupy


def on(cupy: Any, ordinal: int) -> Any:
    with cupy.cuda.Device(ordinal):
        return cupy.asarray(VALUES)


@pytest.mark.parametrize(
    ("where", "device", "expected"),
    [(1, None, 1), (0, "cuda:1", 1), (1, "cuda:0", 0), (None, "cuda:1", 1)],
)
def test_computations_and_results_are_on_the_requested_gpu_or_that_of_the_input(
    gpus, where, device, expected
):
    values = VALUES if where is None else on(gpus, where)
    found = sx.morse_smale(values, device=device)
    assert found.device == f"cuda:{expected}"
    assert found.segmentation("morse_smale").device.id == expected
    assert found.critical.position.device.id == expected
    assert found.domain.positions(found.critical.cell_id).device.id == expected
    assert gpus.cuda.Device().id == 0
    assert_same_bits(everything(values, device=device), everything(VALUES, device="cpu"))


def test_several_threads_on_several_devices_find_the_same(gpus):
    devices = ["cuda:0", "cuda:1", "cpu", "cuda:0"] * 2
    with ThreadPoolExecutor(len(devices)) as pool:
        found = list(pool.map(lambda device: everything(VALUES, device=device), devices))
    for other in found[1:]:
        assert_same_bits(found[0], other)


@pytest.mark.parametrize("where", [None, 0, 1])
@pytest.mark.parametrize("devices", ["all", ["cuda:1", "cuda:0"], ["cuda:0", "cpu", "cuda:1"]])
def test_several_gpus_divide_one_image(gpus, where, devices):
    values = VALUES if where is None else on(gpus, where)
    found = sx.morse_smale(values, devices=devices)
    names = ["cuda:0", "cuda:1"] if devices == "all" else devices
    stored = ", cpu" if "cpu" in names else ""  # otherwise on the GPUs
    assert found.device == f"{' and '.join(names)} in slabs{stored}"
    assert_same(results_of(found), whole(VALUES))
    assert_same_bits(everything(values, devices=devices), everything(VALUES, device="cpu"))


@pytest.mark.parametrize(
    "options",
    [
        {"periodic": True},
        {"order": "plateau"},
        {"mask": VALUES > 0.3},
        {"order": np.argsort(np.argsort(VALUES, axis=None)).reshape(VALUES.shape)},
    ],
    ids=lambda options: next(iter(options)),
)
def test_several_gpus_store_parts_of_one_image(gpus, options):
    found = sx.morse_smale(on(gpus, 0), devices=["cuda:0", "cuda:1"], **options)
    level, expected = (one.simplify(0.2) for one in (found, sx.morse_smale(VALUES, **options)))
    assert found.device == "cuda:0 and cuda:1 in slabs"
    assert found.segmentation("ascending").device.id == 0
    assert_same(results_of(found), whole(VALUES, **options))
    assert_same(results_of(level), results_of(expected))
    lines = [one.separatrices(1, "saddle").cell_id for one in (level, expected)]
    np.testing.assert_array_equal(*map(sx.to_host, lines))


class LayersOnGpus:
    """An image whose layers are computed on the GPU that reads them."""

    shape, dtype = VALUES.shape, VALUES.dtype

    def __init__(self, cupy: Any) -> None:
        self.cupy, self.readers = cupy, set[int]()

    def __getitem__(self, place: Any) -> Any:
        self.readers.add(self.cupy.cuda.Device().id)
        return self.cupy.asarray(VALUES[place])


def test_several_gpus_read_parts_of_a_large_image(gpus, monkeypatch):
    expected = whole(VALUES)
    monkeypatch.setattr("separatrix.complexes.cubical.grid.MAX_VERTICES", 9000)
    layers = LayersOnGpus(gpus)
    found = sx.morse_smale(layers, devices="all")
    assert found.device == "cuda:0 and cuda:1 in slabs"
    assert layers.readers == {0, 1}
    assert isinstance(found.segmentation("ascending"), np.ndarray)
    assert_same(results_of(found), expected)
    pairs = sx.persistence_diagram(layers, devices="all")
    np.testing.assert_array_equal(pairs.death_cell, found.persistence_pairs.death_cell)


def of_diagrams_and_lines(put: Put) -> Arrays:
    """Results of an image, and of its values in a dtype that is converted."""
    found = sx.morse_smale(put(VALUES[:9].astype(np.float16)))
    pairs, lines = found.persistence_pairs, found.separatrices(1, "ascending")
    parts = [
        found.domain.positions(found.critical.cell_id),
        found.domain.cell_dimensions(found.critical.cell_id),
        found.boundary(1),
        found.regions("morse_smale"),
        sx.smooth(lines, 3),
        pairs.nonzero(),
        pairs.above(0.1),
        pairs.of_dimension(1),
        pairs.curve(),
        pairs.is_essential,
        pairs.n_artifacts,
    ]
    assert "pairs" in repr(pairs)
    return arrays_of(parts)


def of_a_mesh(put: Put) -> Arrays:
    """A mesh whose points, cells and values are there, and ids that its relations are asked for."""
    points, cells = delaunay(np.random.default_rng(9), 90, 3, 1.0)
    values = np.random.default_rng(10).random(len(points))
    mesh = sx.TetMesh(put(points.astype(np.float32)), put(cells))
    rows = [mesh.relation(name)[put(np.arange(7))] for name in ("VT", "TT", "EF")]
    return of_mesh(put(points), put(cells), put(values)) | arrays_of([mesh.points, rows], "own")


def of_patterns(put: Put) -> Arrays:
    """Clusters and block-sparse patterns, made of arrays in every way."""
    clusters = sx.cluster(put(POINTS), 0.3)
    made = sx.BlockPattern.from_cells(put(POINTS), radius=0.2)
    offsets, keep = np.arange(0, 301, 60), np.eye(5, dtype=bool)[::-1].copy()
    patterns = [
        made,
        made.transpose(),
        made.transpose(put(np.array([[0, 150], [150, 300]]))),
        sx.BlockPattern(*map(put, (made.blocks, made.offsets, made.intervals)), 300, 300),
        sx.BlockPattern.from_boxes(clusters, clusters, 0.2),
        sx.BlockPattern.from_boxes(
            (clusters.ranges, clusters.boxes), (clusters.ranges, clusters.boxes), 0.2
        ),
        sx.BlockPattern.from_mask(put(offsets), offsets, put(keep)),
        sx.BlockPattern.from_mask(put(offsets), put(offsets), keep),
        sx.BlockPattern.from_keops(tuple(map(put, made.to_keops()))),
    ]
    tables = [(p.blocks, p.offsets, p.intervals, p.row_order, p.n_pairs) for p in patterns]
    x, swapped = put(POINTS), {"reduction": "count", "axis": 0, "pattern": made}
    counts = sx.reduce("within", x, x, radius=0.2, **swapped)
    sorted_ones = clusters.sort(put(VALUES[0, :15, :20].reshape(-1)), POINTS)
    return arrays_of([clusters, tables, counts, sorted_ones])


def of_other_points(put: Put) -> Arrays:
    """Points in a dtype that is converted, neighbors, sums, a density; balls and bars."""
    centers, radii = put(3 * POINTS[:90]), put(np.full(90, 0.4))
    complex = sx.alpha_complex(centers, radii, 0.3)
    edges = complex.edges.where(np.arange(3))
    frames = put(3 * POINTS[:90].reshape(2, 45, 3))[:, ::-1]
    of_frames = [list(complex.counts) for complex in sx.alpha_complexes(frames, 0.4, 0.3)]
    bars = sx.rips_barcodes(put(POINTS[:60]), weights=put(POINTS[:60, 0]))
    halves = put(POINTS.astype(np.float16))
    near = (
        sx.nearest(halves, k=3),
        sx.neighbors(put(POINTS), halves, radius=0.1, distances=True),
        sx.sparse_distances(put(POINTS), 0.1),
    )
    found = of_sums(put(POINTS), 0.2) | of_union(complex)
    return found | arrays_of([of_frames, edges, bars, near], "others")


FAMILIES = (of_diagrams_and_lines, of_a_mesh, of_patterns, of_other_points)


@pytest.mark.parametrize("family", FAMILIES)
def test_results_are_computed_on_the_device_of_the_input_or_the_requested_one(gpus, family):
    def on_another_gpu(array):
        if isinstance(array, gpus.ndarray):
            return array
        with gpus.cuda.Device(1):
            return gpus.asarray(array)

    found = family(on_another_gpu)
    assert gpus.cuda.Device().id == 0
    assert_same_bits(found, family(np.asarray))


def test_parts_on_several_gpus_are_joined_on_the_first(gpus):
    made = sx.BlockPattern.dense(7, 9)
    parts = [made.blocks, made.offsets, made.intervals]
    with gpus.cuda.Device(1):
        parts[0] = gpus.asarray(parts[0])
    parts[1:] = map(gpus.asarray, parts[1:])
    found = sx.BlockPattern(*parts, 7, 9)
    assert [array.device.id for array in (found.blocks, found.offsets, found.intervals)] == [1] * 3
    assert found.transpose().n_pairs == 63


@pytest.mark.parametrize("device", [None, "cuda"])
def test_pieces_on_one_host_are_spread_over_its_gpus(gpus, device):
    image = ImageOptions(device=device, threads=1)

    def program(others: Exchange) -> tuple[str, Arrays]:
        piece = piece_of(others, VALUES, None, image)
        return piece.device, parts_of(piece)

    names, parts = zip(*in_threads(3, program), strict=True)
    n_gpus = sum(report.name.startswith("cuda") for report in sx.devices())
    assert list(names) == [f"cuda:{rank % n_gpus}" for rank in range(3)]
    assert_same(together(parts), whole(VALUES))
