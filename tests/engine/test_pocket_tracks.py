"""Pockets keep their number over a trajectory in which they move, close, and open again."""

import numpy as np
import pytest

import separatrix as sx

PROBE, RADIUS = 1.4, 1.7
BREATHING, PERMANENT = np.array([-5.5, 0.0, 0.0]), np.array([6.0, 1.0, 0.0])
OPENNESS = (1.0, 1.0, 0.8, 0.4, 0.0, 0.0, 0.3, 0.8, 1.0)  # of the breathing pocket, by frame


def globule() -> np.ndarray:
    """Atoms packed like those of a protein, with two cavities; a channel leads to one of them."""
    cell = np.stack(np.meshgrid(*[np.arange(-9, 10)] * 3, indexing="ij"), -1).reshape(-1, 3)
    atoms = cell[cell.sum(axis=1) % 2 == 0] * 2.12  # 3.0 Angstrom apart
    atoms = atoms[np.linalg.norm(atoms, axis=1) < 15]
    for cavity in (BREATHING, PERMANENT):
        atoms = atoms[np.linalg.norm(atoms - cavity, axis=1) > 4.6]
    beside = atoms - BREATHING
    is_channel = (beside[:, 0] < 0) & (np.linalg.norm(beside[:, 1:], axis=1) < 3.4)
    return atoms[~is_channel]


def trajectory() -> np.ndarray:
    """The atoms (frames, n, 3): they vibrate and tumble, and one cavity and its channel breathe."""
    random, start = np.random.default_rng(5), globule()
    frames = []
    for t, openness in enumerate(OPENNESS):
        atoms = start.copy()
        axis = np.stack(
            [np.clip(atoms[:, 0], None, BREATHING[0]), 0 * atoms[:, 1], 0 * atoms[:, 1]], 1
        )
        inside = axis - atoms
        distance = np.linalg.norm(inside, axis=1, keepdims=True)
        pull = (1 - openness) * 2.4 * np.clip((10 - distance) / 6, 0, 1)
        atoms += inside / distance * np.minimum(pull, distance - 1)
        turn = 0.1 * t
        rotation = [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
        frames.append(atoms @ rotation + [t, 0.5 * t, 0] + random.normal(0, 0.1, atoms.shape))
    return np.array(frames)


def test_a_pocket_that_closes_and_opens_again_is_one_track(device):
    tracks, first = sx.PocketTracks(), {}
    for complex in sx.alpha_complexes(trajectory(), RADIUS, probe=PROBE, device=device):
        pockets = complex.pockets()
        found = tracks.add(pockets).tolist()
        first = first or dict(zip(found, pockets.n_mouths.tolist(), strict=True))
    (permanent,) = (track for track, n_mouths in first.items() if n_mouths == 0)
    (breathing,) = (track for track, n_mouths in first.items() if n_mouths == 1)
    assert tracks.is_open.shape == tracks.volume.shape == (len(tracks), len(OPENNESS))
    assert tracks.is_open[permanent].all()
    assert tracks.is_open[breathing].tolist() == [openness > 0 for openness in OPENNESS]
    is_wide = tracks.volume > 20  # as a molecule of water; the others are gaps of vibrations
    assert is_wide[breathing].tolist() == [openness > 0.5 for openness in OPENNESS]
    assert np.flatnonzero(is_wide.any(axis=1)).tolist() == sorted([permanent, breathing])


def test_a_split_pocket_continues_in_the_part_with_more_of_its_atoms():
    def pockets(*lining):
        k = len(lining)
        atoms, none = np.concatenate([*lining, []]).astype(np.int32), np.empty((0, 3), np.int32)
        offsets, no_mouths = np.cumsum([0, *map(len, lining)]), sx.Mouths(*[none] * 7)
        return sx.Pockets(
            np.inf, np.arange(k, 0.0, -1), *np.ones((4, k)), no_mouths, offsets,
            atoms, np.ones(len(atoms)), none, none, none, none,
        )  # fmt: skip

    tracks = sx.PocketTracks(overlap=0.25)
    assert tracks.add(pockets([1, 2, 3, 4, 5, 6], [20, 21, 22])).tolist() == [0, 1]
    assert tracks.add(pockets()).tolist() == []
    assert tracks.add(pockets([1, 2], [3, 4, 5, 6], [30, 31])).tolist() == [2, 0, 3]
    assert tracks.add(pockets([20, 21, 22, 23], [1, 2, 3, 4, 5, 6])).tolist() == [1, 0]
    assert tracks.is_open.sum(axis=1).tolist() == [3, 2, 1, 1]
    with pytest.raises(sx.InputError, match="overlap must be a number above 0 and at most 1"):
        sx.PocketTracks(overlap=0)
