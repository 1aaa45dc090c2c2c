"""Identity of pockets across the frames of a trajectory, by the atoms that line them.

A pocket continues the track whose lining atoms, when it was last open, it shares most: the number
of common atoms divided by that of all atoms of both (Jaccard). Pairs are chosen from the largest
overlap down; equal ones by the older track, then by the larger pocket. So a pocket that closes and
opens again keeps its number, and if it splits, the part with more of its atoms does.

Eyrisch, Helms 2007, "Transient pockets on protein surfaces involved in protein-protein
interaction", identify the pockets of snapshots by their lining atoms, too.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..arguments import as_real
from ..device import to_host
from ..errors import InputError, Words
from ..results import ReprMixin
from .pockets import Pockets


class PocketTracks(ReprMixin):
    """Pockets with the same number in all frames of a trajectory.

    Parameters
    ----------
    overlap : float, default 0.3
        Least part of the lining atoms that a pocket shares with a track to continue it, above 0 and
        at most 1.

    Raises
    ------
    InputError
        If `overlap` is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> ends = np.vstack([2 * np.eye(3), -2 * np.eye(3)])
    >>> frames = [ends, 0.7 * ends, ends + 5.0]
    >>> tracks = sx.PocketTracks()
    >>> for frame in sx.alpha_complexes(frames, 1.5):
    ...     print(tracks.add(frame.pockets()))
    [0]
    []
    [0]
    >>> tracks.volume.shape, tracks.is_open.tolist()
    ((1, 3), [[True, False, True]])
    """

    _SHOWN = ("overlap", "volume", "is_open")

    def __init__(self, overlap: float = 0.3) -> None:
        self.overlap = as_real(overlap)
        if not 0 < self.overlap <= 1:
            raise InputError("overlap", "a number above 0 and at most 1", overlap)
        self._lining: list[set[int]] = []
        self._lined_by: dict[int, set[int]] = {}  # tracks by atom
        self._volumes: list[dict[int, float]] = []

    def __len__(self) -> int:
        return len(self._lining)

    def add(self, pockets: Pockets) -> np.ndarray:
        """Add the pockets of the next frame; return their tracks (k,) int32. Raises InputError.

        O(lining atoms, times the number of tracks that each atom lines).
        """
        if not isinstance(pockets, Pockets):
            raise InputError("pockets", "a result of pockets()", Words(type(pockets).__name__))
        offsets, atoms = to_host(pockets.atom_offsets), to_host(pockets.atoms)
        parts = np.split(atoms, offsets[1:-1]) if len(pockets) else []
        lining = [set(part.tolist()) for part in parts]
        shared: list[tuple[float, int, int]] = []
        for p, own in enumerate(lining):
            common = Counter(t for atom in own for t in self._lined_by.get(atom, ()))
            for t, n in common.items():
                part = n / (len(own) + len(self._lining[t]) - n)
                if part >= self.overlap:
                    shared.append((-part, t, p))
        track_of: dict[int, int] = {}
        taken: set[int] = set()
        for _, t, p in sorted(shared):
            if p not in track_of and t not in taken:
                track_of[p] = t
                taken.add(t)
        for p, own in enumerate(lining):
            t = track_of.setdefault(p, len(self))
            if t == len(self):
                self._lining.append(set())
            for atom in self._lining[t] - own:
                self._lined_by[atom].discard(t)
            for atom in own:
                self._lined_by.setdefault(atom, set()).add(t)
            self._lining[t] = own
        tracks = [track_of[p] for p in range(len(lining))]
        self._volumes.append(dict(zip(tracks, to_host(pockets.volume).tolist(), strict=True)))
        return np.array(tracks, np.int32)

    @property
    def volume(self) -> np.ndarray:
        """Volumes (tracks, frames) float64, 0 where a pocket is closed."""
        volumes = np.zeros((len(self), len(self._volumes)))
        for frame, of_tracks in enumerate(self._volumes):
            volumes[list(of_tracks), frame] = list(of_tracks.values())
        return volumes

    @property
    def is_open(self) -> np.ndarray:
        """Mask (tracks, frames) of the frames in which each pocket exists."""
        mask = np.zeros((len(self), len(self._volumes)), bool)
        for frame, of_tracks in enumerate(self._volumes):
            mask[list(of_tracks), frame] = True
        return mask

    def _summary(self) -> str:
        return f"{len(self):,} pockets in {len(self._volumes):,} frames"
