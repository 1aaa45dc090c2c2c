"""Drop-in replacement for the package ripserplusplus: its function `run`."""

from __future__ import annotations

import os
from math import isqrt
from typing import Any

import numpy as np

from .device.arrays import as_array, to_host
from .errors import InputError, Words
from .rips.barcodes import rips_barcodes

FORMATS = ("distance", "lower-distance", "point-cloud", "sparse", "dipha", "binary")
KINDS = {"--format": str, "--dim": int, "--threshold": float, "--ratio": float}
DEFAULTS = {"--format": "distance", "--dim": 1, "--threshold": None, "--ratio": 1.0}
DIPHA_MATRIX = (8067171840, 7)  # first two int64 of a file
NAMES = {
    **dict.fromkeys(("distances", "points", "sparse"), "data"),
    "max_dimension": "--dim",
    "threshold": "--threshold",
}
"""Names of the parameters of :func:`separatrix.rips_barcodes` here."""
BAR = np.dtype([("birth", np.float32), ("death", np.float32)])


def run(args: str, data: Any) -> dict[int, np.ndarray]:
    """Compute finite bars with the arguments and results of Ripser++'s Python package.

    Parameters
    ----------
    args : str
        Options separated by blanks: ``--format F`` ("distance" by default, "lower-distance",
        "point-cloud", "sparse", or for files "dipha" and "binary"), ``--dim D`` (1 by default),
        ``--threshold T``, and ``--ratio R`` (omit bars whose death is at most R times their birth).
        ``--sparse`` has no effect, because a sparse computation is chosen automatically.
    data : array_like, SciPy sparse matrix, or str
        A distance matrix (n, n), its lower triangle row by row (n (n - 1) / 2,), points (n, k), a
        sparse matrix of distances, or the name of a file in the format. The first i entries of row
        i of a file of distances are used.

    Returns
    -------
    dict of int to (m,) structured ndarray
        The bars of each dimension with the float32 fields ``birth`` and ``death``, sorted by birth
        and death. Essential bars are omitted, as in Ripser++.

    Raises
    ------
    InputError
        If an option is unknown, or the data is invalid.

    Notes
    -----
    Bars are computed in float64 and rounded at the end. Use :func:`separatrix.rips_barcodes` for
    float64 and for essential bars.

    References
    ----------
    .. [1] S. Zhang, M. Xiao, H. Wang, "GPU-accelerated computation of Vietoris-Rips persistence
       barcodes", 2020.

    Examples
    --------
    >>> import separatrix.ripserplusplus as rpp
    >>> rpp.run("--format lower-distance", numpy.array([3, 2, 1]))[0]
    array([(0., 1.), (0., 2.)], dtype=[('birth', '<f4'), ('death', '<f4')])
    """
    options = _options(args)
    given = _given(options["--format"], data)
    bars = None
    try:
        if not any(isinstance(one, np.ndarray) and len(one) == 1 for one in given.values()):
            bars = rips_barcodes(
                **given, max_dimension=options["--dim"], threshold=options["--threshold"]
            )
    except InputError as error:
        error.rename(NAMES)
        raise
    found = {}
    for d in range(options["--dim"] + 1):
        births_deaths = np.empty((0, 2)) if bars is None else bars.of_dimension(d)
        birth, death = births_deaths.astype(np.float32).T
        kept = np.isfinite(death) & (death > birth * np.float32(options["--ratio"]))
        found[d] = np.empty(int(kept.sum()), BAR)
        found[d]["birth"], found[d]["death"] = birth[kept], death[kept]
    return found


def _options(args: str) -> dict[str, Any]:
    options: dict[str, Any] = dict(DEFAULTS)
    if not isinstance(args, str):
        raise InputError("args", "a string of options", args)
    words = iter(args.split())
    for word in words:
        if word == "--sparse":
            continue
        if word not in KINDS:
            expected = f"options of {', '.join(KINDS)}, and --sparse"
            raise InputError("args", expected, word)
        value = next(words, "")
        try:
            options[word] = KINDS[word](value)
        except ValueError:
            kind = "an integer" if KINDS[word] is int else "a number"
            raise InputError("args", f"{kind} after {word}", value) from None
    if not options["--ratio"] >= 0:
        raise InputError("--ratio", "a non-negative number", options["--ratio"])
    if not 0 <= options["--dim"] <= 16:
        raise InputError("--dim", "an integer from 0 to 16", options["--dim"])
    return options


def _given(format: str, data: Any) -> dict[str, Any]:
    """Return the data as a keyword argument of :func:`rips_barcodes`."""
    is_file = isinstance(data, (str, os.PathLike))
    if format not in FORMATS if is_file else format not in FORMATS[:4]:
        names = ", ".join(FORMATS if is_file else FORMATS[:4])
        raise InputError(
            "--format", f"one of {names} for {'files' if is_file else 'arrays'}", format
        )
    if is_file:
        try:
            format, data = _read(os.fspath(data), format)
        except (OSError, ValueError) as error:
            reason: object = error
            if isinstance(error, OSError):
                reason = (error.strerror or str(error)).lower()
            elif isinstance(error, UnicodeDecodeError):
                reason = "it is not a text file. If it is compressed, decompress it"
            raise InputError(f"{data} cannot be read as {format}: {reason}.") from error
    if format == "sparse":
        return {"sparse": data}
    array = to_host(as_array(data, "data"))
    if format == "point-cloud":
        return {"points": array}
    if format == "distance":
        if array.ndim != 2:
            raise InputError("data", "a square matrix", Words(f"shape {array.shape}"))
        return {"distances": array}
    n = (1 + isqrt(1 + 8 * array.size)) // 2
    if array.ndim != 1 or n * (n - 1) // 2 != array.size or array.dtype.kind not in "fiu":
        got = Words(f"dtype {array.dtype} and shape {array.shape}")
        raise InputError("data", "a triangle of n (n - 1) / 2 distances", got)
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n, -1)] = array
    return {"distances": matrix + matrix.T}


def _read(path: str, format: str) -> tuple[str, Any]:
    """Return the content of a file in the form of another format."""
    if format == "dipha":
        *header, n = np.fromfile(path, "<i8", 3).tolist() or [0]
        if tuple(header) != DIPHA_MATRIX:
            raise ValueError("it does not start with the header of a DIPHA distance matrix")
        return "distance", np.fromfile(path, "<f8", n * n, offset=24).reshape(n, n)
    if format == "binary":
        return "lower-distance", np.fromfile(path, "<f4")
    with open(path, encoding="utf-8") as lines:
        rows = [np.array(line.replace(",", " ").split(), np.float64) for line in lines]
    if not any(row.size for row in rows):
        raise ValueError("it contains no numbers")
    if format == "distance":
        return "lower-distance", np.concatenate([row[:i] for i, row in enumerate(rows)])
    if format == "lower-distance":
        return format, np.concatenate(rows)
    table = np.stack([row for row in rows if row.size])
    if format == "point-cloud":
        return format, table
    i, j, distances = table.T
    return format, (i.astype(np.int64), j.astype(np.int64), distances)
