"""Sums and log-sum-exps over pairs as differentiable functions of PyTorch's tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ..device import Array, is_on_gpu
from .call import Call
from .gradient import (
    check_differentiable,
    derivative,
    sum_to_differentiate,
    upstream_name,
    variables_of,
)
from .reduce import checked_call
from .tree import PARAMETER
from .weighted import LOG_SUM, result_of


def torch_reduce(
    formula: str,
    x: Any,
    y: Any,
    values: Any = None,
    *,
    of_x: Mapping[str, Any] | None = None,
    of_y: Mapping[str, Any] | None = None,
    reduction: str = "sum",
    pattern: Any = None,
    radius: float | None = None,
    boxsize: Any = None,
    axis: int = 1,
    parameters: Any = (),
    accumulate: str | None = None,
    math: str = "exact",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    **named: Any,
) -> Any:
    """Reduce a formula over pairs of points to a tensor that PyTorch differentiates.

    Parameters
    ----------
    formula, x, y, values, of_x, of_y, pattern, radius, boxsize, axis, parameters, accumulate, math
        See :func:`separatrix.reduce`. Points, values, variables, and parameters may be tensors,
        with gradients or without.
    reduction : {"sum", "logsumexp"}
    device, threads, memory_limit
        See :func:`separatrix.morse_smale`. A tensor on a GPU is reduced there.

    Returns
    -------
    torch.Tensor on the device of `x`
        Its derivatives of any order are sums over the pairs; see :func:`separatrix.gradient`.

    Raises
    ------
    InputError
        As :func:`separatrix.reduce`.
    ModuleNotFoundError
        If PyTorch is not installed.

    Notes
    -----
    A ``torch.autograd.Function`` whose backward pass is another one. O(pairs) for each derivative.

    Examples
    --------
    >>> import torch, separatrix as sx
    >>> x = torch.ones(1, 2, requires_grad=True)
    >>> sx.torch_reduce("squared_distance", x, torch.zeros(3, 2)).sum().backward()
    >>> x.grad.tolist()
    [[6.0, 6.0]]
    """
    check_differentiable(reduction)
    given = {"x": x, "y": y, "b": values, **(of_x or {}), **(of_y or {})}
    given |= parameters if isinstance(parameters, Mapping) else {"p": parameters}
    given |= named
    if isinstance(parameters, Mapping):
        parameters = {name: _numbers(each) for name, each in parameters.items()}
    else:
        parameters = _numbers(parameters)
    checked = partial(
        checked_call, formula, _detached(x), _detached(y), _detached(values),
        of_x={name: _detached(each) for name, each in (of_x or {}).items()},
        of_y={name: _detached(each) for name, each in (of_y or {}).items()},
        reduction=reduction, pattern=pattern, radius=radius, boxsize=boxsize, axis=axis,
        parameters=parameters, k=None, accumulate=accumulate, math=math, device=device,
        threads=threads, memory_limit=memory_limit, progress=None, caller=torch_reduce,
    )  # fmt: skip
    call = checked({name: _numbers(number) for name, number in named.items()})
    symbolic = checked({name: _numbers(number) for name, number in named.items()}, in_lengths=True)

    def task(result: Array) -> Call:
        return sum_to_differentiate(symbolic, result if reduction == "logsumexp" else None)

    tensors = {name: each for name, each in given.items() if hasattr(each, "requires_grad")}
    names = (*tensors, *[LOG_SUM] * (reduction == "logsumexp"))
    return _function().apply(lambda: result_of(call), task, names, *tensors.values())


def _detached(data: Any) -> Any:
    return data.detach() if hasattr(data, "requires_grad") else data


def _numbers(data: Any) -> Any:
    return data.detach().tolist() if hasattr(data, "requires_grad") else data


@cache
def _function() -> Any:
    """Return the torch.autograd.Function of a sum or log-sum-exp."""
    import torch

    class OverPairs(torch.autograd.Function):
        """A result of pairs; `task` is the sum that is differentiated, given the result.

        `names` are the variables that the tensors are. A last one without a tensor is the result.
        """

        @staticmethod
        def forward(
            context: Any,
            compute: Callable[[], Array],
            task: Callable[[Array], Call],
            names: Sequence[str],
            *tensors: Any,
        ) -> Any:
            array = compute()
            on_gpu = is_on_gpu(array)
            tensor = torch.from_dlpack(array) if on_gpu else torch.from_numpy(np.array(array))
            tensor = tensor.to(tensors[0].device)
            context.task, context.names = partial(task, array), names
            context.save_for_backward(*tensors, *[tensor] * (len(names) - len(tensors)))
            return tensor

        @staticmethod
        def backward(context: Any, upstream: Any) -> Any:
            summed, names, tensors = context.task(), context.names, context.saved_tensors
            needs = context.needs_input_grad[3:]
            return (
                *(None, None, None),
                *(
                    _derived(summed, names, tensors, k, upstream) if needs[k] else None
                    for k in range(len(needs))
                ),
            )

    def _derived(summed: Call, names: Sequence[str], tensors: Any, k: int, upstream: Any) -> Any:
        """Return the derivative with respect to tensor k, as a function of all of them."""
        part = derivative(summed, names[k], _detached(upstream))
        if part is None:
            return None
        names = (*names, upstream_name(summed))
        found = OverPairs.apply(part.result, lambda _: part, names, *tensors, upstream)
        owner, _ = variables_of(summed)[names[k]]
        found = found.sum(0) if owner == PARAMETER else found
        return found.reshape(tensors[k].shape).to(tensors[k])

    return OverPairs
