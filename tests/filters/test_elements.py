"""Elements: their radii, overrides, and recognition by name."""

import numpy as np
import pytest

import separatrix as sx
from oracles.molecules import RADIUS
from separatrix_vtk.io.molecules.elements import (
    NUMBER_OF,
    SYMBOLS,
    by_columns,
    by_name,
    radii_in,
    radii_of,
)


def test_radii_are_bondis_and_two_angstrom_otherwise():
    numbers = np.arange(1, len(SYMBOLS))
    expected = [RADIUS.get(SYMBOLS[n].upper(), 2.0) for n in numbers]
    np.testing.assert_array_equal(radii_of(numbers), expected)
    assert radii_of(np.array([NUMBER_OF["D"]], np.uint8))[0] == 1.2
    assert radii_of(np.zeros(0, int)).shape == (0,)


def test_an_override_takes_precedence_and_supports_unknown_elements():
    overrides = radii_in("fe=2.05; N 1.6, X: 1.7")
    assert overrides == {26: 2.05, 7: 1.6, 0: 1.7}
    radii = radii_of(np.array([26, 7, 0, 6]), overrides)
    np.testing.assert_array_equal(radii, [2.05, 1.6, 1.7, 1.7])
    assert radii_of(np.array([26])) == [2.0]  # the table itself is as it was
    assert radii_in("") == {}


WRONG_TABLES = {
    "Fe=two": "got 'Fe=two'. 'two' is not a number.",
    "Qq=1": "'Qq' is not an element; X is the unknown element.",
    "C1.7": "such as 'C=1.7, FE=2.05'; got 'C1.7'. 'C1.7' is not an element with a radius.",
    "C=1.7 O=": "'O=' is not an element with a radius.",
}


@pytest.mark.parametrize("text", WRONG_TABLES)
def test_invalid_overrides_of_radii_are_rejected(text):
    with pytest.raises(sx.InputError) as reported:
        radii_in(text)
    assert WRONG_TABLES[text] in str(reported.value)


def test_unknown_elements_and_invalid_radii_are_rejected():
    with pytest.raises(
        sx.InputError, match=r"The element of atom 1 is unknown \(atomic number 0; 2 such"
    ):
        radii_of(np.array([6, 0, 200]))
    for radius in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(
            sx.InputError, match=r"positive and finite; got radius_overrides\['C'\] = "
        ):
            radii_of(np.array([6]), {6: radius})
    with pytest.raises(sx.InputError, match=r"given for atomic numbers from 0 to 118; got 200."):
        radii_of(np.array([6]), {200: 1.0})


NAMES = {  # record, name, residue, element's columns -> atomic number
    ("ATOM  ", "HG11", "VAL", ""): 1,
    ("ATOM  ", "HE21", "GLN", ""): 1,
    ("ATOM  ", "HO5'", "DA ", ""): 1,
    ("HETATM", "HG21", "LIG", ""): 1,
    ("ATOM  ", "1HB ", "ALA", ""): 1,
    ("ATOM  ", "CA  ", "ALA", ""): 6,
    ("ATOM  ", " CA ", "ALA", ""): 6,
    ("ATOM  ", "NE2 ", "GLN", ""): 7,
    ("HETATM", "CA  ", " CA", ""): 20,
    ("ATOM  ", "CA  ", " CA", ""): 20,
    ("HETATM", "HG  ", " HG", ""): 80,
    ("HETATM", "CL1 ", "LIG", ""): 17,
    ("ATOM  ", "FE  ", "HEM", ""): 26,
    ("ATOM  ", "SE  ", "MSE", ""): 34,
    ("ATOM  ", "SG  ", "CYS", ""): 16,
    ("ATOM  ", " N  ", "ALA", "71"): 7,  # a line's number of old files
    ("HETATM", "FE  ", "HEM", "FE"): 26,
    ("ATOM  ", " D  ", "DOD", " D"): 1,
    ("HETATM", " X1 ", "UNX", " X"): 0,
}


@pytest.mark.parametrize("key", NAMES, ids=" ".join)
def test_elements_are_recognized_by_names_in_their_columns(key):
    record, name, residue, element = key
    assert by_columns(name, residue, record == "HETATM", element) == NAMES[key]


def test_elements_are_recognized_by_names_without_columns():
    found = {name: by_name(*name.split()) for name in (
        "CA ALA", "CA CA", "NA NA", "HG11 VAL", "1HB ALA", "FE HEM", "ZN ZN2", "CL CL-", "SD MET",
        "P DA", "CD GLN", "OXT GLY",
    )}  # fmt: skip
    assert found == {
        "CA ALA": 6, "CA CA": 20, "NA NA": 11, "HG11 VAL": 1, "1HB ALA": 1, "FE HEM": 26,
        "ZN ZN2": 30, "CL CL-": 17, "SD MET": 16, "P DA": 15, "CD GLN": 6, "OXT GLY": 8,
    }  # fmt: skip
