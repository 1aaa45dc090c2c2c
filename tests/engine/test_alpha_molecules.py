"""Alpha complexes of real molecules equal those of CGAL, through GUDHI, and of published counts."""

from functools import cache
from pathlib import Path

import gudhi
import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import TABLES, same_tables
from oracles.molecules import read_pdb

ALPHAS = (0.0, 1.4, 3.0)
COUNTS = {
    "1U71": ((4404, 3456, 729), (6459, 6629, 2010), (8428, 11308, 4411)),
    "4HHB": ((12913, 10341, 2368), (19993, 22442, 7539), (25092, 34325, 13829)),
    "1AON": ((192768, 162169, 39978), (271930, 310234, 105938), (332579, 456682, 185432)),
}
"""Edges, triangles, tetrahedra at each alpha, by CGAL 5.5.1; all atoms are vertices."""


@cache
def peer_complex(path: Path, probe: float) -> list[np.ndarray]:
    """Simplices and values at alpha 3 of each dimension, in steps of the grid: rows of floats."""
    centers, radii = read_pdb(path)
    points, weights = np.rint(centers * 1000), np.rint((radii + probe) * 1000) ** 2
    tree = gudhi.AlphaComplex(
        points=points, weights=weights, precision="exact"
    ).create_simplex_tree(max_alpha_square=ALPHAS[-1] * 1e6)
    found: list[list] = [[], [], [], []]
    for simplex, value in tree.get_simplices():
        found[len(simplex) - 1].append((*sorted(simplex), value))
    return [np.array(sorted(rows)) for rows in found]


@pytest.mark.parametrize("name", ["1BLU", "1U71", "3SY7_opm", "1L2Y_38models"])
@pytest.mark.parametrize("probe", [0.0, 1.4])
def test_all_simplices_and_values_equal_those_of_a_peer(device, shared_molecules, name, probe):
    path = shared_molecules / f"{name}.pdb.gz"
    peer = peer_complex(path, probe)
    for alpha in ALPHAS:
        complex = sx.alpha_complex(*read_pdb(path), alpha, probe=probe, device=device)
        for rows, table_name in zip(peer, TABLES, strict=True):
            table, own = getattr(complex, table_name), rows[rows[:, -1] <= alpha * 1e6]
            assert np.array_equal(sx.to_host(table.simplices), own[:, :-1])
            values, expected = sx.to_host(table.alpha_value), own[:, -1] / 1e6
            np.testing.assert_allclose(values, expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_published(device, shared_molecules, name):
    centers, radii = read_pdb(shared_molecules / f"{name}.pdb.gz")
    largest = sx.alpha_complex(centers, radii, ALPHAS, device=device)
    for alpha, counts in zip(ALPHAS, COUNTS[name], strict=True):
        assert largest.at(alpha).counts == (len(centers), *counts)
    assert same_tables(largest.at(0.0), sx.alpha_complex(centers, radii, device=device))


def test_float32_coordinates_of_vtk_do_not_change_results(shared_molecules):
    centers, radii = read_pdb(shared_molecules / "1U71.pdb.gz")
    single = sx.alpha_complex(centers.astype(np.float32), radii.astype(np.float32), device="cpu")
    assert same_tables(single, sx.alpha_complex(centers, radii, device="cpu"))


def test_merged_models_hide_atoms(device, shared_molecules):
    centers, radii = read_pdb(shared_molecules / "1L2Y_38models.pdb.gz", all_models=True)
    first = slice(0, 12 * 304)
    complex = sx.alpha_complex(centers[first], radii[first], device=device)
    assert complex.n_balls == 12 * 304
    assert complex.hidden.size + len(complex.vertices) == complex.n_balls
    assert complex.counts == (3032, 17969, 27558, 12645)  # as by GUDHI, which hides 594
    assert complex.statistics["most_neighbors"] > 100


@pytest.mark.gpu
@pytest.mark.parametrize("alpha", [-0.5, *ALPHAS])
@pytest.mark.parametrize("probe", [0.0, 1.4])
@pytest.mark.parametrize("name", ["1U71", "3SY7_opm", "1AON"])
def test_the_gpu_returns_the_same_bits_as_the_cpu(cuda, shared_molecules, name, alpha, probe):
    atoms = read_pdb(shared_molecules / f"{name}.pdb.gz")
    on_gpu = sx.alpha_complex(*atoms, alpha, probe=probe, device=cuda)
    on_cpu = sx.alpha_complex(*atoms, alpha, probe=probe, device="cpu")
    assert sx.to_host(on_gpu.vertices.simplices).size > 0
    assert same_tables(on_gpu, on_cpu)


# === trajectories
def wobbling(shared_molecules: Path, n_frames: int) -> tuple[np.ndarray, np.ndarray]:
    centers, radii = read_pdb(shared_molecules / "1BLU.pdb.gz")
    rng = np.random.default_rng(0)
    frames = centers + rng.normal(0, 0.3, (n_frames, *centers.shape))
    frames[-1] += 40.0
    return frames, radii


@pytest.mark.parametrize("batch", [None, 1, 3])
def test_each_frame_of_a_trajectory_equals_the_frame_computed_separately(
    device, shared_molecules, batch
):
    frames, radii = wobbling(shared_molecules, 7)
    found = list(sx.alpha_complexes(frames, radii, 1.4, batch=batch, device=device))
    assert len(found) == 7
    for frame, complex in zip(frames, found, strict=True):
        alone = sx.alpha_complex(frame, radii, 1.4, device=device)
        assert same_tables(complex, alone)
        assert same_tables(complex.at(0.0), alone.at(0.0))
        assert complex.counts == alone.counts
        assert np.array_equal(complex.hidden, alone.hidden)


def test_a_bad_frame_is_named(device, shared_molecules):
    frames, radii = wobbling(shared_molecules, 5)
    frames[3, 20, 1] = np.nan
    found = sx.alpha_complexes(frames, radii, batch=2, device=device)
    assert next(found).n_balls == next(found).n_balls == len(radii)
    with pytest.raises(sx.InputError, match=r"frames\[3, 20\] = \(.*nan"):
        next(found)


def test_a_wide_trajectory_of_few_atoms_needs_no_batch():
    frames = np.random.default_rng(2).uniform(0, 200, (300, 2, 3)) * [1000, 1, 1]
    found = list(sx.alpha_complexes(frames, 1.5, device="cpu"))
    assert [c.counts for c in found] == [
        sx.alpha_complex(frame, 1.5, device="cpu").counts for frame in frames
    ]
