"""The log of a complex's cancellations of two saddles, replayed on the host in their order.

Canceling a pair reverses the one V-path that joins it: each cell on it turns to another partner.
R. Forman, "Morse theory for cell complexes", Advances in Mathematics 134, 1998, section 11.
O(total length of the reversed V-paths).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..device import Session
from ..errors import KernelError

CHUNK_PAIRS = 4096  # saddle pairs reversed between two chances to cancel


def log_reversals(
    session: Session,
    task: str,
    model: tuple[Any, ...],
    events: np.ndarray,
    dtypes: tuple[Any, Any],
    done: Callable[[float], None] | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is reversed, towards what, and at which event (t,) uint32, in the order of the events.

    `task` is the host task that reverses pairs; `model` what it reads and changes, the pairs of
    saddles last; `events` (p,), ascending, when each pair is canceled; `dtypes` of what is
    reversed and of its new partner. `done` hears of the part written.
    """
    turned = [np.empty(0, dtypes[0])]
    towards = [np.empty(0, dtypes[1])]
    when = [np.empty(0, np.uint32)]
    at, room = 0, 64 * CHUNK_PAIRS
    where = np.empty(CHUNK_PAIRS + 1, np.int64)
    while at < events.size:
        end = min(at + CHUNK_PAIRS, events.size)
        cells, partners = np.empty(room, dtypes[0]), np.empty(room, dtypes[1])
        n_done = session.host.run(task, *model, at, end, room, cells, partners, where)
        if n_done < 0:
            raise KernelError("a pair of saddles to be canceled is joined by no V-path")
        if not n_done:
            room *= 4
            continue
        n_turns = int(where[n_done])
        turned.append(cells[:n_turns].copy())
        towards.append(partners[:n_turns].copy())
        lengths = np.diff(where[: n_done + 1])
        when.append(np.repeat(events[at : at + n_done].astype(np.uint32), lengths))
        at += n_done
        if done is not None:
            done(at / events.size)
    return np.concatenate(turned), np.concatenate(towards), np.concatenate(when)
