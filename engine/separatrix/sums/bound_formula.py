"""A formula with its numbers and the C++ text of the formula."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .generate import Layout, statements
from .tree import FormulaError, Node, entries, in_order


@dataclass(frozen=True)
class BoundFormula:
    """A formula with its numbers."""

    name: str | None  # of a built-in formula
    expression: str
    p: tuple[float, ...]
    tree: Node
    layout: Layout  # place of each variable, for the C++ text
    n_dimensions: int
    is_swapped: bool  # axis 0: rows are y, columns are x
    code: str = ""  # C++ text of an expression

    @cached_property
    def reads_values(self) -> bool:
        """Whether it reads ``b``; otherwise a sum multiplies it by the values."""
        nodes = (node for node in in_order(self.tree) if node.op == "variable")
        return any(self.layout[node.name][0] == "b" for node in nodes)

    @cached_property
    def reads_points(self) -> bool:
        """Whether it reads more of the points than their squared distance."""
        return re.search(r"\b[xyij]\b", self.code) is not None

    @cached_property
    def reads_products(self) -> bool:
        """Whether it reads squared distances, whose range is checked."""
        return any(node.op == "dot" for node in in_order(self.tree))

    def results(self, first: int, end: int) -> BoundFormula:
        """Return the formula of some of its components."""
        part = entries(self.tree, first, end - first)
        return bind_formula(
            part, self.expression, self.p, self.layout, self.n_dimensions, 1 - self.is_swapped
        )

    @property
    def text(self) -> str:
        """Text that replaces sums/written.h, before the shape of the problem."""
        if self.name is not None:
            return f"typedef formulas::{self.name} PairFormula;\n"
        opens = "FORMULA_OPENS_SWAPPED" if self.is_swapped else "FORMULA_OPENS"
        return (
            f'{opens}(written)\n#line 1 "formula"\n{self.code}\n'
            '#line 1 "written.h"\nFORMULA_CLOSES\ntypedef formulas::written PairFormula;\n'
        )


def bind_formula(
    tree: Node,
    expression: str,
    p: tuple[float, ...],
    layout: Layout,
    n_dimensions: int,
    axis: int,
) -> BoundFormula:
    """Return the formula of a tree; raises FormulaError. `expression` names it in errors."""
    lines, values = statements(tree, layout, n_dimensions, p)
    if not values:
        raise FormulaError("its value has no components")
    result = values[0] if tree.dimension == 1 else _several(values)
    code = "\n".join([*lines, f"return {result};"])
    return BoundFormula(None, expression, p, tree, layout, n_dimensions, axis == 0, code)


def _several(values: list[str]) -> str:
    return f"Several<real, {len(values)}>{{{{{', '.join(values)}}}}}"
