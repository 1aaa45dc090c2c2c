"""Constant and monotone fields, one voxel, lines, slices: properties that need no oracle."""

import numpy as np
import pytest

import separatrix as sx

SHAPES = [(1,), (2,), (9,), (1, 1), (1, 7), (7, 1), (4, 5), (1, 1, 1), (2, 2, 2), (1, 4, 5)]
SHAPES += [(4, 1, 5), (4, 5, 1), (1, 1, 6), (1, 6, 1), (6, 1, 1), (5, 6, 7), (33, 2, 65)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int64"])
def test_a_constant_field_has_one_critical_cell_the_first_voxel(device, shape, dtype):
    found = sx.morse_smale(np.full(shape, 3, dtype), device=device)
    assert found.critical.counts == (1, 0, 0, 0)
    assert sx.to_host(found.critical.cell_id).tolist() == [0]
    assert not sx.to_host(found.segmentation("descending")).any()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_monotone_field_has_one_critical_cell_its_lowest_voxel(device, shape):
    for order in (1, -1):
        values = order * np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        critical = sx.morse_smale(values, device=device).critical
        assert critical.counts == (1, 0, 0, 0)
        assert sx.to_host(critical.vertex).tolist() == [0 if order == 1 else values.size - 1]


def test_everything_of_a_monotone_field_flows_out_of_the_box(device):
    found = sx.morse_smale(np.arange(60.0).reshape(3, 4, 5), device=device)
    assert (sx.to_host(found.segmentation("ascending")) == -1).all()
    assert (sx.to_host(found.cell_labels()) == -1).all()
    assert not sx.to_host(found.segmentation("morse_smale")).any()
    assert sx.to_host(found.manifold_sizes()).tolist() == [60]


def test_a_slice_gives_the_same_in_every_orientation(device):
    values = np.random.default_rng(61).integers(0, 6, (8, 9))
    flat = sx.morse_smale(values, device=device)
    for axis in range(3):
        standing = sx.morse_smale(np.expand_dims(values, axis), device=device)
        assert standing.critical.counts == flat.critical.counts
        for column in ("cell_id", "index", "value", "vertex", "on_boundary"):
            np.testing.assert_array_equal(
                sx.to_host(getattr(standing.critical, column)),
                sx.to_host(getattr(flat.critical, column)),
            )
        for kind in ("descending", "ascending", "morse_smale"):
            labels = sx.to_host(standing.segmentation(kind)).reshape(values.shape)
            np.testing.assert_array_equal(labels, sx.to_host(flat.segmentation(kind)))
