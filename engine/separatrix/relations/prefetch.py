"""Prediction of requests in one relation: the following segments, nearby ones, or neither.

A request for segment k + 1 after k is part of a sweep: a window of the following segments is
computed ahead, twice as long each time, up to the longest. The first use of a window queues the
next one. Other requests are part of a walk, for which idle workers compute the segments around, as
long as a tenth of them is used; later they are tried again. Liu et al. 2025, section 4.4, always
adds the following ones.

If requests are local, a segment is computed for one of its rows, because others follow. If requests
are spread over more segments than the cache has room for, the row is computed alone. As many recent
segments are remembered, without rows, as the cache has room for, so that a mesh that fits gets
cached even if it is visited at random.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from ..device import to_host
from .layout import Layout

MOST_HEADS = 96
LEAST_USED_PART = 0.1
TRY_AGAIN_AFTER = 256
MOST_NEARBY = 16
LEAST_LOCAL_PART = 0.25
REQUESTS_AVERAGED = 64


class Ahead:
    """Predictions of one relation. Not locked: the dispatcher is."""

    def __init__(self, n_segments: int, longest: int):
        self._n, self.longest = n_segments, longest
        self._heads: OrderedDict[int, int] = OrderedDict()  # next segment of each sweep: its window
        self._n_nearby = self._n_nearby_used = self._n_walks = 0

    def after_miss(self, k: int) -> range | None:
        """Segments that should be computed with `k`; None if `k` is not part of a sweep."""
        window = self._heads.pop(k, None)
        if window is None:
            self._expect(k + 1, 1)
            return None
        return self._window(k + 1, window)

    def after_first_use(self, k: int, window: int) -> range:
        """Segments to compute ahead when the first of a window is requested."""
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
        """Whether the segments around a missed one should be computed."""
        self._n_walks += 1
        if not self.longest:
            return False
        is_useful = self._n_nearby_used + 8 >= LEAST_USED_PART * (self._n_nearby + 16)
        return is_useful or self._n_walks % TRY_AGAIN_AFTER == 0

    def was_made_nearby(self) -> None:
        """Record that a segment was computed because it is near another."""
        self._n_nearby += 1

    def was_used_nearby(self) -> None:
        """Record that such a segment was requested."""
        self._n_nearby_used += 1


class Locality:
    """Locality of the requests of one relation. Not locked: the dispatcher is."""

    def __init__(self, n_remembered: int):
        self._n_remembered = max(1, n_remembered)
        self._lately: OrderedDict[int, None] = OrderedDict()
        self._part = 1.0

    def saw(self, segments: Sequence[int]) -> bool:
        """Record a request for a row of each segment; return whether requests are local."""
        lately = self._lately
        for k in segments:
            is_near = k in lately or k - 1 in lately or k + 1 in lately
            self._part += (is_near - self._part) / REQUESTS_AVERAGED
            lately[k] = None
            lately.move_to_end(k)
        while len(lately) > self._n_remembered:
            lately.popitem(last=False)
        return self._part >= LEAST_LOCAL_PART


class Surroundings:
    """The segments that share a cell with another one, of resident meshes; kept."""

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
