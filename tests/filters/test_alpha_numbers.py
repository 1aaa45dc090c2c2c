"""Numbers of atoms that overflow or are none: one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from filters.point_sets import polydata_of
from filters.test_alpha_inputs import CENTERS, refused


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30])
def test_an_atomic_number_that_is_none_is_refused(number: float):
    data = polydata_of(CENTERS, atom_type=np.array([6.0, number, 8.0, 16.0]))
    assert "must be an array of atomic numbers" in refused(data)


def test_radii_whose_squares_overflow_are_refused_in_one_sentence():
    told = refused(polydata_of(CENTERS, radius=np.full(4, 1e300)))
    assert told.startswith("radii must be at most")
