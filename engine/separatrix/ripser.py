"""Drop-in replacement for the package ripser.py: its functions and its class `Rips`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arguments import checked_whole, is_one_of
from .device.arrays import as_array, to_host
from .errors import InputError, Words, warn_caller
from .options import RipsBarcodesOptions
from .plotting import required
from .rips.barcodes import rips_barcodes
from .rips.correlations import correlation_to_distance
from .rips.distances import ends_of_condensed
from .rips.farthest_points import Metric, distances_to, farthest_points
from .rips.lower_stars import lower_star_img
from .rips.reduction import check_prime

__all__ = ["Rips", "correlation_to_distance", "lower_star_img", "ripser"]

NAMES = {
    **dict.fromkeys(("distances", "sparse", "weights"), "X"),
    "max_dimension": "maxdim",
    "threshold": "thresh",
    "field": "coeff",
}
"""Names of the parameters of :func:`separatrix.rips_barcodes` here."""


def ripser(
    X: Any,  # noqa: N803 - ripser.py's name
    maxdim: int = 1,
    thresh: float = np.inf,
    coeff: int = 2,
    distance_matrix: bool = False,
    do_cocycles: bool = False,
    metric: Metric = "euclidean",
    n_perm: int | None = None,
) -> dict[str, Any]:
    """Compute persistence diagrams with the arguments and results of ripser.py.

    Parameters
    ----------
    X : (n, k) or (n, n) array_like, or SciPy sparse matrix
        Points, or distances if `distance_matrix` is set. The entries above the diagonal are used as
        distances, and those on the diagonal as births of the points; entries that are missing in a
        sparse matrix have no edge.
    maxdim : int, default 1
        Highest dimension of the bars.
    thresh : float, default inf
        Ignore edges longer than this.
    coeff : int, default 2
        Prime p of the coefficient field Z/p.
    distance_matrix : bool, default False
        Whether `X` contains distances.
    do_cocycles : bool, default False
        Whether to compute a cocycle for each bar, from dimension 1.
    metric : str or callable, default "euclidean"
        Metric of the points: a name of SciPy, "manhattan", "l1", "l2", or a function of two points.
    n_perm : int, optional
        Use only this number of points: the first one, and then the farthest point from those
        already used.

    Returns
    -------
    dict
        ``dgms``: a list of (m, 2) float64 arrays of births and deaths per dimension.
        ``cocycles``: a list per dimension, empty or with a (k, d + 2) int64 array per bar, the
        points of a simplex and its coefficient in each row. ``num_edges``: int. ``dperm2all``: the
        distances (n, n), or those (n_perm, n) of the points in ``idx_perm``. ``idx_perm``: (n,) or
        (n_perm,) int64. ``r_cover``: largest distance between a point and the points used.

    Raises
    ------
    InputError
        If an argument is invalid; a subclass of ValueError, as in ripser.py.

    Warns
    -----
    UserWarning
        If points are a square matrix, or have more columns than rows.

    Notes
    -----
    Distances are float64; ripser.py rounds them to float32. Bars are sorted by birth and death.
    Cocycles may differ from those of ripser.py within their class. Births must not be negative. A
    zero in a dense matrix is an edge, even if births are given.

    References
    ----------
    .. [1] C. Tralie, N. Saul, R. Bar-On, "Ripser.py: a lean persistent homology library for
       Python", 2018.

    Examples
    --------
    >>> from separatrix.ripser import ripser
    >>> angle = numpy.linspace(0, 2 * numpy.pi, 100, endpoint=False)
    >>> ripser(numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1))["dgms"][1]
    array([[0.06282152, 1.75261336]])
    """
    is_sparse = hasattr(X, "tocoo")
    data = X if is_sparse else to_host(as_array(X, "X"))
    if data.ndim != 2 or (distance_matrix and data.shape[0] != data.shape[1]):
        expected = "a square matrix" if distance_matrix else "an array of shape (n, k)"
        raise InputError("X", expected, Words(f"shape {data.shape}"))
    if is_sparse and not distance_matrix:
        raise InputError("X", "an array unless {distance_matrix=True}", Words("a sparse matrix"))
    n = data.shape[0]
    if n == 0:
        raise InputError("X", "an array of at least one point", Words(f"shape {data.shape}"))
    try:
        limit = None if thresh is None or is_one_of(thresh, [np.inf]) else thresh
        options = RipsBarcodesOptions(max_dimension=maxdim, threshold=limit, field=coeff)
        check_prime(options.field)
    except InputError as error:
        error.rename(NAMES)
        raise
    if n_perm is None or is_one_of(n_perm, [0]):  # ripser.py takes 0 for all points
        n_perm = n
    elif is_sparse:
        raise InputError("n_perm", "omitted for a sparse matrix", n_perm)
    n_perm = checked_whole(n_perm, "n_perm", 1, n)
    if not distance_matrix and n == data.shape[1]:
        warn_caller(
            "The input matrix is square, but the distance_matrix option is not set. Set it if the "
            "matrix contains distances.",
            UserWarning,
        )
    elif not distance_matrix and n < data.shape[1]:
        warn_caller("The input has more columns than rows. Each row is a point.", UserWarning)

    idx_perm, r_cover = np.arange(n), 0.0
    if n_perm < n:
        of_points = data.__getitem__ if distance_matrix else distances_to(data, metric)
        idx_perm, dperm2all = farthest_points(of_points, n_perm)
        distances, r_cover = dperm2all[:, idx_perm], float(dperm2all.min(axis=0).max())
    else:
        every = np.arange(n)
        distances = dperm2all = data if distance_matrix else distances_to(data, metric)(every)
    return {
        **_diagrams(distances, idx_perm, options, do_cocycles, distance_matrix),
        "dperm2all": dperm2all,
        "idx_perm": idx_perm,
        "r_cover": r_cover,
    }


def _diagrams(
    distances: Any,
    idx_perm: np.ndarray,
    options: RipsBarcodesOptions,
    do_cocycles: bool,
    distance_matrix: bool,
) -> dict[str, Any]:
    """Return the diagrams, cocycles, and number of edges of distances; see :func:`ripser`."""
    n, births = distances.shape[0], distances.diagonal()
    inputs: dict[str, Any] = {}
    if hasattr(distances, "tocoo"):
        coo = distances.tocoo()
        upper = coo.row < coo.col
        lengths = coo.data[upper]
        inputs["sparse"] = (coo.row[upper], coo.col[upper], lengths, n)
    else:
        lengths = np.concatenate([distances[i, i + 1 :] for i in range(n)])
        inputs["distances"] = lengths
    dimensions = range(options.max_dimension + 1)
    if n == 1:
        dgms = [np.array([[births[0], np.inf]]), *(np.empty((0, 2)) for _ in dimensions[1:])]
        return {"dgms": dgms, "cocycles": [[] for _ in dimensions], "num_edges": 0}
    if births.any():
        inputs |= {"weights": births, "weight_power": np.inf}
    try:
        bars = rips_barcodes(
            **inputs,
            max_dimension=options.max_dimension,
            threshold=options.threshold,
            field=options.field,
            representatives=(lambda bars: bars.dimension > 0) if do_cocycles else None,
            cocycles=do_cocycles,
        )
    except InputError as error:
        error.rename(NAMES)
        first = np.flatnonzero(~(lengths >= 0))[:1]
        if "distances" in inputs and first.size:
            (i,), (j,) = (idx_perm[ends] for ends in ends_of_condensed(first, n))
            if distance_matrix:
                error.where = f"[{i}, {j}]"
            else:
                error.expected, error.where = "points with non-negative distances", ""
                error.got = Words(f"{error.got} between points {i} and {j}")
            error.args = (error.render(),)
        raise
    cocycles: list[list[np.ndarray]] = [[] for _ in dimensions]
    for one in bars.cocycles:
        points = idx_perm[one.simplices[:, ::-1]]  # descending, as in ripser.py
        cocycles[one.dimension].append(np.column_stack([points, one.coefficients]))
    is_cut = options.threshold is None and "distances" in inputs and "weights" not in inputs
    limit = math.inf if options.threshold is None else options.threshold
    longest = bars.enclosing_radius if is_cut else limit
    return {
        "dgms": [bars.of_dimension(d) for d in dimensions],
        "cocycles": cocycles,
        "num_edges": int((lengths <= longest).sum()),
    }


@dataclass(eq=False)
class Rips:
    """The class of ripser.py that keeps the parameters and the results of :func:`ripser`.

    Parameters
    ----------
    maxdim, thresh, coeff, do_cocycles, n_perm
        As for :func:`ripser`; checked by `transform`.
    verbose : bool, default True
        Whether to print the parameters.

    Attributes
    ----------
    dgms_, cocycles_, dperm2all_, num_edges_, idx_perm_, r_cover_
        Entries of the last result of :func:`ripser`. ``metric_``: its metric.
        None before, and ``r_cover_`` 0.

    Notes
    -----
    Not a subclass of scikit-learn's `TransformerMixin`, whose `set_output` is missing.

    Examples
    --------
    >>> from separatrix.ripser import Rips
    >>> Rips(verbose=False).fit_transform([[0, 0], [1, 0], [1, 1], [0, 1]])[1]
    array([[1.        , 1.41421356]])
    """

    maxdim: int = 1
    thresh: float = np.inf
    coeff: int = 2
    do_cocycles: bool = False
    n_perm: int | None = None
    verbose: bool = True
    dgms_: list[np.ndarray] | None = field(default=None, init=False, repr=False)
    cocycles_: list[list[np.ndarray]] | None = field(default=None, init=False, repr=False)
    dperm2all_: Any = field(default=None, init=False, repr=False)
    metric_: Metric | None = field(default=None, init=False, repr=False)
    num_edges_: int | None = field(default=None, init=False, repr=False)
    idx_perm_: np.ndarray | None = field(default=None, init=False, repr=False)
    r_cover_: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.verbose:
            print(self)

    def transform(
        self,
        X: Any,  # noqa: N803 - ripser.py's name
        distance_matrix: bool = False,
        metric: Metric = "euclidean",
    ) -> list[np.ndarray]:
        """Compute persistence diagrams, and keep all results. See :func:`ripser`."""
        options = (self.maxdim, self.thresh, self.coeff, distance_matrix, self.do_cocycles)
        for name, value in ripser(X, *options, metric, self.n_perm).items():
            setattr(self, f"{name}_", value)
        self.metric_ = metric
        return self.dgms_ or []

    def fit_transform(
        self,
        X: Any,  # noqa: N803
        distance_matrix: bool = False,
        metric: Metric = "euclidean",
    ) -> list[np.ndarray]:
        """Do the same as :meth:`transform`."""
        return self.transform(X, distance_matrix, metric)

    def plot(self, diagrams: Any = None, *args: Any, **kwargs: Any) -> None:
        """Draw diagrams, by default the last ones, with `persim.plot_diagrams`.

        Raises ModuleNotFoundError if the package persim, which ripser.py requires, is missing.
        """
        persim = required("persim", "Charts of ripser.py", "")
        persim.plot_diagrams(self.dgms_ if diagrams is None else diagrams, *args, **kwargs)
