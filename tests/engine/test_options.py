"""An option is declared once: its type, its limits, and its texts come from the declaration."""

from typing import Literal

import numpy as np
import pytest

import separatrix as sx
from separatrix import options
from separatrix.options import Option, Options, option, options_of
from separatrix.rips.bar_table import MOST_DIMENSION
from separatrix.rips.reduction import MAX_PRIME

DECLARATIONS = [
    one for one in vars(options).values()
    if isinstance(one, type) and issubclass(one, Options) and one is not Options
]  # fmt: skip


class Shared(Options):
    """Options of several declarations."""

    threads: int | None = option(
        default=None, at_least=1, none_number=0, group="Execution", summary="Threads; by default 4."
    )


class Example(Shared):
    """One option of each kind."""

    flag: bool = option(default=False, labels=("Low", "High"), group="A", summary="A flag.")
    count: int = option(default=3, at_least=0, at_most=10, group="A", summary="A count.")
    length: float = option(default=0.5, at_least=0, group="A", summary="See {flag} ({unit}).",
                           unit="m")  # fmt: skip
    kind: Literal["one", "two"] = option(default="one", group="A", summary="A choice.")
    mode: Literal["auto", True, False] = option(
        default="auto", labels=("Auto", "On", "Off"), group="A", summary="A choice of three."
    )
    place: Literal["cpu", "cuda"] | str = option(
        default="cpu", accepts="cuda:N", group="A", summary="A device."
    )
    sizes: tuple[int, int, int] | None = option(
        default=None, at_least=0, none_number=0, group="A", summary="A vector."
    )
    names: tuple[str, ...] = option(default=(), group="A", summary="Names.")
    limit: int | None = option(
        default=None, none_number=0, unit="bytes", scale=1024, scaled_unit="KiB", group="A",
        summary="A size in {unit}.",
    )  # fmt: skip


def of(name: str) -> Option:
    """The option of that name."""
    return options_of(Example)[name]


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("flag", 1, True),
        ("flag", np.bool_(True), True),
        ("count", np.int64(7), 7),
        ("count", 7.0, 7),
        ("count", np.array(7), 7),
        ("flag", np.array(True), True),
        ("length", np.float32(0.5), 0.5),
        ("length", np.array(0.5, np.float32), 0.5),
        ("length", 2, 2.0),
        ("kind", "two", "two"),
        ("mode", True, True),
        ("mode", np.bool_(True), True),
        ("sizes", [np.array(1), np.int8(2), 3], (1, 2, 3)),
        ("place", "cuda:12", "cuda:12"),
        ("sizes", [1, 2, 3], (1, 2, 3)),
        ("names", ["x", "", "y"], ("x", "y")),
        ("names", "x", ("x",)),
        ("threads", None, None),
    ],
)
def test_a_valid_value_is_kept_in_the_type_of_the_option(name, value, kept):
    found = getattr(Example(**{name: value}), name)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("flag", 2, "flag must be True or False; got 2."),
        ("count", 11, "count must be an integer from 0 to 10; got 11."),
        ("count", 1.5, "count must be an integer from 0 to 10; got 1.5."),
        ("count", "3", "count must be an integer from 0 to 10; got '3'."),
        ("length", float("nan"), "length must be a non-negative number; got nan."),
        ("length", None, "length must be a non-negative number; got None."),
        ("length", np.array(True), "length must be a non-negative number; got True."),
        ("length", np.array([0.5]), "length must be a non-negative number; got array([0.5])."),
        ("kind", "twoo", "kind must be 'one' or 'two'; got 'twoo'. Did you mean 'two'?"),
        ("mode", 1, "mode must be 'auto', True, or False; got 1."),
        ("place", "cuda:x", "place must be 'cpu', 'cuda', or 'cuda:N'; got 'cuda:x'. "
         "Did you mean 'cuda'?"),
        ("sizes", (1, 2), "sizes must be 3 values (each a non-negative integer) or None; "
         "got (1, 2)."),
        ("names", 3, "names must be any number of values (each a string); got 3."),
        ("threads", 0, "threads must be a positive integer or None; got 0."),
    ],
)  # fmt: skip
def test_an_invalid_value_is_an_input_error(name, value, sentence):
    with pytest.raises(sx.InputError) as raised:
        Example(**{name: value})
    assert str(raised.value) == sentence
    assert raised.value.parameter == name


def test_an_unknown_option_is_a_type_error_with_a_suggestion():
    with pytest.raises(TypeError, match="Example has no option 'lenght'; did you mean 'length'"):
        Example(lenght=1)


@pytest.mark.parametrize("name", list(options_of(Example)))
def test_a_value_returns_from_the_number_that_vtk_has_for_it(name):
    values = {"sizes": (1, 2, 3), "place": "cuda", "limit": 4096, "flag": True, "mode": False}
    for value in (of(name).default, values.get(name, of(name).default)):
        assert of(name).check(of(name).from_number(of(name).to_number(value))) == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("flag", "true", True), ("count", "7", 7), ("length", "1e-3", 1e-3), ("mode", "off", False),
     ("place", "cuda:1", "cuda:1"), ("sizes", "1,2,3", (1, 2, 3)), ("names", "x,y", ("x", "y")),
     ("limit", "2", 2048)],
)  # fmt: skip
def test_a_text_of_the_shell_is_read(name, text, value):
    assert of(name).parse(text) == value


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("count", "count must be an integer from 0 to 10; got 'x'."),
     ("mode", "mode must be 'auto', 'on', or 'off'; got 'x'."),
     ("limit", "limit must be a positive number of KiB; got 'x'.")],
)  # fmt: skip
def test_a_text_that_is_not_a_value_is_an_input_error(name, sentence):
    with pytest.raises(sx.InputError) as raised:
        of(name).parse("x")
    assert str(raised.value) == sentence


def test_texts_name_options_and_units_as_the_front_end_does():
    assert of("length").help() == "See flag (m)."
    assert of("length").help(lambda name, _: f"--{name}") == "See --flag (m)."
    assert of("limit").help() == "A size in bytes."
    assert of("limit").help(in_panel=True) == "A size in KiB."
    assert of("threads").help(in_panel=True) == "Threads; by default (0) 4."


def test_the_title_of_the_default_array_means_none():
    weights = options_of(options.RipsBarcodesOptions)["weights"]
    assert weights.from_number("No weights") is None
    assert weights.from_number("mass") == "mass"


def test_options_of_a_declaration_precede_those_that_it_shares():
    assert next(iter(options_of(Example))) == "flag"
    assert list(options_of(Example))[-1] == "threads"
    assert Example(count=3, kind="two").changed_options == {"kind": "two"}
    morse_smale = options_of(options.MorseSmaleOptions)
    assert morse_smale["compute_morse_smale_segmentation"].title == "Morse-Smale Segmentation"


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_texts_of_all_declarations_name_options_that_exist(declaration):
    known = options_of(declaration)

    def spell(name, value):
        assert name in known
        return name

    for one in known.values():
        text = one.help(spell)
        assert "{" not in text
        assert one.summary.endswith(".")
        assert not one.needs or one.needs[0] in known


def test_a_relative_threshold_above_one_is_an_error():
    chosen = options.MorseSmaleOptions(persistence=3, relative=True)
    with pytest.raises(sx.InputError, match="a fraction from 0 to 1 if relative=True"):
        chosen.check_together()
    options.MorseSmaleOptions(persistence=3).check_together()


def test_limits_are_those_of_the_algorithms():
    declared = options_of(options.RipsBarcodesOptions)
    assert declared["max_dimension"].at_most == MOST_DIMENSION
    assert declared["field"].at_most == MAX_PRIME
