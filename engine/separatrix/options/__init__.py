"""Declarations of the options of all capabilities. Nothing here knows VTK."""

from .morse_smale import MorseSmaleOptions
from .option import Option, Options, option, options_of, unknown_option
from .rips import RipsBarcodesOptions

__all__ = [
    "MorseSmaleOptions",
    "Option",
    "Options",
    "RipsBarcodesOptions",
    "option",
    "options_of",
    "unknown_option",
]
