"""Pieces, tunnels and voids of alpha complexes equal those of column reduction and of GUDHI."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.molecules import read_pdb

REPOSITORY = Path(__file__).resolve().parents[2]
MOLECULES = REPOSITORY.parent / "shared" / "data" / "molecules"


def tables(complex: Any) -> list[np.ndarray]:
    """Simplices of each dimension on the host."""
    every = (complex.vertices, complex.edges, complex.triangles, complex.tets)
    return [sx.to_host(table.simplices) for table in every]


def betti_by_gudhi(complex: Any) -> tuple[int, ...]:
    """Betti numbers of the simplices of the complex."""
    gudhi = pytest.importorskip("gudhi")
    tree = gudhi.SimplexTree()
    for simplices in tables(complex):
        for simplex in simplices.tolist():
            tree.insert(simplex, 0.0)
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    return tuple((tree.betti_numbers() + [0, 0, 0])[:3])


def betti_by_reduction(complex: Any) -> tuple[int, ...]:
    """Essential classes."""
    diagram = complex.persistence_diagram(zero_persistence=True)
    alive = np.isinf(sx.to_host(diagram.death))
    dimension = sx.to_host(diagram.dimension)[alive]
    return tuple(np.bincount(dimension, minlength=3).tolist())


def lattice(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Balls at points of a small lattice: ties, duplicates, flat links, many holes."""
    random = np.random.default_rng([7, seed])
    n, side = int(random.integers(1, 70)), int(random.choice([3, 4, 6, 8, 10]))
    radii = random.uniform(0.6, 1.3, n).round(3) if seed % 2 else np.full(n, 1.0)
    return (
        random.integers(0, side, (n, 3)).astype(float),
        radii,
        float(random.choice([-0.2, 0, 0.5])),
    )


def test_betti_numbers_of_lattices_equal_reduction_and_gudhi():
    for seed in range(150):
        complex = sx.alpha_complex(*lattice(seed))
        assert complex.betti == betti_by_reduction(complex), seed
        if seed % 5 == 0:
            assert complex.betti == betti_by_gudhi(complex), seed


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.5])
def test_betti_numbers_of_clouds_equal_reduction(alpha):
    random = np.random.default_rng(11)
    for n in (40, 400):
        centers = random.uniform(0, 3.2 * n ** (1 / 3), (n, 3)).round(3)
        complex = sx.alpha_complex(centers, random.uniform(0.7, 1.9, n).round(3), alpha)
        b0, b1, b2 = complex.betti
        assert complex.euler_characteristic == b0 - b1 + b2
        assert complex.betti == betti_by_reduction(complex) == betti_by_gudhi(complex)


def test_known_shapes():
    tetrahedron = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], float)
    far = tetrahedron * 10
    assert sx.alpha_complex(far, 1.0).betti == (4, 0, 0)
    assert sx.alpha_complex(tetrahedron, 1.5).betti == (1, 3, 0)  # edges of length sqrt 8
    assert sx.alpha_complex(tetrahedron, 1.68).betti == (1, 0, 1)  # triangles too
    assert sx.alpha_complex(tetrahedron, 1.74).betti == (1, 0, 0)
    turn = np.arange(12) * np.pi / 6
    ring = np.column_stack([3 * np.cos(turn), 3 * np.sin(turn), 0 * turn])
    assert sx.alpha_complex(ring, 1.0).betti == (1, 1, 0)
    assert sx.alpha_complex(np.zeros((1, 3)), 1.0).betti == (1, 0, 0)
    assert sx.alpha_complex(np.zeros((1, 3)), 1.0, -4.0).betti == (0, 0, 0)


def test_sectors_on_the_two_sides_of_a_flat_link():
    """A wheel of triangles about a vertex, with an edge up and an edge down: two sectors there."""
    turn = np.arange(6) * np.pi / 3
    wheel = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn]).round(3)
    for poles in ([[0, 0, 1.1]], [[0, 0, 1.1], [0, 0, -1.1]], [[0, 0.2, 1.1], [0.3, 0, -1.1]]):
        centers = np.vstack([[[0, 0, 0]], wheel, poles])
        complex = sx.alpha_complex(centers, 0.6)
        assert complex.counts == (7 + len(poles), 12 + len(poles), 6, 0)
        assert complex.betti == (1, 0, 0)


@pytest.mark.skipif(not MOLECULES.is_dir(), reason="no molecules beside the repository")
@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_betti_numbers_of_a_protein(alpha):
    complex = sx.alpha_complex(*read_pdb(MOLECULES / "1U71.pdb.gz"), alpha)
    assert complex.betti == betti_by_reduction(complex) == betti_by_gudhi(complex)
