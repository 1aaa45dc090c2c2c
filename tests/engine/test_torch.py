"""Reductions as functions of PyTorch, against dense PyTorch in float64 and finite differences."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx

torch = pytest.importorskip("torch")

RADIUS = 0.7


def tensors(axis: int) -> dict[str, Any]:
    torch.manual_seed(0)
    made = {
        "x": torch.rand(6, 2, dtype=torch.float64),
        "y": torch.rand(5, 2, dtype=torch.float64),
        "values": torch.rand(5 if axis == 1 else 6, 2, dtype=torch.float64) + 0.1,
        "sigma": torch.tensor(0.4, dtype=torch.float64),
    }
    return {name: tensor.requires_grad_() for name, tensor in made.items()}


def dense(of: dict[str, Any], reduction: str, axis: int) -> Any:
    d2 = ((of["x"][:, None] - of["y"][None]) ** 2).sum(2)
    pairs = torch.exp(-d2 / (2 * of["sigma"] ** 2))
    pairs, mask = (pairs, d2 <= RADIUS**2) if axis == 1 else (pairs.T, d2.T <= RADIUS**2)
    if reduction == "sum":
        return (pairs * mask) @ of["values"]
    return torch.log((torch.exp(pairs) * mask) @ of["values"])


def over_pairs(of: dict[str, Any], reduction: str, axis: int) -> Any:
    options = {"radius": RADIUS, "reduction": reduction, "axis": axis, "device": "cpu"}
    return sx.torch_reduce("gaussian", **of, **options)


@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("reduction", ["sum", "logsumexp"])
def test_results_and_two_derivatives_are_those_of_pytorch(reduction, axis):
    of = tensors(axis)
    found, expected = (f(of, reduction, axis) for f in (over_pairs, dense))
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    weight = torch.rand_like(expected)
    slopes, curvatures = [], []
    for result in (found, expected):
        slope = torch.autograd.grad((result * weight).sum(), of.values(), create_graph=True)
        slopes.append(slope)
        square = sum((each**2).sum() for each in slope)
        curvatures.append(torch.autograd.grad(square, of.values()))
    for first, second in (slopes, curvatures):
        for one, other in zip(first, second, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_variables_and_parameters_pass_pytorchs_checks():
    torch.manual_seed(1)
    made = [torch.rand(n, d, dtype=torch.float64) for n, d in ((4, 3), (3, 3), (4, 1), (3, 2))]
    made.append(torch.tensor([0.5, 2.0], dtype=torch.float64))
    made = [tensor.requires_grad_() for tensor in made]

    def function(x, y, s, w, p):
        return sx.torch_reduce(
            "s * w[1] * (x + p[0]) * exp(-p[1] * d2)", x, y, of_x={"s": s}, of_y={"w": w},
            parameters={"p": p}, device="cpu",
        )  # fmt: skip

    assert torch.autograd.gradcheck(function, made)
    assert torch.autograd.gradgradcheck(function, made)


def test_plain_arrays_are_constants():
    x = torch.rand(4, 3, requires_grad=True)
    result = sx.torch_reduce("distance", x, np.zeros((2, 3), np.float32), device="cpu")
    result.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach() / x.detach().norm(dim=1, keepdim=True))


@pytest.mark.gpu
def test_tensors_on_a_gpu_remain_there(cuda):
    x = torch.rand(40, 3, device="cuda", requires_grad=True)
    on_gpu = sx.torch_reduce("gaussian", x, x.detach(), sigma=0.5)
    on_gpu.sum().backward()
    host = x.detach().cpu().requires_grad_()
    on_cpu = sx.torch_reduce("gaussian", host, host.detach(), sigma=0.5, device="cpu")
    on_cpu.sum().backward()
    assert on_gpu.is_cuda
    assert x.grad.is_cuda
    np.testing.assert_array_equal(on_gpu.detach().cpu(), on_cpu.detach())
    np.testing.assert_array_equal(x.grad.cpu(), host.grad)
