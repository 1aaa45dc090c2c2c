"""The built-in formulas of kernels/sums/pairs.h: parameters, descriptions, and expressions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from ..kernels import source
from .expression import names_in


@dataclass(frozen=True)
class Formula:
    """A built-in formula with its parameters, which are lengths.

    `expression` reads ``p``, which is computed from the parameters; see `description`.
    """

    name: str
    expression: str
    parameters: tuple[str, ...]
    description: str

    @cached_property
    def reads_values(self) -> bool:
        """Whether it reads ``b``; otherwise a sum multiplies it by the values."""
        return "b" in names_in(self.expression)


class Formulas(dict[str, Formula]):
    """Formulas by name, printed one per line."""

    def __repr__(self) -> str:
        called = [f"{name}({', '.join(formula.parameters)})" for name, formula in self.items()]
        width = max(map(len, called), default=0)
        lines = zip(called, self.values(), strict=True)
        return "\n".join(f"{call:{width}}  {formula.description}" for call, formula in lines)


ROWS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "squared_distance": ((), (), "squared distance d2"),
    "distance": ((), (), "distance sqrt(d2)"),
    "gaussian": (("1 / (2 * sigma * sigma)",), ("sigma",), "exp(-d2 / (2 sigma^2))"),
    "shifted_gaussian": (
        (
            "1 / (2 * sigma * sigma)",
            "cutoff * cutoff",
            "exp(-(1 / (2 * sigma * sigma)) * cutoff * cutoff)",
        ),
        ("sigma", "cutoff"),
        "exp(-d2 / (2 sigma^2)) - exp(-cutoff^2 / (2 sigma^2)) up to the cutoff, 0 beyond: no step",
    ),
    "laplacian": (("1 / sigma",), ("sigma",), "exp(-sqrt(d2) / sigma)"),
    "power": ((), (), "power distance d2 - b[0], b[0] the squared radius of y"),
    "within": (("radius * radius",), ("radius",), "1 if d2 <= radius^2, else 0"),
    "wendland": (
        ("1 / radius", "radius * radius"),
        ("radius",),
        "(1 - q)^4 (4 q + 1) with q = sqrt(d2) / radius, 0 from q = 1 on (Wendland 1995, C2)",
    ),
}


def formulas() -> dict[str, Formula]:
    """Return the built-in formulas by name; when printed, with their descriptions.

    Returns
    -------
    dict of str to Formula

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.formulas()["gaussian"].parameters
    ('sigma',)
    """
    return Formulas((name, formula_of(name)) for name in ROWS)


@cache
def formula_of(name: str) -> Formula:
    """Return the formula of a name in ROWS."""
    _, parameters, description = ROWS[name]
    return Formula(name, source.formulas()[name], parameters, description)
