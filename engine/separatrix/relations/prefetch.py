"""What is likely to be asked for next in one relation: the following segments, or the nearby ones.

Whoever asks for segment k + 1 after k is in a sweep: a window of the segments that follow is made
ahead, twice as long each time, up to the longest. The first use of a window asks for the next, so
that a sweep has one before it always. Other requests are those of a walk, for which the segments
around are made by idle workers, as long as a tenth of them is asked for later; now and then they
are tried again. Liu et al. 2025, section 4.4, adds the following ones whatever is asked.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from ..device import to_host
from .layout import Layout

MOST_HEADS = 96
LEAST_USED_PART = 0.1
TRY_AGAIN_AFTER = 256
MOST_NEARBY = 16


class Ahead:
    """The guesses of one relation. Not locked: the dispatcher is."""

    def __init__(self, n_segments: int, longest: int):
        self._n, self.longest = n_segments, longest
        self._heads: OrderedDict[int, int] = OrderedDict()  # where a sweep goes on: its window
        self._n_nearby = self._n_nearby_used = self._n_walks = 0

    def after_miss(self, k: int) -> range | None:
        """Segments that follow `k` and should be made with it; None if `k` follows no other."""
        window = self._heads.pop(k, None)
        if window is None:
            self._expect(k + 1, 1)
            return None
        return self._window(k + 1, window)

    def after_first_use(self, k: int, window: int) -> range:
        """Segments to make ahead when the first of a window is asked for."""
        return self._window(k + window, 2 * window)

    def _window(self, begin: int, window: int) -> range:
        window = min(window, self.longest)
        end = min(begin + window, self._n)
        self._expect(end, max(1, window))
        return range(begin, end)

    def _expect(self, k: int, window: int) -> None:
        self._heads[k] = min(2 * window, max(1, self.longest))
        if len(self._heads) > MOST_HEADS:
            self._heads.popitem(last=False)

    def wants_nearby(self) -> bool:
        """Whether the segments around one that was missed should be made."""
        self._n_walks += 1
        if not self.longest:
            return False
        is_useful = self._n_nearby_used + 8 >= LEAST_USED_PART * (self._n_nearby + 16)
        return is_useful or self._n_walks % TRY_AGAIN_AFTER == 0

    def was_made_nearby(self) -> None:
        """Tell that a segment was made because it is near another."""
        self._n_nearby += 1

    def was_used_nearby(self) -> None:
        """Tell that such a one was asked for."""
        self._n_nearby_used += 1


class Surroundings:
    """Which segments share a cell with another one; those of resident meshes, kept when found."""

    def __init__(self, layout: Layout):
        self._layout = layout
        self._of: dict[int, list[int]] = {}

    def of(self, k: int) -> list[int]:
        """Segments that share a cell with segment `k`, nearest in the order first."""
        if k not in self._of:
            self._of[k] = self._found(k)
        return self._of[k]

    def _found(self, k: int) -> list[int]:
        segments, s = self._layout.segments, self._layout.incidence.simplices
        first, last = segments.host_starts[k : k + 2].tolist()
        device = self._layout.incidence.session.device
        with device.current():
            own = s.tets[int(s.tet_begin[first]) : int(s.tet_begin[last])]
            others = s.tets[s.star_tets[int(s.star_begin[first]) : int(s.star_begin[last])]]
            d = s.dimension + 1
            vertices = device.xp.concatenate([own[:, :d].ravel(), others[:, :d].ravel()])
            near = np.unique(to_host(segments.of_vertices(vertices)))
        near = near[near != k]
        return list(near[np.argsort(np.abs(near - k), kind="stable")][:MOST_NEARBY].tolist())
