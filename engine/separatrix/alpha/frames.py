"""Alpha complexes of several frames of the same balls, such as a trajectory.

The frames of a batch are placed so far apart that their balls do not meet, and computed as one
complex, which translations on the grid do not change. In the tables, each is a range of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, Progress, Session, current_for
from ..errors import InputError, Words, check_progress
from ..options import known_keywords
from ..primitives import uploaded_reals
from .ball_sizes import MAX_COORDINATE, checked_sizes, finest_resolution
from .balls import Balls, checked_centers, in_box, snap_balls
from .boxes import checked_vectors
from .call import CALL_STAGES
from .complex import AlphaComplex, found_by
from .neighbors import TooMuchWork
from .periodic import TooManyCopies, n_copies_at_first
from .request import WORK_LIMIT, Request
from .stars import Search, find_simplices
from .tables import SimplexTable, Tables, count_from_each_frame, tables_over
from .triangulation import triangulated_frames

BALLS_PER_BATCH = {"host": 1 << 16, "gpu": 1 << 19}
"""With copies, if there are periodic boxes."""


class TooManyFrames(InputError):
    """The frames do not fit side by side on the grid; `fewer` of them may."""

    fewer: int


@known_keywords
def alpha_complexes(
    frames: Any,
    radii: Any = None,
    alpha: Any = 0.0,
    *,
    weights: Any = None,
    probe: float = 0.0,
    resolution: float | None = 1e-3,
    batch: int | None = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    work_limit: float = WORK_LIMIT,
    edge_optimization: bool = True,
    alpha_optimization: bool = True,
    method: str = "auto",
    box: Any = None,
) -> Iterator[AlphaComplex]:
    """Compute the alpha complex of each frame of a trajectory.

    Parameters
    ----------
    frames : (f, n, 3) array_like
        Centers of the same n balls in each frame.
    batch : int, optional
        Number of frames that are computed together. By default, as many as keep the device busy
        and fit side by side on the grid.
    box : array_like, optional
        Periodic box, as in :func:`separatrix.alpha_complex`, or one per frame: (f, 6), three
        lengths and three angles each, or (f, 3, 3), three vectors each.
    radii, alpha, weights, probe, resolution, device, threads, memory_limit, progress, work_limit, \
edge_optimization, alpha_optimization, method
        See :func:`separatrix.alpha_complex`. `work_limit` applies to a frame or, if `method` is
        "local", to a batch.

    Yields
    ------
    AlphaComplex
        Complex of each frame, equal to the result for that frame only; `timings` and `statistics`
        are those of its batch. Coordinates are validated when a batch begins.

    Raises
    ------
    InputError, DeviceUnavailable, DeviceMemoryError
        See :func:`separatrix.alpha_complex`.

    Examples
    --------
    >>> import separatrix as sx
    >>> frames = [[[0.0, 0.0, 0.0], [distance, 0.0, 0.0]] for distance in (1.0, 3.0)]
    >>> for complex in sx.alpha_complexes(frames, 1.0):
    ...     print(complex.counts, round(complex.volume(), 3))
    (2, 1, 0, 0) 7.069
    (2, 0, 0, 0) 8.378
    """
    given = checked_centers(frames, "frames", ("f", "n"))
    if batch is not None:
        batch = checked_whole(batch, "batch", 1)
    check_progress(progress)
    sizes, are_weights = checked_sizes(radii, weights, probe, given.shape[1])
    boxes = _boxes_of(box, len(given))
    if resolution is None:
        resolution = max(
            finest_resolution(given, sizes, are_weights, probe, one) for one in boxes or [None]
        )
    request = Request(
        *(alpha, probe, resolution, work_limit, edge_optimization, alpha_optimization, method),
        box=boxes[0] if boxes else None,
        are_weights=are_weights,
    )
    make_session = partial(Session, given, device, threads, memory_limit)
    return _in_batches(given, sizes, request, boxes, batch, make_session, progress)


def _boxes_of(box: Any, n_frames: int) -> list[Any]:
    """Return the box of each frame, if any. Raises InputError."""
    if box is None:
        return []
    try:
        shape = np.shape(box)
    except ValueError:  # rows of different lengths
        shape = ()
    if len(shape) < 2 or shape in ((3, 3), (1, 6)):
        return [checked_vectors(box)] * n_frames
    if shape not in ((n_frames, 6), (n_frames, 3, 3)):
        expected = f"one box, or an array of shape ({n_frames}, 6) or ({n_frames}, 3, 3)"
        raise InputError("box", expected, Words(f"an array of shape {shape}"))
    return [checked_vectors(one, frame) for frame, one in enumerate(box)]


def _in_batches(
    frames: Array,
    sizes: Array,
    request: Request,
    boxes: list[Any],
    batch: int | None,
    make_session: partial[Session],
    progress: Progress | None,
) -> Iterator[AlphaComplex]:
    n_frames, n_balls = frames.shape[:2]
    is_complete = request.method == "complete" or request.alpha == math.inf
    first, at_once = 0, 1 if is_complete and not boxes else batch
    per_frame = n_copies_at_first(n_balls) if boxes else n_balls
    while first < n_frames:
        session = make_session()
        most = session.device.launch_form(**BALLS_PER_BATCH)
        end = min(first + (at_once or max(1, most // max(per_frame, 1))), n_frames)
        done = None if progress is None else partial(_report, progress, first, end, n_frames)
        try:
            known = (session, frames[first:end], sizes, request, first, done)
            found = _in_boxes(*known, boxes[first:end]) if boxes else _batch_of(*known)
        except TooManyFrames as error:
            if batch is not None:
                raise
            at_once = error.fewer
            continue
        except TooManyCopies:
            at_once = max(1, (end - first) // 8)
            continue
        except TooMuchWork:
            if request.method == "local" or end == first + 1:
                raise
            at_once = 1
            continue
        yield from found
        first = end


def _report(
    progress: Progress, first: int, end: int, n_frames: int, part: float, stage: str
) -> None:
    progress((first + part * (end - first)) / n_frames, stage)


def _batch_of(
    session: Session,
    frames: Array,
    sizes: Array,
    request: Request,
    first: int,
    progress: Progress | None,
) -> list[AlphaComplex]:
    n_frames, n_balls = frames.shape[:2]
    with session.call(progress, CALL_STAGES):
        with session.stage("snapping"):
            balls = _snapped(session, frames, sizes, request, first)
            apart = _side_by_side(session, balls, n_balls, n_frames)
        local = request if n_frames == 1 else replace(request, method="local")
        search = find_simplices(session, apart, local)
        if n_frames == 1:
            return [found_by(session, balls, search)]
        rows_of = count_from_each_frame(search.tables, n_balls, n_frames)
        simplices, facets = search.tables.simplices, search.tables.facets
        placed: tuple[SimplexTable, ...] = ()
        if search.block is not None and session.result.moves(search.block):
            placed = tables_over(session.result(search.block), search.tables.counts)
    found = []
    for f, rows in enumerate(rows_of):
        items = balls.items[f * n_balls : (f + 1) * n_balls]
        own = replace(balls, items=items, sizes=balls.sizes[:n_balls])
        tables = Tables(
            tuple(map(SimplexTable.where, simplices, rows)),
            tuple(array[part] for array, part in zip(facets, rows, strict=True)),
        )
        result = tuple(map(SimplexTable.where, placed, rows)) if placed else None
        found.append(AlphaComplex(session, own, search, tables, tables, balls.alpha, result))
    return found


def _in_boxes(
    session: Session,
    frames: Array,
    sizes: Array,
    request: Request,
    first: int,
    progress: Progress | None,
    boxes: list[Any],
) -> list[AlphaComplex]:
    """Return the complexes of frames in periodic boxes, which one triangulation contains."""
    n_balls = frames.shape[1]
    with session.call(progress, CALL_STAGES):
        with session.stage("snapping"):
            all_balls = _snapped(session, frames, sizes, replace(request, box=None), first)
            balls = []
            for f, box in enumerate(boxes):
                items = all_balls.items[f * n_balls : (f + 1) * n_balls]
                own = replace(all_balls, items=items, sizes=all_balls.sizes[:n_balls])
                balls.append(in_box(session, own, frames[f], box))
        alpha = all_balls.scale.squared_length(all_balls.alpha)
        whole = [each.at_any_alpha for each in balls]
        return [
            AlphaComplex(session, own, Search(largest, None), part, largest, all_balls.alpha)
            for own, (largest, part) in zip(
                whole, triangulated_frames(session, whole, alpha), strict=True
            )
        ]


def _snapped(session: Session, frames: Array, sizes: Array, request: Request, first: int) -> Balls:
    """Return the balls of all frames, of which the first has the number `first`."""
    n_frames, n_balls = frames.shape[:2]

    def where(row: int) -> str:
        return f"[{first + row // n_balls}, {row % n_balls}]"

    all_sizes = session.device.xp.tile(uploaded_reals(session, sizes), n_frames)
    with current_for(frames):
        centers = frames.reshape(-1, 3)
    return snap_balls(session, centers, all_sizes, request, "frames", where)


def _side_by_side(session: Session, balls: Balls, n_balls: int, n_frames: int) -> Balls:
    """Return the balls with frame f shifted by f strides along x."""
    if n_frames == 1 or not balls.n_left:
        return balls
    if not balls.is_within_reach(balls.alpha):
        raise TooMuchWork("The balls are too large for a local search.")
    stride = balls.highest[0] - balls.lowest[0] + balls.reach + 1
    highest = balls.highest[0] + (n_frames - 1) * stride
    if highest > MAX_COORDINATE:
        fewer = max(1, n_frames * MAX_COORDINATE // (2 * highest))
        error = TooManyFrames(
            *("batch", f"at most {fewer} for frames of this extent", n_frames),
            "Lower it or choose a larger {resolution}.",
        )
        error.fewer = fewer
        raise error
    items = balls.items.copy()
    session.launch("shift_frames", len(items), n_balls, stride, items)
    return replace(balls, items=items, highest=(highest, *balls.highest[1:]))
