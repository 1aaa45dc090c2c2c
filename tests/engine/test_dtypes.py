"""Every real dtype and memory layout is compared natively, which preserves ties and order."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import Field, noise_fields
from oracles.lower_star import image_gradient

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64", "longdouble"]
LARGEST_EVEN_FLOAT = 2**53


def codes(values: Any, device: str) -> list[int]:
    return sx.to_host(sx.discrete_gradient(values, device=device).codes()).ravel().tolist()


def oracle_codes(values: Field) -> list[int]:
    return image_gradient(values).codes()


def ladder(dtype: str) -> Field:
    """Neighbors at both ends of a dtype, around zero, and where float32 would merge them."""
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        near = [limits.min, limits.min + 1, limits.max - 1, limits.max]
        near += [0, 1, 2, 2**24, 2**24 + 1, LARGEST_EVEN_FLOAT, LARGEST_EVEN_FLOAT + 1]
        near += [-1, -2, -(2**24) - 1, -LARGEST_EVEN_FLOAT - 1, 2**63 - 1, 2**63, 2**63 + 1]
        return np.array([n for n in near if limits.min <= n <= limits.max], dtype)
    limits = np.finfo(dtype)
    zero, one = np.zeros((), dtype)[()], np.ones((), dtype)[()]
    denormal = np.nextafter(zero, one)
    near = [zero, -zero, denormal, -denormal, denormal + denormal, limits.tiny, one, -one]
    near += [np.nextafter(one, zero), np.nextafter(one, one + one), limits.max, limits.min]
    near += [np.nextafter(limits.max, zero), np.nextafter(limits.min, zero)]
    return np.array(near, dtype)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_neighboring_numbers_of_a_dtype_are_distinguished(device, dtype):
    numbers = ladder(dtype)
    random = np.random.default_rng(51)
    for shape in [(40,), (9, 8), (5, 6, 4), (3, 3, 3)] * 10:
        values = random.choice(numbers, shape)
        gradient = sx.discrete_gradient(values, device=device)
        expected = image_gradient(values)
        assert sx.to_host(gradient.codes()).ravel().tolist() == expected.codes()
        owners = [expected.grid.point(expected.grid.owner(c)) for c in expected.critical]
        found = sx.to_host(gradient.critical.value)
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, values.ravel()[owners])


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "bool"])
def test_the_same_numbers_give_the_same_gradient_in_every_dtype(device, dtype):
    for values in noise_fields(60, seed=52):
        if dtype == "bool":
            values = values % 2
        assert codes(values.astype(dtype), device) == oracle_codes(values)


@pytest.mark.parametrize("dtype", [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", "<f4", "<u8"])
def test_the_byte_order_does_not_matter(device, dtype):
    for small in noise_fields(30, seed=53):
        values = (small * np.int64(300)).astype(dtype)  # both bytes of two are needed
        found = sx.discrete_gradient(values, device=device)
        assert sx.to_host(found.codes()).ravel().tolist() == oracle_codes(small)
        owners = sx.to_host(found.critical.vertex)
        assert sx.to_host(found.critical.value).tolist() == values.ravel()[owners].tolist()
        assert found.critical.value.dtype.isnative


def test_lists_and_other_sequences_are_accepted_as_arrays(device):
    assert codes([[0, 1], [2, 3]], device) == [7, 1, 2, 3, 3, 3, 4, 4, 4]
