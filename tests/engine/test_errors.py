"""Errors are one line for people and data for front ends, which spell the parameters."""

import pickle

import numpy as np
import pytest

import separatrix as sx
from separatrix.errors import LONGEST, SeparatrixError, Words


def in_shell(name: str, value: str = "") -> str:
    """Spell a parameter as an option of the shell."""
    return f"--{name.replace('_', '-')} {value}".strip()


def test_an_error_contains_the_expected_and_the_given_value_and_a_remedy():
    error = sx.InputError("order", "'index' or 'plateau'", "platau", "Did you mean 'plateau'?")
    assert str(error) == "order must be 'index' or 'plateau'; got 'platau'. Did you mean 'plateau'?"
    assert str(sx.InputError("k", "positive", 0)) == "k must be positive; got 0."


def test_an_error_about_elements_names_the_first_and_counts_them():
    error = sx.InputError("radii", "positive", np.float64(-0.1), where="[17]", count=3)
    assert str(error) == "radii must be positive; got radii[17] = -0.1 (3 invalid values)."
    one = sx.InputError("values", "finite", float("nan"), where="[0, 2]", count=1)
    assert str(one) == "values must be finite; got values[0, 2] = nan (1 invalid value)."


def test_a_description_of_the_value_is_shown_without_quotes():
    error = sx.InputError("points", "an array of shape (n, 3)", Words("shape (3, 4)"))
    assert str(error) == "points must be an array of shape (n, 3); got shape (3, 4)."


def test_front_ends_spell_the_parameters_of_all_parts_their_own_way():
    error = sx.InputError("persistence", "at most 1 if {relative=True}", 3, "Omit {relative}.")
    assert str(error) == "persistence must be at most 1 if relative=True; got 3. Omit relative."
    assert error.render(in_shell) == (
        "--persistence must be at most 1 if --relative True; got 3. Omit --relative."
    )


def test_a_message_about_several_parameters_uses_the_names_of_the_front_end():
    error = sx.InputError("{work_limit} and {epsilon} cannot be combined.")
    assert str(error) == "work_limit and epsilon cannot be combined."
    assert error.render(in_shell) == "--work-limit and --epsilon cannot be combined."
    assert str(sx.InputError("values hold {1, 2}")) == "values hold {1, 2}"


@pytest.mark.parametrize(
    "kind", [sx.InputError, sx.DeviceMemoryError, sx.DeviceUnavailable, sx.KernelError]
)
def test_every_error_has_a_message_and_a_base_class_and_can_be_pickled(kind):
    error = pickle.loads(pickle.dumps(kind("{device} failed.")))
    assert type(error) is kind
    assert str(error) == "device failed."
    assert error.render(in_shell) == "--device failed."
    assert isinstance(error, SeparatrixError)


def test_data_survive_pickling():
    error = sx.InputError("radii", "positive", (1, -1.0), "Omit {probe}.", where="[1]", count=2)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.parameter, copy.expected, copy.got) == ("radii", "positive", (1, -1.0))
    assert (copy.remedy, copy.where, copy.count) == ("Omit {probe}.", "[1]", 2)
    memory = sx.DeviceMemoryError("Out of memory.", needed=9, free=4)
    again = pickle.loads(pickle.dumps(memory))
    assert (again.needed, again.free) == (9, 4)


def test_an_error_is_one_short_line_without_references_to_arrays():
    array = np.zeros(100_000)
    error = sx.InputError("points", "an array\nof points", array, "x" * 1000)
    assert "\n" not in str(error)
    assert len(str(error)) <= LONGEST
    assert not isinstance(error.got, np.ndarray)
    assert isinstance(sx.InputError("f", "callable", lambda: 0).got, str)
