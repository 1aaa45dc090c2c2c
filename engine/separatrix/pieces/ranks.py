"""Ranks that order equal values, of which each piece has those of its layers.

They are a permutation if each number below n occurs, and they order equal values only if values
ascend with them. Each piece checks a run of numbers, which all pieces send to it with their values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Array, Session, to_host
from ..morse.field import falling_ranks, first_fall, missing_ranks
from .exchange import Exchange


def check_ranks(
    exchange: Exchange, session: Session, ranks: Array, values: Array, valid: Array | None, n: int
) -> None:
    """Raise InputError unless the ranks of all pieces are a permutation that values ascend with.

    `ranks` (m,), `values` (m,), and `valid` (m,) bool, or None for all, are those of the piece's
    own layers, of n vertices of the whole image. All pieces have to call it.
    """
    length = -(-n // exchange.size)
    sent = _by_owner(exchange, to_host(ranks), to_host(values), valid, length, n)
    own, numbers, are_valid = (np.concatenate(exchange.send(column)) for column in sent)
    first = min(exchange.rank * length, n)
    own = own.astype(np.int64) - first
    point = np.full(min(length, n - first), -1, np.int64)
    point[own] = np.arange(own.size)
    missing = np.flatnonzero(point < 0)
    found = exchange.gather((missing.size, first + int(missing[0]) if missing.size else n))
    if n_missing := sum(number for number, _ in found):
        raise missing_ranks(min(rank for _, rank in found), n_missing, n)
    point = point[are_valid[point].view(bool)]
    ranks, values = own[point] + first, numbers[point]
    # The last valid value of earlier pieces comes first.
    for rank, value in exchange.gather((ranks[-1:], values[-1:]))[: exchange.rank][::-1]:
        if rank.size:
            ranks, values = np.append(rank, ranks), np.append(value, values)
            break
    fall = first_fall(session, session.upload(values))
    falls = exchange.gather(None if fall is None else (ranks[fall:][:2], values[fall:][:2]))
    for one in falls:
        if one is not None:
            raise falling_ranks(*one)


def _by_owner(
    exchange: Exchange,
    ranks: np.ndarray,
    values: np.ndarray,
    valid: Array | None,
    length: int,
    n: int,
) -> list[list[np.ndarray]]:
    """Return the ranks from 0 to n - 1, values, and flags (m,) uint8 to send to each piece."""
    flags = np.ones(ranks.size, np.uint8) if valid is None else to_host(valid).view(np.uint8)
    columns: tuple[Any, ...] = (ranks, values, flags)
    if exchange.size == 1:
        owners = [(ranks >= 0) & (ranks < n)]
    else:
        owner = (ranks // length).astype(np.int64)
        owner[(ranks < 0) | (ranks >= n)] = -1
        owners = [owner == piece for piece in range(exchange.size)]
    return [[column[theirs] for theirs in owners] for column in columns]
