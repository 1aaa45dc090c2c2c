"""Formulas of pairs from arithmetic with variables; reductions compute them (KeOps' LazyTensor)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from ..arguments import is_one_of
from ..device import Array, to_host
from ..errors import InputError, shown
from ..results import ReprMixin
from .evaluate import evaluate
from .expression import did_you_mean
from .gradient import gradient
from .pair_arguments import Arguments, arguments_of, check_alike, variable_of, variables_in
from .reduce import reduce
from .reductions import REDUCTIONS
from .tree import (
    FUNCTIONS,
    PARAMETER,
    REAL,
    FormulaError,
    Node,
    X,
    Y,
    binary,
    call,
    constant,
    entries,
    negation,
    negative,
)

_METHODS = {name: name for name in FUNCTIONS if name not in ("sum", "min", "max", "real")}
_METHODS |= {"minimum": "min", "maximum": "max"}


def _operator(sign: str, is_reversed: bool = False) -> Callable[[Any, Any], PairFormula]:
    """Return a method that builds the formula of an operator."""

    def method(self: PairFormula, other: Any) -> PairFormula:
        def build(a: Node, b: Node) -> Node:
            return binary(sign, b, a) if is_reversed else binary(sign, a, b)

        return self._with(build, other)

    return method


@dataclass(frozen=True, eq=False, repr=False)
class PairFormula(ReprMixin):
    """A formula of all pairs of points, computed when it is reduced.

    Arithmetic (``+ - * / **``), comparisons, ``&``, ``|``, and ``~`` build it by component, with
    numbers, arrays of parameters, and other formulas. ``a | b`` of vectors is their dot product, as
    in KeOps. The functions of formulas (see :func:`separatrix.reduce`) are methods: ``a.exp()``,
    ``a.clamp(low, high)``, ``condition.where(a, b)``, ``a.dot(b)``, ``a.norm()``,
    ``a.squared_distance(b)``, ``a.concat(b)``, and ``a.minimum(b)``. ``a[0]`` and ``a[0:2]`` are
    components. Floats are parameters, so other values do not compile a formula again.

    Reductions are methods, too: ``a.mean(axis)``, ``a.argkmin(k, axis)``, and so on, as in
    :meth:`reduce`. They take the other keywords of :func:`separatrix.reduce`, such as
    ``pattern=`` and ``device=``. A radius, also of a pattern, is that of the first squared distance
    between a variable of axis 0 and one of axis 1.

    Attributes
    ----------
    tree : Node
    arrays : dict of str to array
        The variables of the tree by name.
    ranges : BlockPattern or KeOps' six arrays, or None
        Default of ``pattern=``; see :meth:`within`.
    """

    tree: Node
    arrays: dict[str, Array]
    ranges: Any = None

    __array_ufunc__ = None  # so that NumPy arrays leave operators to this class

    @property
    def shape(self) -> tuple[int, ...]:
        """(M, N), or (M, N, d) for d components; 1 for an axis without variables."""
        sizes = {n.owner: len(self.arrays[n.name]) for n in variables_in(self.tree)}
        d = self.tree.dimension
        return (sizes.get(X, 1), sizes.get(Y, 1)) + ((d,) if d > 1 else ())

    def _summary(self) -> str:
        return f"shape {self.shape}"

    def within(self, ranges: Any) -> PairFormula:
        """Return the formula of the pairs of a BlockPattern, or of KeOps' six arrays."""
        return replace(self, ranges=ranges)

    def to_dense(self) -> np.ndarray:
        """Return all values by NumPy in float64, an array of `shape`, to check a formula."""
        arrays = {name: to_host(array) for name, array in self.arrays.items()}
        return evaluate(self.tree, arrays, *self.shape[:2]).reshape(self.shape)

    # === operations
    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.endswith("kmin") and name in REDUCTIONS:
            return lambda k, axis=1, **options: self.reduce(name, axis, k=k, **options)
        if name in REDUCTIONS:
            return partial(self.reduce, name)
        if name not in _METHODS:
            hint = did_you_mean(name, (*dir(PairFormula), *REDUCTIONS, *_METHODS))
            raise AttributeError(f"a PairFormula has no attribute {name!r}. {hint}".rstrip())
        return lambda *others: self._with(lambda *nodes: call(_METHODS[name], *nodes), *others)

    def _with(self, build: Callable[..., Node], *others: Any) -> PairFormula:
        """Return the formula of a node that is built from this one and others."""
        formulas = [self, *(_formula(other) for other in others)]
        arrays = {name: array for each in formulas for name, array in each.arrays.items()}
        try:
            tree = build(*(each.tree for each in formulas))
        except FormulaError as error:
            raise InputError(f"The formula is not valid: {error}.") from None
        check_alike(arrays)
        ranges = next((each.ranges for each in formulas if each.ranges is not None), None)
        return PairFormula(tree, arrays, ranges)

    def __neg__(self) -> PairFormula:
        return self._with(negative)

    def __abs__(self) -> PairFormula:
        return self._with(lambda a: call("abs", a))

    def __invert__(self) -> PairFormula:
        return self._with(negation)

    __add__ = __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-"), _operator("-", is_reversed=True)
    __mul__ = __rmul__ = _operator("*")
    __rtruediv__ = _operator("/", is_reversed=True)
    __rpow__ = _operator("**", is_reversed=True)
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("<", "<=", ">", ">="))
    __eq__, __ne__ = _operator("=="), _operator("!=")  # type: ignore[assignment]
    __hash__ = object.__hash__
    __and__ = _operator("&&")

    def __truediv__(self, other: Any) -> PairFormula:
        if isinstance(other, Real) and other:
            return self * (1 / float(other))
        return _operator("/")(self, other)

    def __pow__(self, other: Any) -> PairFormula:
        if isinstance(other, Real) and other == 0.5:
            return self.sqrt()
        is_whole = isinstance(other, Real) and float(other).is_integer()
        return _operator("**")(self, int(other) if is_whole else other)

    def __or__(self, other: Any) -> PairFormula:
        """Return the dot product of real operands, and the logical or of comparisons."""
        other = _formula(other)
        is_real = REAL in (self.tree.kind, other.tree.kind)
        return self.dot(other) if is_real else _operator("||")(self, other)

    def __bool__(self) -> bool:
        raise TypeError("a PairFormula has no truth value; combine comparisons by & and |")

    def __getitem__(self, key: int | slice) -> PairFormula:
        """Return one component, or those of a slice without a step."""
        n = self.tree.dimension
        if isinstance(key, slice) and key.step in (None, 1):
            first, end, _ = key.indices(n)
        elif isinstance(key, int):
            first = key % n if -n <= key < n else key
            end = first + 1
        else:
            raise InputError("key", "an integer or a slice of components", shown(key))
        return self._with(lambda a: entries(a, first, end - first))

    __iter__ = None  # not a sequence, although it has components

    # === reductions
    def reduce(self, reduction: str, axis: int = 1, values: Any = None, **options: Any) -> Any:
        """Reduce over the points of an axis, as :func:`separatrix.reduce` does.

        Parameters
        ----------
        reduction : str
            See :func:`separatrix.reduce`.
        axis : {1, 0}
            1: over the points y, one result per point x. 0: the reverse.
        values : (n,) or (n, E) array_like, optional
            Factors or weights of the points of the axis.
        **options
            ``k``, ``pattern``, ``radius``, ``accumulate``, ``math``, ``device``, ``threads``,
            ``memory_limit``, and ``progress`` of :func:`separatrix.reduce`.

        Returns
        -------
        array (n_results,), (n_results, d) for d components, and so on
        """
        formula, values = self._weighted(reduction, axis, values)
        arguments, keywords, _ = formula._arguments(axis, values, options)
        return reduce(*arguments, reduction=reduction, **keywords)

    def gradient(
        self,
        of: PairFormula | Sequence[PairFormula],
        reduction: str = "sum",
        axis: int = 1,
        values: Any = None,
        **options: Any,
    ) -> Any:
        """Return the gradient of a reduction with respect to variables.

        Parameters
        ----------
        of : PairFormula, or sequence of them
            Variables of the formula, as :func:`separatrix.variables` returns them.
        reduction : {"sum", "logsumexp"}
        axis, values
            See :meth:`reduce`.
        **options
            ``upstream`` and others of :func:`separatrix.gradient`.

        Returns
        -------
        array (n, d), or list of them
        """
        formula, values = self._weighted(reduction, axis, values)
        arguments, keywords, names = formula._arguments(axis, values, options)
        each = [of] if isinstance(of, PairFormula) else list(of)
        if not all(one.tree.name in names for one in each):
            raise InputError("of", "variables of the formula", shown(of))
        wrt = [names[one.tree.name] for one in each]
        found = gradient(*arguments, wrt=wrt, reduction=reduction, **keywords)
        return found[wrt[0]] if isinstance(of, PairFormula) else [found[name] for name in wrt]

    def _weighted(self, reduction: str, axis: int, values: Any) -> tuple[PairFormula, Any]:
        """Return the formula and the arrays of values of a reduction with values or a formula."""
        if not isinstance(values, PairFormula):
            return self, values
        if reduction == "logsumexp":
            return self + values.log(), None
        if reduction != "softmax":
            return self * values, None
        if values.tree.op != "variable" or values.tree.owner != axis:
            raise InputError("values", f"an array, or a variable of axis {axis}", shown(values))
        return self, values.arrays[values.tree.name]

    def _arguments(self, axis: int, values: Any, options: dict[str, Any]) -> Arguments:
        if options.get("pattern") is None:
            options["pattern"] = self.ranges
        return arguments_of(self.tree, self.arrays, axis, values, options)

    def __matmul__(self, values: Any) -> Any:
        """Return the sums over y of the formula times values (N,) or (N, E), or a variable."""
        if self.tree.dimension > 1 and not isinstance(values, PairFormula):
            values = variables(values, Y)
        return self.reduce("sum", 1, values)

    def sum(self, axis: int = -1, **options: Any) -> Any:
        """Return the formula of the sum of components (axis -1 or 2), or reduce to sums."""
        if is_one_of(axis, (-1, 2)):
            return self._with(lambda a: call("sum", a))
        return self.reduce("sum", axis, **options)

    def logsumexp(self, axis: int = 1, weights: Any = None, **options: Any) -> Any:
        """Reduce to logarithms of sums of exponentials, times weights (n,) if given."""
        return self.reduce("logsumexp", axis, weights, **options)


def _formula(operand: Any) -> PairFormula:
    if isinstance(operand, PairFormula):
        return operand
    if isinstance(operand, (bool, np.bool_)):
        return PairFormula(constant(bool(operand)), {})
    if isinstance(operand, (int, np.integer)):
        return PairFormula(constant(int(operand)), {})
    if operand is None or isinstance(operand, str) or np.ndim(operand) > 1:
        expected = "a number, a vector of parameters, or a formula"
        raise InputError("operand", expected, shown(operand), "Name its axis by sx.variables().")
    return variables(operand, PARAMETER)


def variables(data: Any, axis: int | None = None) -> PairFormula:
    """Return points, or values of points, as a variable of formulas of all pairs.

    Parameters
    ----------
    data : (n,) or (n, d) float32 or float64 array_like
        For axis 2: a number or (d,) numbers. Without axis: (M, 1, d) for axis 0, (1, N, d) for
        axis 1.
    axis : {0, 1, 2}
        0: of the points x, one per row of the matrix of pairs. 1: of the points y, one per column.
        2: parameters, equal for all pairs.

    Returns
    -------
    PairFormula

    Raises
    ------
    InputError
        If the shape, the dtype, or the axis is invalid.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> x, y = np.zeros((4, 3)), np.ones((5, 3))
    >>> xi, yj = sx.variables(x, axis=0), sx.variables(y, axis=1)
    >>> K = (-((xi - yj) ** 2).sum(-1) / 6.0).exp()
    >>> K.shape
    (4, 5)
    >>> (K @ np.ones(5)).round(3).tolist()
    [3.033, 3.033, 3.033, 3.033]
    """
    node, array = variable_of(data, axis)
    return PairFormula(node, {node.name: array})
