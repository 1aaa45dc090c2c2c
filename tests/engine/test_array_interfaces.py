"""Arrays of other libraries go straight in, by whichever interface they have, and results out."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from reliability.hostile import Converts, Interface, OnlyDLPack

rng = np.random.default_rng(808)
VALUES = rng.random((5, 6, 7))
POINTS = rng.random((40, 3))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS[None], axis=2)


class OnlyCudaArrayInterface:
    def __init__(self, array: Any) -> None:
        self._array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class WithGradients:
    """As PyTorch's tensors that require gradients: there is an interface, and it raises."""

    @property
    def __cuda_array_interface__(self) -> Any:
        raise RuntimeError("requires grad: use var.detach()")


class Elsewhere(OnlyDLPack):
    def __dlpack_device__(self) -> Any:
        return (8, 0)  # Metal


ON_HOST = [OnlyDLPack, Interface, Converts]
ON_GPU = [OnlyDLPack, OnlyCudaArrayInterface]
Kind = Callable[[Any], Any]

TASKS: dict[str, Callable[[Kind], Any]] = {
    "morse_smale": lambda kind: sx.morse_smale(kind(VALUES)).critical.cell_id,
    "persistence_diagram": lambda kind: sx.persistence_diagram(kind(VALUES)).birth,
    "alpha_complex": lambda kind: (
        sx.alpha_complex(kind(POINTS), kind(np.full(40, 0.1))).edges.alpha_value
    ),
    "rips_barcodes": lambda kind: sx.rips_barcodes(kind(POINTS)).death,
    "distances": lambda kind: sx.rips_barcodes(distances=kind(DISTANCES)).death,
    "TetMesh": lambda kind: (
        sx.TetMesh(kind(POINTS), kind(np.arange(40).reshape(10, 4))).relation("VT").to_csr()[1]
    ),
    "density": lambda kind: sx.density(kind(POINTS), kind(np.ones(40)), sigma=0.2).values,
    "reduce": lambda kind: sx.reduce("gaussian", kind(POINTS), kind(POINTS), sigma=0.5),
    "nearest": lambda kind: sx.nearest(kind(POINTS), kind(POINTS), k=3)[1],
}


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ON_GPU)
@pytest.mark.parametrize("task", TASKS)
def test_an_array_on_a_gpu_is_as_good_as_cupys(task, kind, cuda):
    import cupy

    found = TASKS[task](lambda array: kind(cupy.asarray(array)))
    assert type(found) is type(TASKS[task](cupy.asarray))
    np.testing.assert_array_equal(sx.to_host(found), TASKS[task](np.asarray))


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ON_GPU)
def test_nothing_is_copied_on_the_gpu(kind, cuda):
    import cupy

    from separatrix.device.arrays import as_array

    given = cupy.asarray(VALUES)
    assert cupy.may_share_memory(as_array(kind(given), "values"), given)


@pytest.mark.parametrize("kind", ON_HOST)
def test_nothing_is_copied_on_the_host(kind):
    assert np.shares_memory(sx.to_host(kind(VALUES)), VALUES)


def test_results_go_out_by_dlpack():
    found = sx.morse_smale(VALUES, device="cpu")
    results = [
        *(getattr(found.critical, field.name) for field in fields(found.critical)),
        *(getattr(found.arcs, name) for name in ("lower", "upper", "multiplicity")),
        found.segmentation("morse_smale"),
        found.separatrices(1, "ascending").points,
    ]
    arrays = [result for result in results if isinstance(result, np.ndarray)]
    assert len(arrays) >= 8
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("this NumPy's DLPack cannot say that an array is not to be written to")
    for array in arrays:
        assert np.shares_memory(np.from_dlpack(array), array) or not array.size
    assert found.critical.position.__dlpack_device__() == (1, 0)


@pytest.mark.gpu
def test_results_on_a_gpu_go_out_by_dlpack(cuda):
    import cupy

    position = sx.morse_smale(cupy.asarray(VALUES)).critical.position
    assert cupy.may_share_memory(cupy.from_dlpack(position), position)


def test_the_error_of_a_failing_array_interface_is_quoted():
    with pytest.raises(
        sx.InputError, match=r"values must be an array of numbers; .*\(requires grad: "
    ):
        sx.morse_smale(WithGradients())


def test_memory_of_neither_host_nor_cuda_is_rejected():
    with pytest.raises(sx.InputError, match=r"centers must be in host or CUDA memory; .* type 8"):
        sx.alpha_complex(Elsewhere(POINTS), 0.1)


def test_an_array_on_a_gpu_without_cupy_raises_an_error_that_names_cupy():
    if sx.devices()[-1].usable and sx.devices()[-1].name != "cpu":
        pytest.skip("there is a GPU")

    class OnGpu(OnlyDLPack):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(sx.DeviceUnavailable):
        sx.rips_barcodes(OnGpu(POINTS))
