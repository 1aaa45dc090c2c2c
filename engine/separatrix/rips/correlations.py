"""Distances of correlations: the function `correlation_to_distance` of ripser.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device.arrays import as_array, to_host
from ..errors import InputError, Words, warn_caller, wrong_dtype, wrong_shape


def correlation_to_distance(
    C: Any,  # noqa: N803 - ripser.py's name
    check_input: bool = True,
) -> np.ndarray:
    """Convert correlations to the distances sqrt(2 (1 - C)) of unit vectors.

    Parameters
    ----------
    C : (n, n) array_like of real numbers
        Correlations from -1 to 1, such as Pearson's. Others are clipped.
    check_input : bool, default True
        Whether to check `C`.

    Returns
    -------
    (n, n) float64 array
        Distances from 0 to 2, and 0 on the diagonal; for :func:`ripser` with `distance_matrix`.

    Raises
    ------
    InputError
        If the matrix is not square, is asymmetric, contains NaN, or contains values outside -1.05
        to 1.05; a subclass of ValueError.

    Warns
    -----
    RuntimeWarning
        If values are outside -1 to 1, or values on the diagonal differ from 1 by more than 0.001.

    Notes
    -----
    O(n^2) time.

    Examples
    --------
    >>> from separatrix.ripser import correlation_to_distance
    >>> correlation_to_distance([[1, 0.5], [0.5, 1]])
    array([[0., 1.],
           [1., 0.]])
    """
    given = real_array(C, "C").astype(np.float64)
    check_input = checked_flag(check_input, "check_input")
    if given.ndim != 2 or (check_input and given.shape[0] != given.shape[1]):
        raise wrong_shape("C", "a square matrix", given)
    if check_input:
        _check_correlations(given)
    distances: np.ndarray = np.sqrt(2 * (1 - np.clip(given, -1, 1)))
    np.fill_diagonal(distances, 0)
    return distances


def _check_correlations(given: np.ndarray) -> None:
    """Raise InputError, or warn, unless values may be correlations (n, n)."""
    differ = ~np.isclose(given, given.T, rtol=1e-5, atol=1e-5)
    if differ.any():
        i, j = np.argwhere(differ)[0]
        got = Words(f"C[{i}, {j}] = {given[i, j]:g} and C[{j}, {i}] = {given[j, i]:g}")
        raise InputError("C", "a symmetric matrix without NaN", got)
    largest = np.abs(given).max(initial=0)
    if largest > 1.05:
        i, j = np.argwhere(np.abs(given) == largest)[0]
        remedy = "Give correlations instead of covariances or data."
        raise InputError("C", "from -1 to 1", given[i, j], remedy, where=f"[{i}, {j}]")
    if largest > 1:
        warn_caller(
            "Some values are slightly outside the valid correlation bounds, -1 to 1, and are "
            "clipped.",
            RuntimeWarning,
        )
    if not np.allclose(given.diagonal(), 1, atol=1e-3):
        warn_caller(
            "Some diagonal elements deviate from 1.0 by more than 0.001. Give correlations.",
            RuntimeWarning,
        )


def real_array(data: Any, name: str) -> np.ndarray:
    """Return an array of real numbers in host memory. Raises InputError."""
    array: np.ndarray = to_host(as_array(data, name))
    if array.dtype.kind not in "biuf":
        raise wrong_dtype(name, "an array of real numbers", array)
    return array
